//! What C callers hand over: pointers to results, structs, arrays.
//!
//! The API promises that such a pointer is null or good for the access that a call documents. This file is where that
//! promise is used, so that the bodies in `api/` hold no `unsafe`.

#![allow(unsafe_code, reason = "reads and writes through pointers that a C caller passes by contract")]

use crate::abi::status::{Result, Status};

/// A C caller's pointer to one `T` or an array of them.
#[repr(transparent)]
#[derive(Debug)]
pub struct Ptr<T>(*mut T);

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ptr<T> {}

impl<T: Copy> Ptr<T> {
    /// The pointer with that address.
    pub fn at(address: u64) -> Ptr<T> {
        Ptr(address as *mut T)
    }

    /// Its address.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// Was none passed?
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads; `INVALID_PARAMETER` for null.
    pub fn get(self) -> Result<T> {
        if self.0.is_null() {
            return Err(Status::INVALID_PARAMETER);
        }
        // SAFETY: not null, and the API's contract makes it good for one read of `T`, wherever it is aligned.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Writes; `INVALID_PARAMETER` for null.
    pub fn set(self, value: T) -> Result<()> {
        if self.0.is_null() {
            return Err(Status::INVALID_PARAMETER);
        }
        // SAFETY: not null, and the API's contract makes it good for one write of `T`, wherever it is aligned.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes if the caller wants it.
    pub fn set_if_wanted(self, value: T) {
        let _ = self.set(value);
    }

    /// Reads an array; `INVALID_PARAMETER` for null, but for an array of nothing.
    pub fn array(self, count: usize) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Status::INVALID_PARAMETER);
        }
        // SAFETY: as in `get`, for `count` elements.
        Ok((0..count).map(|at| unsafe { self.0.add(at).read_unaligned() }).collect())
    }

    /// Writes an array.
    pub fn set_array(self, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        if self.0.is_null() {
            return Err(Status::INVALID_PARAMETER);
        }
        for (at, value) in values.iter().enumerate() {
            // SAFETY: as in `set`, for as many elements as the call's contract says.
            unsafe { self.0.add(at).write_unaligned(*value) };
        }
        Ok(())
    }
}

/// A struct that the library gives out by pointer and the caller gives back.
pub fn give_out<T: Copy>(value: T) -> Ptr<T> {
    Ptr(Box::into_raw(Box::new(value)))
}

/// Takes back what [`give_out`] gave. The caller of this function has found the pointer in a list of those given out.
pub fn take_back<T: Copy>(given: Ptr<T>) {
    // SAFETY: made by `give_out`, and taken from the list of what is out, so that it is taken back once.
    drop(unsafe { Box::from_raw(given.0) });
}

/// Memory that the C caller gives back with `free`. Null if there is none.
pub fn malloc(bytes: &[u8]) -> Ptr<u8> {
    // SAFETY: asks for memory; a size of 0 is legal.
    let at = unsafe { libc::malloc(bytes.len()) }.cast::<u8>();
    if !at.is_null() {
        // SAFETY: fresh, and as long as `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
    }
    Ptr(at)
}
