//! `access`, `readlink`, `realpath` and their variants; extended attributes, which `ls -l` asks for.

#![allow(unsafe_code, reason = "exports C functions and calls the C library's")]

use std::ffi::{CStr, c_char, c_int};

use libc::{size_t, ssize_t};

use crate::original::{Failed, set_errno};
use crate::state::{Route, STATE};

/// What a call on the path gives; device files are their stand-ins.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn on_path<T: Failed>(path: *const c_char, call: impl FnOnce(*const c_char) -> T) -> T {
    // SAFETY: says the caller.
    match unsafe { STATE.route_to_file(path) }.0 {
        Route::Elsewhere | Route::Device(_) => call(path),
        Route::Tree(path) => call(path.as_ptr()),
        Route::Nowhere(errno) => {
            set_errno(errno);
            T::FAILED
        }
    }
}

/// `access(2)`
///
/// # Safety
/// As for `access(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { on_path(path, |path| STATE.original.access(path, mode)) }
}

/// `faccessat(2)`
///
/// # Safety
/// As for `faccessat(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn faccessat(dir: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int {
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { on_path(path, |path| STATE.original.faccessat(dir, path, mode, flags)) }
}

/// `readlink(2)`: links of the tree are relative, so that what they say needs no change.
///
/// # Safety
/// As for `readlink(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlink(path: *const c_char, out: *mut c_char, room: size_t) -> ssize_t {
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { on_path(path, |path| STATE.original.readlink(path, out, room)) }
}

/// `readlinkat(2)`
///
/// # Safety
/// As for `readlinkat(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlinkat(
    dir: c_int,
    path: *const c_char,
    out: *mut c_char,
    room: size_t,
) -> ssize_t {
    // SAFETY: the caller's arguments, or a path of our own.
    unsafe { on_path(path, |path| STATE.original.readlinkat(dir, path, out, room)) }
}

/// `readlink(2)`, as programs compiled with checks call it.
///
/// # Safety
/// As for `readlink(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __readlink_chk(
    path: *const c_char,
    out: *mut c_char,
    room: size_t,
    size: size_t,
) -> ssize_t {
    // SAFETY: says the caller.
    unsafe { readlink(path, out, room.min(size)) }
}

macro_rules! attributes {
    ($($name:ident($($attribute:ident)?);)*) => { $(
        /// `getxattr(2)`, `listxattr(2)`
        ///
        /// # Safety
        /// As for `getxattr(2)` and `listxattr(2)`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            path: *const c_char, $($attribute: *const c_char,)? out: *mut c_char, room: size_t
        ) -> ssize_t {
            // SAFETY: the caller's arguments, or a path of our own.
            unsafe { on_path(path, |path| STATE.original.$name(path, $($attribute,)? out, room)) }
        }
    )* };
}

attributes! {
    getxattr(attribute);
    lgetxattr(attribute);
    listxattr();
    llistxattr();
}

/// `realpath(3)`: the tree's folder is taken off what a path in the tree gives.
///
/// # Safety
/// As for `realpath(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realpath(path: *const c_char, out: *mut c_char) -> *mut c_char {
    // SAFETY: says the caller.
    let path = match unsafe { STATE.route_to_file(path) }.0 {
        // SAFETY: the caller's arguments.
        Route::Elsewhere | Route::Device(_) => return unsafe { STATE.original.realpath(path, out) },
        Route::Tree(path) => path,
        Route::Nowhere(errno) => {
            set_errno(errno);
            return std::ptr::null_mut();
        }
    };
    // SAFETY: a path of our own, and the caller's room.
    let found = unsafe { STATE.original.realpath(path.as_ptr(), out) };
    if !found.is_null()
        && let Some(root) = STATE.canonical_root()
    {
        // SAFETY: `realpath` gave a C string, and it is the caller's alone.
        let rest = unsafe { CStr::from_ptr(found) }.to_bytes().strip_prefix(root.as_slice());
        match rest.map(|rest| (rest.first(), rest.len())) {
            // SAFETY: moves the rest of that string and its end to its front.
            Some((Some(b'/'), length)) => unsafe { std::ptr::copy(found.add(root.len()), found, length + 1) },
            // SAFETY: the folder's name, which is no shorter, gives way to that of the root.
            Some((None, _)) => unsafe { std::ptr::copy(c"/".as_ptr(), found, 2) },
            _ => {}
        }
    }
    found
}

/// `realpath(3)`, as programs compiled with checks call it.
///
/// # Safety
/// As for `realpath(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __realpath_chk(path: *const c_char, out: *mut c_char, _: size_t) -> *mut c_char {
    // SAFETY: says the caller.
    unsafe { realpath(path, out) }
}

/// `canonicalize_file_name(3)`
///
/// # Safety
/// As for `canonicalize_file_name(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canonicalize_file_name(path: *const c_char) -> *mut c_char {
    // SAFETY: says the caller.
    unsafe { realpath(path, std::ptr::null_mut()) }
}
