//! Calls that return text or structs: a stub's number would be taken for a pointer.

use crate::export::Fallback;
use crate::ffi::Out;
use hip_sys::hipChannelFormatDesc;
use std::ffi::{c_char, c_uint};

impl Fallback for hipChannelFormatDesc {
    fn fallback() -> Self {
        Self::default()
    }
}

impl Fallback for usize {
    fn fallback() -> Self {
        0
    }
}

pub fn api_name(_: c_uint) -> *const c_char {
    c"unknown".as_ptr()
}

pub fn no_text() -> *const c_char {
    c"".as_ptr()
}

pub fn no_id() -> usize {
    0
}

pub fn no_header(header: Out<*const c_char>, size: Out<c_uint>) {
    header.set_if_wanted(std::ptr::null());
    size.set_if_wanted(0);
}
