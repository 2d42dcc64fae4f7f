//! What C callers hand over: pointers to results, pointers to arguments, strings, addresses, callbacks.
//!
//! The C API promises that such a pointer is null or good for the access that the call documents. This file is where
//! that promise is used, so that the bodies in `api/` hold no `unsafe`.

#![allow(unsafe_code, reason = "reads and writes through pointers that a C caller passes by contract")]

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::os::fd::{FromRawFd as _, OwnedFd};

use std::panic::{AssertUnwindSafe, catch_unwind};

use hsa_sys::Status;

/// `Result` of a body.
pub type Result<T = ()> = std::result::Result<T, Status>;

/// An address that is not looked behind here.
pub type Address = u64;

/// A callback that is given each of something; anything but success ends the traversal.
pub type Each<T> = Option<extern "C" fn(T, Address) -> Status>;

/// Calls `each` with all of `items`, until it returns something else than success, which is the result then.
pub fn iterate<T>(items: impl IntoIterator<Item = T>, each: Each<T>, data: Address) -> Result {
    let each = each.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    for item in items {
        match each(item, data) {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}

/// Where a caller wants a result: `T *out` of a C prototype.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    /// Whether the caller passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// `ERROR_INVALID_ARGUMENT` for null.
    pub fn check(self) -> Result {
        if self.0.is_null() { Err(Status::ERROR_INVALID_ARGUMENT) } else { Ok(()) }
    }

    /// Stores the result; `ERROR_INVALID_ARGUMENT` when there is no place for it.
    pub fn set(self, value: T) -> Result {
        self.check()?;
        // SAFETY: not null, and the C API's contract makes it good for one write of `T`.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Stores the first `bytes` bytes of the result: the caller's struct is of another release.
    pub fn set_part(self, value: T, bytes: usize) -> Result {
        self.check()?;
        let bytes = bytes.min(size_of::<T>());
        // SAFETY: not null, and the C API's contract makes it good for writes of that many bytes; no padding of `T` is
        // read as anything but bytes that are copied.
        unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), self.0.cast::<u8>(), bytes) };
        Ok(())
    }

    /// The pointer as one to an argument: for structs that are read and written.
    pub fn as_in<U>(self) -> In<U> {
        In(self.0.cast_const().cast())
    }

    /// Stores the result if the caller wants it.
    pub fn set_if_wanted(self, value: T) {
        let _ = self.set(value);
    }

    /// Stores `values` one after the other: the caller's array holds at least as many.
    pub fn set_all(self, values: &[T]) -> Result
    where
        T: Copy,
    {
        self.check()?;
        values.iter().enumerate().try_for_each(|(at, value)| self.set_at(at, *value))
    }

    /// Stores a value at a place of the caller's array, which is longer than that.
    pub fn set_at(self, at: usize, value: T) -> Result {
        self.check()?;
        // SAFETY: not null, and the C API's contract makes it good for more than `at` writes of `T`.
        unsafe { self.0.add(at).write_unaligned(value) };
        Ok(())
    }
}

/// Where a caller wants the value of an attribute: `void *value`, of the type that the attribute has.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Value(*mut u8);

impl Value {
    /// `ERROR_INVALID_ARGUMENT` for null.
    pub fn check(self) -> Result {
        if self.0.is_null() { Err(Status::ERROR_INVALID_ARGUMENT) } else { Ok(()) }
    }

    /// Stores a value of the attribute's type.
    pub fn set<T>(self, value: T) -> Result {
        Out(self.0.cast::<T>()).set(value)
    }

    /// Stores bytes.
    pub fn bytes(self, bytes: &[u8]) -> Result {
        Out(self.0).set_all(bytes)
    }

    /// Stores text in a field of `room` bytes, cut to fit, the rest zeroed.
    pub fn text(self, text: &str, room: usize) -> Result {
        let mut bytes: Vec<u8> = text.bytes().take(room - 1).collect();
        bytes.resize(room, 0);
        self.bytes(&bytes)
    }
}

/// What a caller passes by pointer: `const T *in` of a C prototype.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for In<T> {}

impl<T: Copy> In<T> {
    /// For callbacks of the program.
    pub fn new(value: &T) -> Self {
        Self(value)
    }

    /// Whether the caller passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads the argument; `ERROR_INVALID_ARGUMENT` when there is none.
    pub fn get(self) -> Result<T> {
        Ok(self.array(1)?[0])
    }

    /// Reads an array of `count`; `ERROR_INVALID_ARGUMENT` for null, but for an array of nothing.
    pub fn array(self, count: usize) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let mut values = Vec::new();
        for at in 0..count {
            // The count is the caller's: memory is asked for as elements turn out to be there.
            if values.len() == values.capacity() {
                let more = values.len().clamp(16, 1 << 16);
                values.try_reserve_exact(more).map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?;
            }
            // SAFETY: not null, and the C API's contract makes it good for `count` reads of `T`.
            values.push(unsafe { self.0.add(at).read_unaligned() });
        }
        Ok(values)
    }
}

/// A string that a caller passes: `const char *` of a C prototype.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// The string; `ERROR_INVALID_ARGUMENT` when there is none. Names that are not UTF-8 do not occur in code objects and
    /// come out with replacement characters.
    pub fn get(self) -> Result<String> {
        if self.0.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null, and the C API's contract makes it a string that ends with NUL.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

/// Bytes of the program that stay as they are while it holds what was made of them.
pub fn program_bytes(address: u64, len: usize) -> &'static [u8] {
    // SAFETY: callers pass what `hsa_code_object_reader_create_from_memory` was given, whose contract keeps it alive and
    // unchanged until the reader is destroyed, or bytes of a loaded segment that the table of loads bounds.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), len) }
}

/// Copies bytes between two addresses that the host can reach; they may overlap.
pub fn copy(to: u64, from: u64, bytes: usize) {
    // SAFETY: the C API's contract: both ranges are memory of the runtime or of the program, and nobody else writes them
    // during the copy.
    unsafe { rocr_rs::copy(to, from, bytes) };
}

/// Fills `words` words of 32 bits.
pub fn fill(to: u64, value: u32, words: usize) {
    // SAFETY: the C API's contract, as for `copy`.
    unsafe { rocr_rs::fill(to, &value.to_le_bytes(), words) };
}

/// Reads up to `room` bytes of a file from `offset` on.
pub fn read_file(fd: i32, offset: u64, room: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(room).ok()?;
    bytes.resize(room, 0u8);
    let mut done = 0;
    while done < room {
        let at = i64::try_from(offset.checked_add(done as u64)?).ok()?;
        // SAFETY: the buffer has `room - done` bytes left from `done` on.
        let got = unsafe { libc::pread(fd, bytes.as_mut_ptr().add(done).cast(), room - done, at) };
        match usize::try_from(got) {
            Ok(0) => break,
            Ok(got) => done += got,
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    bytes.truncate(done);
    Some(bytes)
}

/// Another descriptor of what a descriptor of the program is of.
pub fn duplicate(fd: i32) -> Option<OwnedFd> {
    // SAFETY: asks for a new descriptor; one that is none is an error.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) };
    // SAFETY: just made, and nobody else's.
    (copy >= 0).then(|| unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Closes a descriptor that the program gave away.
pub fn close(fd: i32) -> bool {
    // SAFETY: the C API's contract: the program gives the descriptor up.
    unsafe { libc::close(fd) == 0 }
}

/// The size of a file.
pub fn file_size(fd: i32) -> Option<u64> {
    // SAFETY: all zeros are a value of this plain struct.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `status` is ours; a descriptor that is none is an error.
    let result = unsafe { libc::fstat(fd, &raw mut status) };
    if result == 0 { u64::try_from(status.st_size).ok() } else { None }
}

/// The path of an open file.
pub fn file_path(fd: i32) -> Option<String> {
    Some(std::fs::read_link(format!("/proc/self/fd/{fd}")).ok()?.to_string_lossy().into_owned())
}

/// What a tool's handler of packets passes others on with: their address and number.
pub type PacketWriter = extern "C" fn(In<[u32; 16]>, u64);

type Next<'a> = dyn FnMut(&[rocr_rs::Packet]) + 'a;

thread_local! {
    /// What the handler that this thread is in passes packets on to: C gives the writer no argument to find it by.
    static NEXT: Cell<Option<*mut Next<'static>>> = const { Cell::new(None) };
}

/// Calls a tool's handler with a writer that hands packets to `next`.
pub fn with_packet_writer(next: &mut dyn FnMut(&[rocr_rs::Packet]), handler: impl FnOnce(PacketWriter)) {
    extern "C" fn write(packets: In<[u32; 16]>, count: u64) {
        let Some(next) = NEXT.get() else { return };
        let Ok(packets) = packets.array(usize::try_from(count).unwrap_or(usize::MAX)) else { return };
        let packets: Vec<_> = packets.into_iter().map(rocr_rs::Packet).collect();
        // SAFETY: set by `with_packet_writer` further up this thread's stack, which keeps its `next` borrowed until the
        // handler returns; no other borrow of it is in use while the handler runs.
        let next = unsafe { &mut *next };
        let _ = catch_unwind(AssertUnwindSafe(|| next(&packets)));
    }
    // SAFETY: only the lifetime is made longer; the pointer is taken out again before `next` ends.
    let next = unsafe { std::mem::transmute::<*mut Next<'_>, *mut Next<'static>>(next) };
    let before = NEXT.replace(Some(next));
    handler(write);
    NEXT.set(before);
}

/// A shared library that the program asked for by name.
pub struct Library(*mut c_void);

// SAFETY: a handle of `dlopen` may be used on any thread.
unsafe impl Send for Library {}

type OnLoad = extern "C" fn(*const crate::api_table::Root, u64, u64, *const *const c_char) -> bool;
type OnUnload = extern "C" fn();

impl Library {
    /// Loads it; the loader's words when that fails.
    pub fn open(path: &CStr) -> std::result::Result<Self, String> {
        // SAFETY: a string that ends with NUL. What the library's constructors do is what the program asked for.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        if !handle.is_null() {
            return Ok(Self(handle));
        }
        // SAFETY: null or a string that is good until this thread's next call of the loader.
        let why = unsafe { libc::dlerror() };
        let words = Text(why).get();
        Err(words.unwrap_or_else(|_| path.to_string_lossy().into_owned()))
    }

    fn symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the handle is of a library that is loaded, the name ends with NUL.
        unsafe { libc::dlsym(self.0, name.as_ptr()) }
    }

    /// Calls `OnLoad` of a tool, if it has one: whether it wants to go on.
    pub fn on_load(&self, root: &'static crate::api_table::Root, version: u64, failed: &[CString]) -> bool {
        let entry = self.symbol(c"OnLoad");
        // SAFETY: null or, by the contract of `HSA_TOOLS_LIB`, a function of this type; `Option` of one is as wide.
        let entry = unsafe { std::mem::transmute::<*mut c_void, Option<OnLoad>>(entry) };
        let failed: Vec<*const c_char> = failed.iter().map(|name| name.as_ptr()).collect();
        entry.is_none_or(|entry| entry(root, version, failed.len() as u64, failed.as_ptr()))
    }

    /// Calls `OnUnload` of a tool, if it has one.
    pub fn on_unload(&self) {
        let entry = self.symbol(c"OnUnload");
        // SAFETY: as in `on_load`.
        if let Some(entry) = unsafe { std::mem::transmute::<*mut c_void, Option<OnUnload>>(entry) } {
            entry();
        }
    }

    /// Lets it go.
    pub fn close(self) {
        // SAFETY: opened once, closed once. Nothing of this library refers to it any more; what the program has of it is
        // the tool's to answer for.
        unsafe { libc::dlclose(self.0) };
    }
}
