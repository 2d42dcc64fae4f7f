//! `dlsym`: who looks a function of the C library up in that library, instead of calling it by name, gets ours too.
//! Python's `ctypes` does, and with it every runtime that is written in Python.

#![allow(
    unsafe_code,
    reason = "exports a C function whose caller the loader must still see; calls the loader's"
)]

use std::ffi::{CStr, c_char, c_void};

use super::{file, open, path, stat};
use crate::state::STATE;

macro_rules! hooks {
    ($($module:ident: $($name:ident)*;)*) => {
        /// The function of that name in this library.
        fn own(name: &CStr) -> Option<*mut c_void> {
            Some(match name.to_bytes() {
                $($(name if name == stringify!($name).as_bytes() => $module::$name as *mut c_void,)*)*
                _ => return None,
            })
        }
    };
}

hooks! {
    open: open open64 openat openat64 fopen fopen64 opendir;
    path: access faccessat readlink readlinkat realpath canonicalize_file_name;
    stat: stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 statx;
    file: ioctl mmap mmap64 close close_range dup dup2 dup3 fcntl fcntl64;
}

/// Our function, if the look-up would give the C library's of that name. Null otherwise.
///
/// # Safety
/// As for `dlsym(3)`, with the handle of a library.
unsafe extern "C" fn pick(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // The loader itself finds ours first, or must find what comes behind its caller.
    if handle == libc::RTLD_DEFAULT || handle == libc::RTLD_NEXT || name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: a C string, says the caller.
    let name = unsafe { CStr::from_ptr(name) };
    let Some(own) = own(name) else { return std::ptr::null_mut() };
    // SAFETY: says the caller.
    let found = unsafe { STATE.original.look_up(handle, name) };
    let original = STATE.original.next(name);
    if !found.is_null() && found == original { own } else { std::ptr::null_mut() }
}

/// The loader's function.
extern "C" fn loader() -> *mut c_void {
    STATE.original.loader()
}

/// `dlsym(3)`. With `RTLD_NEXT` the loader goes by the address that it returns to, so that a look-up that is not for us
/// has to reach it as if we were not there: by a jump.
///
/// # Safety
/// As for `dlsym(3)`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    std::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {pick}",
        "test rax, rax",
        "jnz 2f",
        "call {loader}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "jmp rax",
        "2:",
        "add rsp, 24",
        "ret",
        pick = sym pick,
        loader = sym loader,
    )
}
