//! Functions on descriptors: `ioctl`, `mmap`, `close`, and what makes one descriptor of another.

#![allow(unsafe_code, reason = "exports C functions and calls the C library's")]

use std::ffi::{c_int, c_ulong, c_void};

use kfd_sys::{DeviceFile, Errno, Kfd as _, Prot};
use libc::{off_t, size_t};

use crate::files::{Files, Kind, Open};
use crate::original::{errno, set_errno};
use crate::state::{STATE, guarded, status};

/// `ioctl(2)`
///
/// # Safety
/// As for `ioctl(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(file: c_int, request: c_ulong, arg: *mut c_void) -> c_int {
    let Some(open) = STATE.open_file(file) else {
        // SAFETY: the caller's arguments.
        return unsafe { STATE.original.ioctl(file, request, arg) };
    };
    let addr = arg.expose_provenance() as u64;
    // The kernel looks at 32 bits of the request.
    let request = request as u32;
    status(guarded(|| match open.kind {
        Kind::Kfd if open.generation != STATE.generation() => Err(Errno::EBADF),
        Kind::Kfd => STATE.device()?.gpu.kfd_ioctl(request, addr),
        Kind::Drm(minor) => {
            let minor = STATE.render_minor(minor).ok_or(Errno::ENODEV)?;
            STATE.device()?.gpu.render_ioctl(minor, request, addr)
        }
    }))
}

/// Maps a device file.
///
/// # Safety
/// As for `mmap(2)`.
unsafe fn map(
    open: Open,
    addr: *mut c_void,
    length: size_t,
    prot: c_int,
    flags: c_int,
    offset: off_t,
) -> Result<*mut c_void, Errno> {
    let file = match open.kind {
        Kind::Kfd if open.generation != STATE.generation() => return Err(Errno::EBADF),
        Kind::Kfd => DeviceFile::Kfd,
        Kind::Drm(minor) => DeviceFile::Render(STATE.render_minor(minor).ok_or(Errno::ENODEV)?),
    };
    let device = STATE.device()?;
    let prot = Prot::from_bits_truncate(prot.cast_unsigned());
    // `MAP_FIXED_NOREPLACE` is left to the reservation, which fails where something is.
    let fixed = flags & libc::MAP_FIXED != 0;
    let at = if fixed {
        addr
    } else {
        let reserve = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let flags = reserve | flags & libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping where nothing is.
        let at = unsafe { STATE.original.mmap(addr, length, libc::PROT_NONE, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return Err(errno());
        }
        at
    };
    // SAFETY: reserved above, or given up by the caller with `MAP_FIXED`. Offsets of KFD use the sign bit.
    let mapped = unsafe {
        device.gpu.mmap(file, at.expose_provenance() as u64, length as u64, prot, offset.cast_unsigned())
    };
    if mapped.is_err() && !fixed {
        // SAFETY: our own reservation.
        unsafe { STATE.original.munmap(at, length) };
    }
    mapped.map(|()| at)
}

/// `mmap(2)`
///
/// # Safety
/// As for `mmap(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap(
    addr: *mut c_void,
    length: size_t,
    prot: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    let anonymous = flags & libc::MAP_ANONYMOUS != 0;
    let Some(open) = (if anonymous { None } else { STATE.open_file(file) }) else {
        // SAFETY: the caller's arguments.
        return unsafe { STATE.original.mmap(addr, length, prot, flags, file, offset) };
    };
    // SAFETY: says the caller.
    guarded(|| unsafe { map(open, addr, length, prot, flags, offset) }).unwrap_or_else(|errno| {
        set_errno(errno);
        libc::MAP_FAILED
    })
}

/// `mmap(2)`
///
/// # Safety
/// As for `mmap(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap64(
    addr: *mut c_void,
    length: size_t,
    prot: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: says the caller.
    unsafe { mmap(addr, length, prot, flags, file, offset) }
}

/// `close(2)`
///
/// # Safety
/// As for `close(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(file: c_int) -> c_int {
    STATE.forget(file);
    // SAFETY: the caller's argument.
    unsafe { STATE.original.close(file) }
}

/// `close_range(2)`
///
/// # Safety
/// As for `close_range(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close_range(first: u32, last: u32, flags: c_int) -> c_int {
    const CLOEXEC: c_int = 4;
    if flags & CLOEXEC == 0 {
        Files::range(first, last).for_each(|file| STATE.forget(file));
    }
    // SAFETY: the caller's arguments.
    unsafe { STATE.original.close_range(first, last, flags) }
}

/// Remembers that `copy` is the same file as `file` was.
fn copied(open: Option<Open>, copy: c_int) -> c_int {
    if copy < 0 {
        return copy;
    }
    STATE.forget(copy);
    if let Some(open) = open
        && !STATE.adopt(copy, open)
    {
        // SAFETY: just made, and nobody else knows it.
        unsafe { STATE.original.close(copy) };
        set_errno(Errno(libc::EMFILE));
        return -1;
    }
    copy
}

/// `dup(2)`
///
/// # Safety
/// As for `dup(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup(file: c_int) -> c_int {
    // SAFETY: the caller's argument.
    copied(STATE.open_file(file), unsafe { STATE.original.dup(file) })
}

/// `dup2(2)`
///
/// # Safety
/// As for `dup2(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup2(from: c_int, to: c_int) -> c_int {
    // SAFETY: the caller's arguments.
    copied(STATE.open_file(from), unsafe { STATE.original.dup2(from, to) })
}

/// `dup3(2)`
///
/// # Safety
/// As for `dup3(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int {
    // SAFETY: the caller's arguments.
    copied(STATE.open_file(from), unsafe { STATE.original.dup3(from, to, flags) })
}

/// `fcntl(2)`
///
/// # Safety
/// As for `fcntl(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl(file: c_int, command: c_int, arg: *mut c_void) -> c_int {
    let copies = matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC);
    let open = if copies { STATE.open_file(file) } else { None };
    // SAFETY: the caller's arguments.
    let result = unsafe { STATE.original.fcntl(file, command, arg) };
    if copies { copied(open, result) } else { result }
}

/// `fcntl(2)`
///
/// # Safety
/// As for `fcntl(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl64(file: c_int, command: c_int, arg: *mut c_void) -> c_int {
    // SAFETY: says the caller.
    unsafe { fcntl(file, command, arg) }
}
