//! dma-bufs: memory as a file descriptor (`kfd_chardev.c`, `amdgpu_dma_buf.c`).
//!
//! The descriptor is of a sealed file as long as the memory, in which stands a handle of [`super::share`]. It is locked,
//! so that the exporter sees whether anybody has it open: the memory stays for that long. Reading it or mapping it gives
//! no memory of a GPU: importing it does.

use std::fs::{self, File};
use std::os::fd::{AsRawFd as _, IntoRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use kfd_sys::Errno;
use kfd_sys::memory::AllocFlags;
use kfd_sys::share::{ExportDmabufArgs, GetDmabufInfoArgs, ImportDmabufArgs};
use nix::fcntl::{FcntlArg, FdFlag, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::{Process, share};
use crate::vm::{Backing, MemoryObject, Pool};

/// Name that the host gives to these files.
const DMABUFS: &str = "/memfd:amdgpu-emu-dmabuf";

/// What stands in such a file.
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Content {
    pub(crate) share_handle: [u32; 4],
    gpu_id: u32,
    flags: u32,
}

fn errno(error: std::io::Error) -> Errno {
    Errno(error.raw_os_error().unwrap_or(libc::EIO))
}

/// Gives an object out. The descriptor is the caller's.
pub(crate) fn give(
    process: &Process,
    gpu_id: u32,
    object: &Arc<MemoryObject>,
    close_on_exec: bool,
) -> Result<u32, Errno> {
    match object.backing {
        Backing::Extent(_) => {}
        Backing::User(_) => return Err(Errno::EPERM),
        Backing::Device(_) | Backing::Part(..) => return Err(Errno::EINVAL),
    }
    let of = |error: nix::errno::Errno| Errno(error as i32);
    let share_handle = process.exports.give(process.pid, object)?;
    let mut flags = AllocFlags::VRAM | AllocFlags::PUBLIC;
    flags.set(AllocFlags::WRITABLE, object.rights.write);
    flags.set(AllocFlags::EXECUTABLE, object.rights.execute);
    let content = Content { share_handle, gpu_id, flags: flags.bits() };
    let made = memfd_create(c"amdgpu-emu-dmabuf", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING);
    let file = File::from(made.map_err(of)?);
    file.set_len(object.size).map_err(errno)?;
    file.write_all_at(content.as_bytes(), 0).map_err(errno)?;
    let seals =
        SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_WRITE | SealFlag::F_SEAL_SEAL;
    fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).map_err(of)?;
    let watch = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(errno)?;
    let file = OwnedFd::from(file);
    Pool::hold(&file, 0, object.size)?;
    process.exports.lend(object, watch.into());
    if !close_on_exec {
        fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).map_err(of)?;
    }
    Ok(file.into_raw_fd().cast_unsigned())
}

/// What a descriptor of this process says, and how long the memory is.
pub(crate) fn look_at(descriptor: u32) -> Result<(Content, u64), Errno> {
    let path = format!("/proc/self/fd/{descriptor}");
    let link = fs::read_link(&path).map_err(|_| Errno::EBADF)?;
    if !link.to_string_lossy().starts_with(DMABUFS) {
        return Err(Errno::EINVAL);
    }
    let file = File::open(&path).map_err(errno)?;
    let mut content = Content::default();
    file.read_exact_at(content.as_mut_bytes(), 0).map_err(|_| Errno::EINVAL)?;
    Ok((content, file.metadata().map_err(errno)?.len()))
}

pub(super) fn export(process: &Process, arg: &mut ExportDmabufArgs) -> Result<(), Errno> {
    let (object, gpu_id) = {
        let objects = process.objects.lock();
        let entry = objects.by_handle.get(&arg.handle).ok_or(Errno::EINVAL)?;
        (Arc::clone(&entry.object), entry.gpu_id)
    };
    arg.dmabuf_fd = give(process, gpu_id, &object, arg.flags & libc::O_CLOEXEC as u32 != 0)?;
    Ok(())
}

pub(super) fn info(process: &Process, arg: &mut GetDmabufInfoArgs) -> Result<(), Errno> {
    let (content, size) = look_at(arg.dmabuf_fd)?;
    // One of another process may be of a GPU that this one does not have.
    process.device(content.gpu_id)?;
    (arg.size, arg.gpu_id, arg.flags, arg.metadata_size) = (size, content.gpu_id, content.flags, 0);
    Ok(())
}

pub(super) fn import(process: &Process, arg: &mut ImportDmabufArgs) -> Result<(), Errno> {
    let (content, _) = look_at(arg.dmabuf_fd)?;
    (arg.handle, _) = share::insert(process, arg.gpu_id, arg.va_addr, content.share_handle)?;
    Ok(())
}
