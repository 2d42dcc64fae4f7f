//! The C library's own functions, found once each behind this library (`dlsym(RTLD_NEXT, …)`), and the thread's errno.

#![allow(unsafe_code, reason = "calls the C library's functions by the addresses that the loader gives")]

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use kfd_sys::Errno;
use libc::{DIR, FILE, mode_t, off_t, size_t, ssize_t, stat, statx};

/// The version that a C library's first functions have on this machine.
const FIRST_VERSION: &CStr = if cfg!(target_arch = "x86_64") { c"GLIBC_2.2.5" } else { c"GLIBC_2.17" };
/// Versions under which C libraries have `dlsym`, the newest first.
const DLSYM_VERSIONS: &[&CStr] = &[c"GLIBC_2.34", FIRST_VERSION];
/// `_STAT_VER`: the layout of `struct stat` that the old functions are asked for.
const STAT_VERSION: c_int = if cfg!(target_arch = "x86_64") { 1 } else { 0 };

/// The address of one function.
pub struct Slot(AtomicPtr<c_void>);

impl Slot {
    fn find(&self, loader: *mut c_void, name: &CStr) -> *mut c_void {
        let known = self.0.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the loader's function, and a C string.
        let mut found = unsafe { look_up(loader, libc::RTLD_NEXT, name) };
        if found.is_null() {
            // What newer libraries keep for old programs is found by its version only.
            // SAFETY: a look-up by C strings; the result is only an address.
            found = unsafe { libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), FIRST_VERSION.as_ptr()) };
        }
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
    __xstat(version: c_int, path: *const c_char, out: *mut stat) -> c_int;
    __lxstat(version: c_int, path: *const c_char, out: *mut stat) -> c_int;
    __fxstat(version: c_int, file: c_int, out: *mut stat) -> c_int;
    __fxstatat(version: c_int, dir: c_int, path: *const c_char, out: *mut stat, flags: c_int) -> c_int;
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

macro_rules! stats {
    ($($name:ident = $new:ident or $old:ident($($arg:ident: $type:ty),*) $($flags:ident: $c_int:ty)?;)*) => {
        impl Originals { $(
            /// The C library's function, or what libraries before 2.33 have instead.
            ///
            /// # Safety
            /// As for `stat(2)` and its like.
            pub unsafe fn $name(&self, $($arg: $type,)* out: *mut stat $(, $flags: $c_int)?) -> c_int {
                const NAME: &str = concat!(stringify!($new), "\0");
                let name = CStr::from_bytes_with_nul(NAME.as_bytes()).unwrap_or_default();
                if self.$new.find(self.loader(), name).is_null() {
                    // SAFETY: says the caller.
                    unsafe { self.$old(STAT_VERSION, $($arg,)* out $(, $flags)?) }
                } else {
                    // SAFETY: says the caller.
                    unsafe { self.$new($($arg,)* out $(, $flags)?) }
                }
            }
        )* }
    };
}

stats! {
    stat_of = stat or __xstat(path: *const c_char);
    lstat_of = lstat or __lxstat(path: *const c_char);
    fstat_of = fstat or __fxstat(file: c_int);
    fstatat_of = fstatat or __fxstatat(dir: c_int, path: *const c_char) flags: c_int;
}

/// The thread's errno, after a call that failed.
pub fn errno() -> Errno {
    Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// Sets the thread's errno.
pub fn set_errno(errno: Errno) {
    // SAFETY: the C library gives a valid address for each thread.
    unsafe { *libc::__errno_location() = errno.0 };
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;

    use super::*;

    fn filled(call: impl FnOnce(*mut stat) -> c_int) -> Result<(u64, u64, i64, u32), Errno> {
        // SAFETY: all-zero is a valid value.
        let mut out = unsafe { std::mem::zeroed::<stat>() };
        if call(&mut out) == 0 {
            Ok((out.st_dev, out.st_ino, out.st_size, out.st_mode))
        } else {
            Err(errno())
        }
    }

    #[test]
    fn an_old_library_says_of_files_what_a_new_one_does() {
        let c = Originals::new();
        // As if `stat` and its like were not there: they are found where nothing is.
        let old = Originals { dlsym: Slot(AtomicPtr::new(absent as *mut c_void)), ..Originals::new() };
        unsafe extern "C" fn absent(handle: *mut c_void, name: *const c_char) -> *mut c_void {
            // SAFETY: a C string, as the caller has it.
            let new = unsafe { CStr::from_ptr(name) }.to_bytes();
            if new.starts_with(b"__") {
                // SAFETY: as above.
                unsafe { libc::dlsym(handle, name) }
            } else {
                std::ptr::null_mut()
            }
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "seven b").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(file.path(), &link).unwrap();
        let missing = folder.path().join("missing");
        let string =
            |path: &std::path::Path| std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
        let (at, not_followed) = (libc::AT_FDCWD, libc::AT_SYMLINK_NOFOLLOW);
        for path in [file.path(), &link, &missing].map(string) {
            let path = path.as_ptr();
            // SAFETY: C strings and room for an answer.
            unsafe {
                assert_eq!(filled(|out| old.stat_of(path, out)), filled(|out| c.stat_of(path, out)));
                assert_eq!(filled(|out| old.lstat_of(path, out)), filled(|out| c.lstat_of(path, out)));
                let new = filled(|out| c.fstatat_of(at, path, out, not_followed));
                assert_eq!(filled(|out| old.fstatat_of(at, path, out, not_followed)), new);
            }
        }
        let file = file.as_file().as_raw_fd();
        // SAFETY: an open file and room for an answer.
        let size = unsafe { filled(|out| old.fstat_of(file, out)) };
        assert_eq!(size.unwrap().2, 7);
        // SAFETY: as above, with a descriptor that is none.
        assert_eq!(unsafe { filled(|out| old.fstat_of(-1, out)) }, Err(Errno::EBADF));
        // SAFETY: a C string and room for an answer.
        let missing = unsafe { old.stat(c"/".as_ptr(), &mut std::mem::zeroed()) };
        assert_eq!((missing, errno()), (-1, Errno::ENOSYS), "the new one is not there");
    }
}
