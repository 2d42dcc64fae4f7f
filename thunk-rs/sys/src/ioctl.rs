//! The ioctl table: number, direction, argument, name; one row an ioctl. The request word is made from the row.
//!
//! `AMDKFD_IOC_*` at the end of `kfd_ioctl.h`; the word's layout is that of `<asm-generic/ioctl.h>`.

use crate::{
    Arg, Errno, Kfd, aperture, clock, criu, debug, event, memory, profile, queue, share, smi, svm, version,
};

/// Which way the argument travels, seen from user space: bits 31:30 of the request word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `_IOW`: the kernel only reads the argument.
    Write,
    /// `_IOR`: the kernel only writes the argument.
    Read,
    /// `_IOWR`
    ReadWrite,
}

impl Direction {
    const fn bits(self) -> u32 {
        match self {
            Direction::Write => 1,
            Direction::Read => 2,
            Direction::ReadWrite => 3,
        }
    }

    /// The direction that a request word says, if it is one that KFD uses.
    pub fn of(request: u32) -> Option<Direction> {
        [Direction::Write, Direction::Read, Direction::ReadWrite]
            .into_iter()
            .find(|direction| direction.bits() == request >> 30)
    }

    /// Does the kernel read what user space wrote in the argument?
    pub fn kernel_reads(self) -> bool {
        self != Direction::Read
    }

    /// Does the kernel write the argument?
    pub fn kernel_writes(self) -> bool {
        self != Direction::Write
    }
}

/// The letter of all KFD ioctls, `AMDKFD_IOCTL_BASE`: bits 15:8 of the request word.
pub const BASE: u32 = b'K' as u32;

/// Makes a request word. `size` is cut to the 14 bits that the word has for it.
pub const fn request(direction: Direction, nr: u32, size: usize) -> u32 {
    (direction.bits() << 30) | ((size as u32 & 0x3fff) << 16) | (BASE << 8) | (nr & 0xff)
}

/// The ioctl's number: bits 7:0 of a request word.
pub const fn nr(request: u32) -> u32 {
    request & 0xff
}

/// The argument's length in bytes: bits 29:16 of a request word.
pub const fn size(request: u32) -> usize {
    ((request >> 16) & 0x3fff) as usize
}

/// The driver's letter: bits 15:8 of a request word. KFD answers to [`BASE`] only.
pub const fn base(request: u32) -> u32 {
    (request >> 8) & 0xff
}

/// An argument struct, and with it the ioctl that takes it.
pub trait Ioctl: Arg {
    /// Number, direction, size and name.
    const INFO: IoctlInfo;
    /// The full request word.
    const REQUEST: u32 = Self::INFO.request();
    /// Name without `AMDKFD_IOC_`.
    const NAME: &'static str = Self::INFO.name;
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoctlInfo {
    /// Number.
    pub nr: u32,
    /// Direction.
    pub direction: Direction,
    /// Name without `AMDKFD_IOC_`.
    pub name: &'static str,
    /// Size of the argument struct here. Other versions of KFD may have it shorter or longer.
    pub size: usize,
}

impl IoctlInfo {
    /// The full request word.
    pub const fn request(&self) -> u32 {
        request(self.direction, self.nr, self.size)
    }
}

macro_rules! ioctls {
    ($( $nr:literal $direction:ident $name:ident $arg:ty; )*) => {
        /// The numbers by name, for a device's dispatch table.
        #[allow(missing_docs, reason = "the names are those of `AMDKFD_IOC_*`")]
        pub mod number {
            $( pub const $name: u32 = $nr; )*
        }

        /// All ioctls whose argument struct is described in this crate, in order of their number.
        pub const TABLE: &[IoctlInfo] = &[$( <$arg as Ioctl>::INFO ),*];

        $( impl Ioctl for $arg {
            const INFO: IoctlInfo = IoctlInfo {
                nr: $nr,
                direction: Direction::$direction,
                name: stringify!($name),
                size: core::mem::size_of::<$arg>(),
            };
        } )*
    };
}

#[rustfmt::skip]
ioctls! {
    0x01 Read      GET_VERSION                  version::GetVersionArgs;
    0x02 ReadWrite CREATE_QUEUE                 queue::CreateQueueArgs;
    0x03 ReadWrite DESTROY_QUEUE                queue::DestroyQueueArgs;
    0x04 Write     SET_MEMORY_POLICY            aperture::SetMemoryPolicyArgs;
    0x05 ReadWrite GET_CLOCK_COUNTERS           clock::GetClockCountersArgs;
    0x06 Read      GET_PROCESS_APERTURES        aperture::GetProcessAperturesArgs;
    0x07 Write     UPDATE_QUEUE                 queue::UpdateQueueArgs;
    0x08 ReadWrite CREATE_EVENT                 event::CreateEventArgs;
    0x09 Write     DESTROY_EVENT                event::DestroyEventArgs;
    0x0a Write     SET_EVENT                    event::SetEventArgs;
    0x0b Write     RESET_EVENT                  event::ResetEventArgs;
    0x0c ReadWrite WAIT_EVENTS                  event::WaitEventsArgs;
    0x0d Write     DBG_REGISTER_DEPRECATED      debug::DbgRegisterArgs;
    0x0e Write     DBG_UNREGISTER_DEPRECATED    debug::DbgUnregisterArgs;
    0x0f Write     DBG_ADDRESS_WATCH_DEPRECATED debug::DbgAddressWatchArgs;
    0x10 Write     DBG_WAVE_CONTROL_DEPRECATED  debug::DbgWaveControlArgs;
    0x11 ReadWrite SET_SCRATCH_BACKING_VA       aperture::SetScratchBackingVaArgs;
    0x12 ReadWrite GET_TILE_CONFIG              clock::GetTileConfigArgs;
    0x13 Write     SET_TRAP_HANDLER             aperture::SetTrapHandlerArgs;
    0x14 ReadWrite GET_PROCESS_APERTURES_NEW    aperture::GetProcessAperturesNewArgs;
    0x15 Write     ACQUIRE_VM                   aperture::AcquireVmArgs;
    0x16 ReadWrite ALLOC_MEMORY_OF_GPU          memory::AllocMemoryOfGpuArgs;
    0x17 Write     FREE_MEMORY_OF_GPU           memory::FreeMemoryOfGpuArgs;
    0x18 ReadWrite MAP_MEMORY_TO_GPU            memory::MapMemoryToGpuArgs;
    0x19 ReadWrite UNMAP_MEMORY_FROM_GPU        memory::UnmapMemoryFromGpuArgs;
    0x1a Write     SET_CU_MASK                  queue::SetCuMaskArgs;
    0x1b ReadWrite GET_QUEUE_WAVE_STATE         queue::GetQueueWaveStateArgs;
    0x1c ReadWrite GET_DMABUF_INFO              share::GetDmabufInfoArgs;
    0x1d ReadWrite IMPORT_DMABUF                share::ImportDmabufArgs;
    0x1e ReadWrite ALLOC_QUEUE_GWS              queue::AllocQueueGwsArgs;
    0x1f ReadWrite SMI_EVENTS                   smi::SmiEventsArgs;
    0x20 ReadWrite SVM                          svm::SvmArgs;
    0x21 ReadWrite SET_XNACK_MODE               aperture::SetXnackModeArgs;
    0x22 ReadWrite CRIU_OP                      criu::CriuArgs;
    0x23 ReadWrite AVAILABLE_MEMORY             memory::GetAvailableMemoryArgs;
    0x24 ReadWrite EXPORT_DMABUF                share::ExportDmabufArgs;
    0x25 ReadWrite RUNTIME_ENABLE               debug::RuntimeEnableArgs;
    0x26 ReadWrite DBG_TRAP                     debug::DbgTrapArgs;
    0x27 ReadWrite CREATE_PROCESS               profile::CreateProcessArgs;
    0x80 ReadWrite IPC_IMPORT_HANDLE            share::IpcImportHandleArgs;
    0x81 ReadWrite IPC_EXPORT_HANDLE            share::IpcExportHandleArgs;
    0x82 ReadWrite DBG_TRAP_DEPRECATED          profile::DbgTrapDeprecatedArgs;
    0x83 ReadWrite CROSS_MEMORY_COPY_DEPRECATED profile::CrossMemoryCopyArgs;
    0x84 ReadWrite RLC_SPM                      profile::SpmArgs;
    0x85 ReadWrite PC_SAMPLE                    profile::PcSampleArgs;
    0x86 ReadWrite PROFILER                     profile::ProfilerArgs;
    0x87 ReadWrite AIS_OP                       profile::AisArgs;
}

macro_rules! grown {
    ($( $of:ty => $arg:ty; )*) => {
        /// Rows of [`TABLE`] with the longer arguments of newer versions of KFD.
        pub const GROWN: &[IoctlInfo] = &[$( <$arg as Ioctl>::INFO ),*];

        $( impl Ioctl for $arg {
            const INFO: IoctlInfo =
                IoctlInfo { size: core::mem::size_of::<$arg>(), ..<$of as Ioctl>::INFO };
        } )*
    };
}

grown! {
    queue::CreateQueueArgs => queue::CreateQueueArgs117;
    queue::UpdateQueueArgs => queue::UpdateQueueArgs122;
}

/// The first number of AMD's out-of-tree driver: upstream KFD knows none from there on.
pub const FIRST_OUT_OF_TREE: u32 = 0x80;

/// The row of a number.
pub fn by_number(number: u32) -> Option<&'static IoctlInfo> {
    TABLE.iter().find(|info| info.nr == number)
}

/// The name of the ioctl that a request word asks for.
pub fn name_of(request: u32) -> Option<&'static str> {
    by_number(nr(request)).map(|info| info.name)
}

/// Typed calls over the byte interface of [`Kfd`].
pub trait KfdExt {
    /// Issues the ioctl that takes `A`.
    fn call<A: Ioctl>(&self, arg: &mut A) -> Result<(), Errno>;
}

impl<K: Kfd + ?Sized> KfdExt for K {
    fn call<A: Ioctl>(&self, arg: &mut A) -> Result<(), Errno> {
        self.ioctl(A::REQUEST, arg.as_mut_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_words_are_those_of_the_reference() {
        for (word, request) in [
            (0x8008_4b01, version::GetVersionArgs::REQUEST),
            (0xc058_4b02, queue::CreateQueueArgs::REQUEST),
            (0x4020_4b04, aperture::SetMemoryPolicyArgs::REQUEST),
            (0x8190_4b06, aperture::GetProcessAperturesArgs::REQUEST),
            (0xc028_4b16, memory::AllocMemoryOfGpuArgs::REQUEST),
            (0xc010_4b25, debug::RuntimeEnableArgs::REQUEST),
            (0xc020_4b26, debug::DbgTrapArgs::REQUEST),
            (0xc030_4b80, share::IpcImportHandleArgs::REQUEST),
            (0xc020_4b81, share::IpcExportHandleArgs::REQUEST),
            (0xc060_4b02, queue::CreateQueueArgs117::REQUEST),
            (0x4028_4b07, queue::UpdateQueueArgs122::REQUEST),
        ] {
            assert_eq!(request, word, "{:#x} is not {word:#x}", request);
        }
    }

    #[test]
    fn the_table_is_in_order_and_its_words_take_apart_again() {
        assert!(TABLE.windows(2).all(|pair| pair[0].nr < pair[1].nr));
        for info in TABLE {
            let word = info.request();
            assert_eq!(nr(word), info.nr);
            assert_eq!(size(word), info.size);
            assert_eq!(base(word), BASE);
            assert_eq!(Direction::of(word), Some(info.direction));
            assert_eq!(name_of(word), Some(info.name));
        }
        assert_eq!(name_of(request(Direction::ReadWrite, 0x82, 40)), Some("DBG_TRAP_DEPRECATED"));
        assert_eq!(name_of(request(Direction::ReadWrite, 0x7f, 40)), None);
    }
}
