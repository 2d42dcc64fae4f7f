//! What C callers hand over: pointers to results, pointers to arguments, strings, addresses.
//!
//! The C API promises that such a pointer is null or good for the access that the call documents. This file is where
//! that promise is used, so that the bodies in `api/` hold no `unsafe`.

#![allow(unsafe_code, reason = "reads and writes through pointers that a C caller passes by contract")]

use hip_sys::hipError_t;
use std::ffi::{CStr, c_char, c_void};

/// Where a caller wants a result: `T *out` of a C prototype.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> std::fmt::Debug for Out<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Out<T> {
    /// For callers in Rust.
    pub fn new(place: &mut T) -> Self {
        Self(place)
    }

    /// A place that was not given.
    pub const fn null() -> Self {
        Self(std::ptr::null_mut())
    }

    /// Whether the caller passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Stores the result; `hipErrorInvalidValue` when there is no place for it.
    pub fn set(self, value: T) -> Result<(), hipError_t> {
        if self.0.is_null() {
            return Err(hipError_t::INVALID_VALUE);
        }
        // SAFETY: not null, and the C API's contract makes it good for one write of `T`.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Stores the element `index` of the caller's array.
    pub fn set_at(self, index: usize, value: T) -> Result<(), hipError_t> {
        if self.0.is_null() {
            return Err(hipError_t::INVALID_VALUE);
        }
        // SAFETY: not null, and the C API's contract makes it good for a write of element `index`.
        unsafe { self.0.add(index).write_unaligned(value) };
        Ok(())
    }

    /// The same place, where its type depends on the version of HIP.
    pub fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// The number of its address.
    pub fn address(self) -> usize {
        self.0.addr()
    }

    /// Its address.
    pub fn address_of(self) -> *const c_void {
        self.0.cast_const().cast()
    }

    /// What is there now, of a place that the caller has filled.
    pub fn as_in(self) -> In<T> {
        In(self.0)
    }

    /// Stores the result if the caller wants it.
    pub fn set_if_wanted(self, value: T) {
        let _ = self.set(value);
    }

    /// Stores `values` one after the other: the caller's array holds at least as many.
    pub fn set_all(self, values: &[T]) -> Result<(), hipError_t>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return Err(hipError_t::INVALID_VALUE);
        }
        for (at, value) in values.iter().enumerate() {
            // SAFETY: not null, and the C API's contract makes it good for `values.len()` writes of `T`.
            unsafe { self.0.add(at).write_unaligned(*value) };
        }
        Ok(())
    }
}

impl Out<c_char> {
    /// Stores `text` and its NUL in the `len` bytes there, cut to fit.
    pub fn set_text(self, text: &str, len: usize) -> Result<(), hipError_t> {
        if self.0.is_null() || len == 0 {
            return Err(hipError_t::INVALID_VALUE);
        }
        let keep = text.len().min(len - 1);
        for (at, byte) in text.bytes().take(keep).chain([0]).enumerate() {
            // SAFETY: the caller's buffer holds `len` bytes, and `at <= keep < len`.
            unsafe { self.0.add(at).write(byte as c_char) };
        }
        Ok(())
    }
}

/// What a caller passes by pointer: `const T *in` of a C prototype.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T> std::fmt::Debug for In<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Copy> In<T> {
    /// For callers in Rust.
    pub fn new(value: &T) -> Self {
        Self(value)
    }

    /// An argument that was not given.
    pub const fn null() -> Self {
        Self(std::ptr::null())
    }

    /// The same argument, where its type depends on the version of HIP.
    pub fn cast<U: Copy>(self) -> In<U> {
        In(self.0.cast())
    }

    /// An array that a struct of the caller's points at.
    pub fn from_pointer<U>(pointer: *const U) -> Self {
        Self(pointer.cast())
    }

    /// Whether the caller passed null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads the argument; `hipErrorInvalidValue` when there is none.
    pub fn get(self) -> Result<T, hipError_t> {
        self.at(0)
    }

    /// Reads the element `index` of the caller's array.
    pub fn at(self, index: usize) -> Result<T, hipError_t> {
        if self.0.is_null() {
            return Err(hipError_t::INVALID_VALUE);
        }
        // SAFETY: not null, and the C API's contract makes it good for a read of element `index`.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

/// A struct of C that is kept for later. The pointers in it are the program's: they are handed back, or used as the call
/// that brought them says.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Kept<T>(T);

// SAFETY: a pointer that the program gave is a number to this library; what it leads to is the program's to guard.
unsafe impl<T: Copy> Send for Kept<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Sync for Kept<T> {}

impl<T: Copy> Kept<T> {
    /// Keeps it.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The struct as it came.
    pub fn get(&self) -> T {
        self.0
    }

    /// Where it is, for a program that knows it by its address.
    pub fn address(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

impl<T> std::fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(std::any::type_name::<T>())
    }
}

/// A string that a caller passes: `const char *` of a C prototype.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => f.write_str("null"),
        }
    }
}

impl Text {
    /// For callers in Rust.
    pub fn new(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }

    /// The string; `hipErrorInvalidValue` when there is none. Names that are not UTF-8 do not occur in code objects
    /// and come out with replacement characters.
    pub fn get(self) -> Result<String, hipError_t> {
        if self.0.is_null() {
            return Err(hipError_t::INVALID_VALUE);
        }
        // SAFETY: not null, and the C API's contract makes it a string that ends with NUL.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

/// Copies `to.len()` bytes from an address that the caller passed; false for null.
pub fn read_bytes(from: *const c_void, to: &mut [u8]) -> bool {
    if from.is_null() {
        return false;
    }
    // SAFETY: not null, and by the C API's contract readable for as many bytes as the argument is long.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.as_mut_ptr(), to.len()) };
    true
}

/// Copies bytes to memory at `to`, which is host memory or device memory that the host can reach.
///
/// `to..to + from.len()` lies in an allocation of ours or in memory that the caller passed by contract.
pub fn write_bytes(to: u64, from: &[u8]) {
    // SAFETY: as the doc comment says; the two do not overlap since `from` is a Rust borrow of other memory.
    unsafe {
        std::ptr::copy_nonoverlapping(
            from.as_ptr(),
            std::ptr::with_exposed_provenance_mut(to as usize),
            from.len(),
        );
    }
}

/// Copies `size` bytes between two addresses that the host can reach; they may overlap.
pub fn copy(to: u64, from: u64, size: usize) {
    if size == 0 || to == from {
        return;
    }
    // SAFETY: both ranges are allocations of ours, checked against their bounds, or memory that the C API's contract
    // makes good for the access.
    unsafe {
        std::ptr::copy(
            std::ptr::with_exposed_provenance::<u8>(from as usize),
            std::ptr::with_exposed_provenance_mut::<u8>(to as usize),
            size,
        );
    }
}

/// Fills `count` elements of `width` bytes (1, 2 or 4) at `to` with `value`.
pub fn fill(to: u64, value: u32, width: usize, count: usize) {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
    let bytes = value.to_le_bytes();
    if width == 1 || bytes[..width].iter().all(|byte| *byte == bytes[0]) {
        // SAFETY: the range was checked as that of `copy` is.
        unsafe { place.write_bytes(bytes[0], width * count) };
        return;
    }
    for at in 0..count {
        // SAFETY: the range was checked as that of `copy` is; `width` is at most 4.
        unsafe { place.add(at * width).copy_from_nonoverlapping(bytes.as_ptr(), width) };
    }
}

/// Gives a file descriptor to the program.
pub fn give_descriptor(descriptor: std::os::fd::OwnedFd) -> i32 {
    use std::os::fd::IntoRawFd as _;
    descriptor.into_raw_fd()
}

/// Works with a file descriptor of the program's.
pub fn with_descriptor<T>(number: i32, work: impl FnOnce(std::os::fd::BorrowedFd<'_>) -> T) -> T {
    // SAFETY: by the C API's contract a descriptor that stays open during the call; one that is not open the kernel refuses.
    // −1 is not allowed here, and is made one that is never open.
    work(unsafe { std::os::fd::BorrowedFd::borrow_raw(if number == -1 { i32::MAX } else { number }) })
}

/// Calls the function of a host node.
pub fn call_host_node(node: &Kept<hip_sys::hipHostNodeParams>) {
    let hip_sys::hipHostNodeParams { fn_, userData } = node.get();
    if let Some(function) = fn_ {
        // SAFETY: the program gave this function and its argument for exactly this call.
        unsafe { function(userData) };
    }
}

/// Calls a stream callback of the program.
pub fn call_stream_callback(
    callback: hip_sys::hipStreamCallback_t,
    stream: hip_sys::hipStream_t,
    status: hipError_t,
    data: usize,
) {
    if let Some(callback) = callback {
        // SAFETY: the program registered this function for exactly this call.
        unsafe { callback(stream, status, std::ptr::with_exposed_provenance_mut(data)) };
    }
}

/// Calls a host function of the program.
pub fn call_host_function(function: hip_sys::hipHostFn_t, data: usize) {
    if let Some(function) = function {
        // SAFETY: the program registered this function for exactly this call.
        unsafe { function(std::ptr::with_exposed_provenance_mut(data)) };
    }
}

/// Calls the function that device code asked for by `__ockl_call_host_function`: two words out, seven in.
pub fn call_hostcall_function(function: u64, arguments: &[u64; 7]) -> [u64; 2] {
    let mut results = [0; 2];
    if function != 0 {
        // SAFETY: the address is one that the host part of the program gave to its device part for this purpose.
        let function: unsafe extern "C" fn(*mut u64, *const u64) =
            unsafe { std::mem::transmute(std::ptr::with_exposed_provenance::<c_void>(function as usize)) };
        // SAFETY: as above; both arrays have the lengths that the protocol names.
        unsafe { function(results.as_mut_ptr(), arguments.as_ptr()) };
    }
    results
}

/// The bytes of an image that the program holds in its own memory for as long as it is registered or loaded.
pub fn program_bytes(address: u64, len: usize) -> &'static [u8] {
    // SAFETY: `address..address + len` lies in one loaded segment of the program (the caller bounds it so) or in a
    // buffer that `hipModuleLoadData`'s contract keeps alive during the call; it is constant data.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), len) }
}

/// Loads a word of 4 or 8 bytes that a device may store to at the same time.
pub fn load(address: u64, bytes: usize) -> u64 {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
    let place = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    if bytes == 4 {
        // SAFETY: by the C API's contract an aligned word that stays allocated while work on it is pending.
        u64::from(unsafe { AtomicU32::from_ptr(place.cast()) }.load(Ordering::Acquire))
    } else {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(place.cast()) }.load(Ordering::Acquire)
    }
}

/// Stores a word of 4 or 8 bytes that a device may load at the same time.
pub fn store(address: u64, value: u64, bytes: usize) {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
    let place = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    if bytes == 4 {
        // SAFETY: by the C API's contract an aligned word that stays allocated while work on it is pending.
        unsafe { AtomicU32::from_ptr(place.cast()) }.store(value as u32, Ordering::Release);
    } else {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(place.cast()) }.store(value, Ordering::Release);
    }
}

/// Calls `child` in every child that `fork` makes from now on, and `exit` when the program exits.
pub fn on_fork_and_exit(child: extern "C" fn(), exit: extern "C" fn()) {
    // SAFETY: both are functions of this library, which stays loaded. Without memory for the lists there is nothing to do.
    unsafe {
        libc::pthread_atfork(None, None, Some(child));
        libc::atexit(exit);
    }
}

/// Whether host memory is mapped from `address` for `size` bytes: a pointer that leads nowhere is refused, not followed.
/// What the kernel does not tell counts as mapped.
pub fn is_mapped(address: u64, size: usize) -> bool {
    const PAGE: u64 = 4096;
    const STEP: u64 = 16 << 20;
    let Some(end) = address.checked_add(size as u64) else { return false };
    let mut resident = [0u8; (STEP / PAGE) as usize];
    let mut at = address & !(PAGE - 1);
    while at < end {
        let bytes = (end - at).min(STEP) as usize;
        // SAFETY: reads no memory of the range; `resident` has a byte for each of its pages.
        let result = unsafe {
            libc::mincore(std::ptr::without_provenance_mut(at as usize), bytes, resident.as_mut_ptr().cast())
        };
        if result != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOMEM) {
            return false;
        }
        at += bytes.next_multiple_of(PAGE as usize) as u64;
    }
    true
}
