//! The amdkfd kernel boundary: uapi structs, the ioctl table and the [`Kfd`] trait.
//!
//! Answers to `include/uapi/linux/kfd_ioctl.h`. No behaviour lives here: the thunk above and a device below meet in
//! these types. Names are those of the header, without `kfd_ioctl_` and in Rust's spelling
//! (`kfd_ioctl_create_queue_args` is [`queue::CreateQueueArgs`]); every struct asserts its size and offsets while it
//! compiles and once more, in `tests/header.rs`, against the installed header.
//!
//! ```
//! use kfd_sys::{KfdExt as _, version::GetVersionArgs};
//! fn minor(kfd: &dyn kfd_sys::Kfd) -> Result<u32, kfd_sys::Errno> {
//!     let mut args = GetVersionArgs::default();
//!     kfd.call(&mut args)?;
//!     Ok(args.minor_version)
//! }
//! ```

#[macro_use]
mod abi;
mod arg;
mod errno;
mod kfd;
mod wave_report;

pub mod aperture;
pub mod clock;
pub mod criu;
pub mod debug;
pub mod event;
pub mod ioctl;
pub mod memory;
pub mod mmap;
pub mod profile;
pub mod queue;
pub mod render;
pub mod share;
pub mod smi;
pub mod svm;
pub mod trap;
pub mod version;

pub use abi::{AbiStruct, FieldLayout, StructLayout};
pub use arg::{Arg, read_arg, write_arg};
pub use errno::Errno;
pub use ioctl::{Direction, Ioctl, IoctlInfo, KfdExt};
pub use kfd::{DeviceFile, Kfd, Prot};
pub use wave_report::WaveReport;

/// The layout of every struct of this crate, for whoever compares it with a header.
pub const STRUCTS: &[StructLayout] = &[
    aperture::AcquireVmArgs::LAYOUT,
    aperture::GetProcessAperturesArgs::LAYOUT,
    aperture::GetProcessAperturesNewArgs::LAYOUT,
    aperture::ProcessDeviceApertures::LAYOUT,
    aperture::SetMemoryPolicyArgs::LAYOUT,
    aperture::SetScratchBackingVaArgs::LAYOUT,
    aperture::SetTrapHandlerArgs::LAYOUT,
    aperture::SetXnackModeArgs::LAYOUT,
    clock::GetClockCountersArgs::LAYOUT,
    clock::GetTileConfigArgs::LAYOUT,
    criu::CriuArgs::LAYOUT,
    criu::CriuBoBucket::LAYOUT,
    criu::CriuDeviceBucket::LAYOUT,
    debug::DbgAddressWatchArgs::LAYOUT,
    debug::DbgRegisterArgs::LAYOUT,
    debug::DbgTrapArgs::LAYOUT,
    debug::DbgUnregisterArgs::LAYOUT,
    debug::DbgWaveControlArgs::LAYOUT,
    debug::RuntimeEnableArgs::LAYOUT,
    event::CreateEventArgs::LAYOUT,
    event::DestroyEventArgs::LAYOUT,
    event::EventData::LAYOUT,
    event::HwExceptionData::LAYOUT,
    event::MemoryExceptionData::LAYOUT,
    event::MemoryExceptionFailure::LAYOUT,
    event::ResetEventArgs::LAYOUT,
    event::SetEventArgs::LAYOUT,
    event::SignalEventData::LAYOUT,
    event::WaitEventsArgs::LAYOUT,
    memory::AllocMemoryOfGpuArgs::LAYOUT,
    memory::FreeMemoryOfGpuArgs::LAYOUT,
    memory::GetAvailableMemoryArgs::LAYOUT,
    memory::MapMemoryToGpuArgs::LAYOUT,
    memory::UnmapMemoryFromGpuArgs::LAYOUT,
    profile::SpmArgs::LAYOUT,
    profile::SpmBufferHeader::LAYOUT,
    profile::PcSampleInfo::LAYOUT,
    profile::PcSampleArgs::LAYOUT,
    profile::PmcSettings::LAYOUT,
    profile::ProfilerArgs::LAYOUT,
    profile::MemoryRange::LAYOUT,
    profile::CrossMemoryCopyArgs::LAYOUT,
    profile::AisInArgs::LAYOUT,
    profile::AisOutArgs::LAYOUT,
    profile::AisArgs::LAYOUT,
    profile::CreateProcessArgs::LAYOUT,
    profile::DbgTrapDeprecatedArgs::LAYOUT,
    queue::AllocQueueGwsArgs::LAYOUT,
    queue::CreateQueueArgs::LAYOUT,
    queue::DestroyQueueArgs::LAYOUT,
    queue::GetQueueWaveStateArgs::LAYOUT,
    queue::SetCuMaskArgs::LAYOUT,
    queue::UpdateQueueArgs::LAYOUT,
    share::ExportDmabufArgs::LAYOUT,
    share::GetDmabufInfoArgs::LAYOUT,
    share::ImportDmabufArgs::LAYOUT,
    share::IpcExportHandleArgs::LAYOUT,
    share::IpcImportHandleArgs::LAYOUT,
    smi::SmiEventsArgs::LAYOUT,
    svm::SvmArgs::LAYOUT,
    svm::SvmAttribute::LAYOUT,
    trap::EnableArgs::LAYOUT,
    trap::SendRuntimeEventArgs::LAYOUT,
    trap::SetExceptionsEnabledArgs::LAYOUT,
    trap::SetWaveLaunchOverrideArgs::LAYOUT,
    trap::SetWaveLaunchModeArgs::LAYOUT,
    trap::SuspendQueuesArgs::LAYOUT,
    trap::ResumeQueuesArgs::LAYOUT,
    trap::SetNodeAddressWatchArgs::LAYOUT,
    trap::ClearNodeAddressWatchArgs::LAYOUT,
    trap::SetFlagsArgs::LAYOUT,
    trap::QueryDebugEventArgs::LAYOUT,
    trap::QueryExceptionInfoArgs::LAYOUT,
    trap::QueueSnapshotArgs::LAYOUT,
    trap::DeviceSnapshotArgs::LAYOUT,
    trap::QueueSnapshotEntry::LAYOUT,
    trap::DeviceInfoEntry::LAYOUT,
    trap::RuntimeInfo::LAYOUT,
    trap::ContextSaveAreaHeader::LAYOUT,
    version::GetVersionArgs::LAYOUT,
];

/// The structs that newer versions of KFD made longer, as they are there. The shorter ones are in [`STRUCTS`].
pub const GROWN_STRUCTS: &[StructLayout] =
    &[queue::CreateQueueArgs117::LAYOUT, queue::UpdateQueueArgs122::LAYOUT, trap::DeviceInfoEntry123::LAYOUT];
