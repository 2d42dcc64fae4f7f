//! `stat` and its many variants: a device file is a character device with its own number, whatever stands in for it.

#![allow(unsafe_code, reason = "exports C functions and calls the C library's")]

use std::ffi::{c_char, c_int};

use amdgpu_emu::tree::{DRM_MAJOR, KFD_MAJOR};

use crate::files::Kind;
use crate::original::set_errno;
use crate::state::{Route, STATE};

/// Type and rights of a device file.
const MODE: u32 = libc::S_IFCHR | 0o666;

fn number(kind: Kind) -> (u32, u32) {
    match kind {
        Kind::Kfd => (KFD_MAJOR, 0),
        Kind::Drm(minor) => (DRM_MAJOR, minor),
    }
}

/// # Safety
/// `out` is valid if `result` is 0.
unsafe fn described(result: c_int, kind: Option<Kind>, out: *mut libc::stat) -> c_int {
    if let (0, Some(kind)) = (result, kind) {
        let (major, minor) = number(kind);
        // SAFETY: says the caller.
        let out = unsafe { &mut *out };
        out.st_mode = MODE;
        out.st_rdev = libc::makedev(major, minor);
        out.st_size = 0;
    }
    result
}

/// # Safety
/// As for `stat(2)`.
unsafe fn by_path(
    path: *const c_char,
    out: *mut libc::stat,
    call: impl FnOnce(*const c_char) -> c_int,
) -> c_int {
    // SAFETY: says the caller.
    match unsafe { STATE.route_to_file(path) } {
        (Route::Elsewhere | Route::Device(_), _) => call(path),
        // SAFETY: the call has filled `out` if it gave 0.
        (Route::Tree(path), kind) => unsafe { described(call(path.as_ptr()), kind, out) },
        (Route::Nowhere(errno), _) => {
            set_errno(errno);
            -1
        }
    }
}

/// # Safety
/// As for `fstat(2)`.
unsafe fn by_file(file: c_int, out: *mut libc::stat) -> c_int {
    let kind = STATE.open_file(file).map(|open| open.kind);
    // SAFETY: the caller's arguments.
    unsafe { described(STATE.original.fstat_of(file, out), kind, out) }
}

/// # Safety
/// As for `fstatat(2)`.
unsafe fn by_path_at(dir: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
    // SAFETY: a path is null or a C string.
    if flags & libc::AT_EMPTY_PATH != 0 && (path.is_null() || unsafe { *path } == 0) {
        // SAFETY: says the caller.
        return unsafe { by_file(dir, out) };
    }
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { by_path(path, out, |path| STATE.original.fstatat_of(dir, path, out, flags)) }
}

macro_rules! stats {
    ($($name:ident($($version:ident)?) = $function:ident;)*) => { $(
        /// `stat(2)`
        ///
        /// # Safety
        /// As for `stat(2)`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($version: c_int,)? path: *const c_char, out: *mut libc::stat) -> c_int {
            $( let _ = $version; )?
            // SAFETY: the caller's arguments, or a path of our own.
            unsafe { by_path(path, out, |path| STATE.original.$function(path, out)) }
        }
    )* };
}

stats! {
    stat() = stat_of;
    stat64() = stat_of;
    lstat() = lstat_of;
    lstat64() = lstat_of;
    __xstat(version) = stat_of;
    __xstat64(version) = stat_of;
    __lxstat(version) = lstat_of;
    __lxstat64(version) = lstat_of;
}

macro_rules! file_stats {
    ($($name:ident($($version:ident)?);)*) => { $(
        /// `fstat(2)`
        ///
        /// # Safety
        /// As for `fstat(2)`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($version: c_int,)? file: c_int, out: *mut libc::stat) -> c_int {
            $( let _ = $version; )?
            // SAFETY: says the caller.
            unsafe { by_file(file, out) }
        }
    )* };
}

file_stats! {
    fstat();
    fstat64();
    __fxstat(version);
    __fxstat64(version);
}

macro_rules! stats_at {
    ($($name:ident($($version:ident)?);)*) => { $(
        /// `fstatat(2)`
        ///
        /// # Safety
        /// As for `fstatat(2)`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($version: c_int,)? dir: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int
        ) -> c_int {
            $( let _ = $version; )?
            // SAFETY: says the caller.
            unsafe { by_path_at(dir, path, out, flags) }
        }
    )* };
}

stats_at! {
    fstatat();
    fstatat64();
    __fxstatat(version);
    __fxstatat64(version);
}

/// `statx(2)`
///
/// # Safety
/// As for `statx(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statx(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    mask: u32,
    out: *mut libc::statx,
) -> c_int {
    // SAFETY: a path is null or a C string.
    let of_file = flags & libc::AT_EMPTY_PATH != 0 && (path.is_null() || unsafe { *path } == 0);
    let (result, kind) = if of_file {
        let kind = STATE.open_file(dir).map(|open| open.kind);
        // SAFETY: the caller's arguments.
        (unsafe { STATE.original.statx(dir, path, flags, mask, out) }, kind)
    } else {
        // SAFETY: says the caller.
        let (route, kind) = unsafe { STATE.route_to_file(path) };
        let path = match &route {
            Route::Elsewhere | Route::Device(_) => path,
            Route::Tree(path) => path.as_ptr(),
            Route::Nowhere(errno) => {
                set_errno(*errno);
                return -1;
            }
        };
        // SAFETY: the caller's arguments, or a path of our own.
        (unsafe { STATE.original.statx(dir, path, flags, mask, out) }, kind)
    };
    if let (0, Some(kind)) = (result, kind) {
        // SAFETY: filled by the call.
        let out = unsafe { &mut *out };
        out.stx_mode = MODE as u16;
        (out.stx_rdev_major, out.stx_rdev_minor) = number(kind);
        out.stx_size = 0;
    }
    result
}
