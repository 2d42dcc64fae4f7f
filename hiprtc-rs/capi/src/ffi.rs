//! What C callers hand over: results to fill in, texts, arrays of texts, bytes.

#![allow(unsafe_code, reason = "reads and writes through pointers that a C caller passes by contract")]

use std::ffi::{CStr, c_char, c_void};

/// Where a caller wants a result.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// For callers in Rust.
    pub fn new(place: &mut T) -> Self {
        Self(place)
    }

    /// Stores the result; false where there is no place for it.
    pub fn set(self, value: T) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: not null, and the C API's contract makes it good for one write of `T`.
        unsafe { self.0.write_unaligned(value) };
        true
    }

    /// What is there.
    pub fn get(self) -> Option<T>
    where
        T: Copy,
    {
        // SAFETY: the C API's contract makes it good for a read of `T` where it is not null.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }
}

/// A buffer of the caller's, for as many bytes as it was told.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Buffer(*mut c_char);

impl Buffer {
    /// For callers in Rust.
    pub fn new(bytes: &mut [u8]) -> Self {
        Self(bytes.as_mut_ptr().cast())
    }

    /// Copies all of it; false where there is no buffer.
    pub fn fill(self, bytes: &[u8]) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: not null, and by the C API's contract as large as the call before this one said that the bytes are.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.cast(), bytes.len()) };
        true
    }
}

/// A text of the caller's.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// For callers in Rust.
    pub fn new(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }

    /// No text.
    pub const fn null() -> Self {
        Self(std::ptr::null())
    }

    /// The text, if there is one.
    pub fn get(self) -> Option<String> {
        // SAFETY: the C API's contract makes it a string that ends with NUL where it is not null.
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

/// Texts of the caller's, as many as it says.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Texts(*const Text);

impl Texts {
    /// For callers in Rust.
    pub fn new(texts: &'static [Text]) -> Self {
        Self(texts.as_ptr())
    }

    /// No texts.
    pub const fn null() -> Self {
        Self(std::ptr::null())
    }

    /// An array whose address came as a number.
    pub fn from_address(address: usize) -> Self {
        Self(std::ptr::with_exposed_provenance(address))
    }

    /// All of them; none where an expected one is missing.
    pub fn get(self, count: usize) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for index in 0..count {
            if self.0.is_null() {
                return None;
            }
            // SAFETY: not null, and the C API's contract makes it an array of at least `count` strings.
            texts.push(unsafe { self.0.add(index).read_unaligned() }.get()?);
        }
        Some(texts)
    }
}

/// Elements of the caller's, as many as it says.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Array<T>(*const T);

impl<T: Copy> Array<T> {
    /// For callers in Rust.
    pub fn new(elements: &'static [T]) -> Self {
        Self(elements.as_ptr())
    }

    /// No elements.
    pub const fn null() -> Self {
        Self(std::ptr::null())
    }

    /// One of them, where there is an array.
    pub fn at(self, index: usize) -> Option<T> {
        // SAFETY: the C API's contract makes it an array that has this element where it is not null.
        (!self.0.is_null()).then(|| unsafe { self.0.add(index).read_unaligned() })
    }
}

/// Copies an image of the caller's.
pub fn bytes(from: *const c_void, size: usize) -> Option<Vec<u8>> {
    if from.is_null() || size == 0 {
        return None;
    }
    // SAFETY: not null, and by the C API's contract readable for as many bytes as the caller said.
    Some(unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size) }.to_vec())
}
