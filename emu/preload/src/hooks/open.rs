//! `open`, `openat`, `fopen`, `opendir` and their variants (`open(2)`, `fopen(3)`, `opendir(3)`).

#![allow(unsafe_code, reason = "exports C functions and calls the C library's")]

use std::ffi::{c_char, c_int};

use kfd_sys::Errno;
use libc::{DIR, FILE, mode_t};

use crate::files::{Kind, Open};
use crate::original::{errno, set_errno};
use crate::state::{Route, STATE, guarded};

/// Opens a device file: `/dev/null` holds its number.
fn device(kind: Kind, flags: c_int) -> c_int {
    let flags = libc::O_RDWR | flags & (libc::O_CLOEXEC | libc::O_NONBLOCK);
    let opened = guarded(|| {
        let device = STATE.device()?;
        if kind == Kind::Kfd {
            device.announce();
        }
        // SAFETY: a C string.
        let file = unsafe { STATE.original.open(c"/dev/null".as_ptr(), flags, 0) };
        if file < 0 {
            return Err(errno());
        }
        if !STATE.adopt(file, Open { kind, generation: STATE.generation() }) {
            // SAFETY: just opened, and nobody else knows it.
            unsafe { STATE.original.close(file) };
            return Err(Errno(libc::EMFILE));
        }
        Ok(file)
    });
    opened.unwrap_or_else(|errno| {
        set_errno(errno);
        -1
    })
}

/// # Safety
/// As for `open(2)`.
unsafe fn opened(path: *const c_char, flags: c_int, call: impl FnOnce(*const c_char) -> c_int) -> c_int {
    // SAFETY: says the caller.
    let file = match unsafe { STATE.route(path) } {
        Route::Elsewhere => call(path),
        Route::Tree(path) => call(path.as_ptr()),
        Route::Device(kind) => return device(kind, flags),
        Route::Nowhere(errno) => {
            set_errno(errno);
            return -1;
        }
    };
    // The number may have been a device file's that was closed past us.
    STATE.forget(file);
    file
}

macro_rules! opens {
    ($($name:ident($($mode:ident)?);)*) => { $(
        /// `open(2)`
        ///
        /// # Safety
        /// As for `open(2)`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(path: *const c_char, flags: c_int $(, $mode: mode_t)?) -> c_int {
            let mode: mode_t = 0 $(+ $mode)?;
            // SAFETY: the caller's arguments, or a path of our own.
            unsafe { opened(path, flags, |path| STATE.original.open(path, flags, mode)) }
        }
    )* };
}

opens! {
    open(mode);
    open64(mode);
    __open_2();
    __open64_2();
}

macro_rules! opens_at {
    ($($name:ident($($mode:ident)?);)*) => { $(
        /// `openat(2)`
        ///
        /// # Safety
        /// As for `openat(2)`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            dir: c_int, path: *const c_char, flags: c_int $(, $mode: mode_t)?
        ) -> c_int {
            let mode: mode_t = 0 $(+ $mode)?;
            // SAFETY: the caller's arguments, or a path of our own.
            unsafe { opened(path, flags, |path| STATE.original.openat(dir, path, flags, mode)) }
        }
    )* };
}

opens_at! {
    openat(mode);
    openat64(mode);
    __openat_2();
    __openat64_2();
}

/// A pointer that a call on the path gives; device files are their stand-ins.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn pointer<T>(path: *const c_char, call: impl FnOnce(*const c_char) -> *mut T) -> *mut T {
    // SAFETY: says the caller.
    match unsafe { STATE.route_to_file(path) }.0 {
        Route::Elsewhere | Route::Device(_) => call(path),
        Route::Tree(path) => call(path.as_ptr()),
        Route::Nowhere(errno) => {
            set_errno(errno);
            std::ptr::null_mut()
        }
    }
}

/// `fopen(3)`
///
/// # Safety
/// As for `fopen(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { pointer(path, |path| STATE.original.fopen(path, mode)) }
}

/// `fopen(3)`
///
/// # Safety
/// As for `fopen(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: says the caller.
    unsafe { fopen(path, mode) }
}

/// `opendir(3)`
///
/// # Safety
/// As for `opendir(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { pointer(path, |path| STATE.original.opendir(path)) }
}
