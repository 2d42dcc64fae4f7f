//! The C library's own functions, found once each behind this library (`dlsym(RTLD_NEXT, …)`), and the thread's errno.

#![allow(unsafe_code, reason = "calls the C library's functions by the addresses that the loader gives")]

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use kfd_sys::Errno;
use libc::{DIR, FILE, mode_t, off_t, size_t, ssize_t, stat, statx};

/// Versions under which C libraries have `dlsym`, the newest first.
const DLSYM_VERSIONS: &[&CStr] = &[c"GLIBC_2.34", c"GLIBC_2.2.5"];

/// The address of one function.
pub struct Slot(AtomicPtr<c_void>);

impl Slot {
    fn find(&self, loader: *mut c_void, name: &CStr) -> *mut c_void {
        let known = self.0.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the loader's function, and a C string.
        let found = unsafe { look_up(loader, libc::RTLD_NEXT, name) };
        self.0.store(found, Ordering::Release);
        found
    }
}

/// Calls the loader's `dlsym`.
///
/// # Safety
/// As for `dlsym(3)`; `loader` is its address, or null.
unsafe fn look_up(loader: *mut c_void, handle: *mut c_void, name: &CStr) -> *mut c_void {
    type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
    if loader.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: says the caller.
    let dlsym = unsafe { std::mem::transmute::<*mut c_void, Dlsym>(loader) };
    // SAFETY: says the caller.
    unsafe { dlsym(handle, name.as_ptr()) }
}

/// What a call of a function that the C library does not have returns.
pub trait Failed {
    /// The value that says so.
    const FAILED: Self;
}

impl Failed for c_int {
    const FAILED: c_int = -1;
}

impl Failed for ssize_t {
    const FAILED: ssize_t = -1;
}

impl<T> Failed for *mut T {
    const FAILED: *mut T = std::ptr::null_mut();
}

macro_rules! originals {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        /// One slot a function.
        pub struct Originals { dlsym: Slot, $($name: Slot),* }

        impl Originals {
            /// Nothing found yet.
            pub const fn new() -> Originals {
                Originals {
                    dlsym: Slot(AtomicPtr::new(std::ptr::null_mut())),
                    $($name: Slot(AtomicPtr::new(std::ptr::null_mut()))),*
                }
            }

            $(
                /// The C library's function of that name.
                ///
                /// # Safety
                /// As for that function.
                pub unsafe fn $name(&self, $($arg: $type),*) -> $result {
                    const NAME: &str = concat!(stringify!($name), "\0");
                    let name = CStr::from_bytes_with_nul(NAME.as_bytes()).unwrap_or_default();
                    let address = self.$name.find(self.loader(), name);
                    if address.is_null() {
                        set_errno(Errno::ENOSYS);
                        return <$result as Failed>::FAILED;
                    }
                    // SAFETY: the address is that of the C library's function of that name, whose arguments these are.
                    let call = unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>(address)
                    };
                    // SAFETY: the caller answers for the arguments.
                    unsafe { call($($arg),*) }
                }
            )*
        }
    };
}

impl Originals {
    /// The loader's `dlsym`: found by version, for by name alone it would be ours.
    pub fn loader(&self) -> *mut c_void {
        let known = self.dlsym.0.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        let found = DLSYM_VERSIONS.iter().find_map(|version| {
            // SAFETY: a look-up by C strings; the result is only an address.
            let found = unsafe { libc::dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
            (!found.is_null()).then_some(found)
        });
        let found = found.unwrap_or(std::ptr::null_mut());
        self.dlsym.0.store(found, Ordering::Release);
        found
    }

    /// What a look-up in a library gives.
    ///
    /// # Safety
    /// As for `dlsym(3)`.
    pub unsafe fn look_up(&self, handle: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the loader's function; the caller answers for the handle.
        unsafe { look_up(self.loader(), handle, name) }
    }

    /// The function of that name behind this library.
    pub fn next(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the loader's function, and a C string.
        unsafe { look_up(self.loader(), libc::RTLD_NEXT, name) }
    }
}

originals! {
    open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    openat(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    fopen(path: *const c_char, mode: *const c_char) -> *mut FILE;
    opendir(path: *const c_char) -> *mut DIR;
    access(path: *const c_char, mode: c_int) -> c_int;
    faccessat(dir: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int;
    stat(path: *const c_char, out: *mut stat) -> c_int;
    lstat(path: *const c_char, out: *mut stat) -> c_int;
    fstat(file: c_int, out: *mut stat) -> c_int;
    fstatat(dir: c_int, path: *const c_char, out: *mut stat, flags: c_int) -> c_int;
    statx(dir: c_int, path: *const c_char, flags: c_int, mask: u32, out: *mut statx) -> c_int;
    readlink(path: *const c_char, out: *mut c_char, room: size_t) -> ssize_t;
    readlinkat(dir: c_int, path: *const c_char, out: *mut c_char, room: size_t) -> ssize_t;
    getxattr(path: *const c_char, name: *const c_char, out: *mut c_char, room: size_t) -> ssize_t;
    lgetxattr(path: *const c_char, name: *const c_char, out: *mut c_char, room: size_t) -> ssize_t;
    listxattr(path: *const c_char, out: *mut c_char, room: size_t) -> ssize_t;
    llistxattr(path: *const c_char, out: *mut c_char, room: size_t) -> ssize_t;
    realpath(path: *const c_char, out: *mut c_char) -> *mut c_char;
    ioctl(file: c_int, request: c_ulong, arg: *mut c_void) -> c_int;
    mmap(addr: *mut c_void, length: size_t, prot: c_int, flags: c_int, file: c_int, offset: off_t) -> *mut c_void;
    munmap(addr: *mut c_void, length: size_t) -> c_int;
    close(file: c_int) -> c_int;
    close_range(first: u32, last: u32, flags: c_int) -> c_int;
    dup(file: c_int) -> c_int;
    dup2(from: c_int, to: c_int) -> c_int;
    dup3(from: c_int, to: c_int, flags: c_int) -> c_int;
    fcntl(file: c_int, command: c_int, arg: *mut c_void) -> c_int;
}

/// Sets the thread's errno.
pub fn set_errno(errno: Errno) {
    // SAFETY: the C library gives a valid address for each thread.
    unsafe { *libc::__errno_location() = errno.0 };
}
