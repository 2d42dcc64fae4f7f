//! Memory for another process, by a handle of 128 bits (`kfd_ipc.c` of AMD's out-of-tree driver).
//!
//! A handle says where the memory file of the pool is open, and which part of it is meant. Who takes it in opens that file
//! by `/proc`, under the rights that the host gives, and maps the part. Unlike KFD's, the memory goes back to the exporter's pool
//! when the exporter frees it: importers then read zeroes.

use std::fs::{self, OpenOptions};

use kfd_sys::Errno;
use kfd_sys::memory::AllocFlags;
use kfd_sys::share::{IpcExportHandleArgs, IpcImportHandleArgs};

use super::Process;
use super::memory::{self, NewObject};
use crate::vm::{Backing, PAGE, Pool, Rights};

/// In the top bits of a handle's second word.
const MARK: u32 = 0xa3d;
const FILE_BITS: u32 = 20;
/// Names that the host gives to memory files of pools.
const POOLS: &str = "/memfd:amdgpu-emu-";
/// `mmap` offsets of imported objects begin here, and are this far apart.
const OFFSETS: u64 = 1 << 56;
const OFFSET_STEP: u32 = 40;

pub(super) fn export(process: &Process, arg: &mut IpcExportHandleArgs) -> Result<(), Errno> {
    process.device(arg.gpu_id)?;
    let object = process.object(arg.handle)?;
    let Backing::Extent(extent) = &object.backing else { return Err(Errno::EINVAL) };
    let pages = |bytes: u64| u32::try_from(bytes / PAGE).map_err(|_| Errno::EINVAL);
    let file =
        u32::try_from(extent.file()).ok().filter(|file| file >> FILE_BITS == 0).ok_or(Errno::EINVAL)?;
    let (start, length) = (pages(extent.offset())?, pages(extent.bytes())?);
    arg.share_handle = [process.pid, MARK << FILE_BITS | file, start, length];
    Ok(())
}

pub(super) fn import(process: &Process, arg: &mut IpcImportHandleArgs) -> Result<(), Errno> {
    let device = process.bound_device(arg.gpu_id)?;
    let [pid, file, start, length] = arg.share_handle;
    if file >> FILE_BITS != MARK || length == 0 {
        return Err(Errno::EINVAL);
    }
    let bytes = u64::from(length) * PAGE;
    memory::check_range(arg.va_addr, bytes)?;
    let path = format!("/proc/{pid}/fd/{}", file & ((1 << FILE_BITS) - 1));
    // The exporter may be gone, or its descriptor another file by now.
    let is_pool = fs::read_link(&path).is_ok_and(|link| link.to_string_lossy().starts_with(POOLS));
    let file = OpenOptions::new().read(true).write(true).open(&path).ok().filter(|_| is_pool);
    let extent = Pool::adopt(file.ok_or(Errno::EINVAL)?.into(), u64::from(start) * PAGE, bytes)?;
    let flags = AllocFlags::VRAM | AllocFlags::PUBLIC | AllocFlags::WRITABLE | AllocFlags::EXECUTABLE;
    let made = NewObject {
        va: arg.va_addr,
        bytes,
        rights: Rights { write: true, execute: true },
        backing: Backing::Extent(extent),
        doubled: false,
    };
    let offset = |number: u32| OFFSETS + (u64::from(number) << OFFSET_STEP);
    (arg.handle, arg.mmap_offset) = made.insert(process, device, offset)?;
    arg.flags = flags.bits();
    Ok(())
}
