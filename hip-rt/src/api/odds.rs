//! Calls that return text or structs: a stub's number would be taken for a pointer.

use crate::export::Fallback;
use crate::ffi::Out;
use std::ffi::{c_char, c_int, c_uint};

/// `hipChannelFormatDesc`
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChannelFormat {
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
}
const _: () = assert!(size_of::<ChannelFormat>() == 20);

impl Fallback for ChannelFormat {
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

pub fn channel_format(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> ChannelFormat {
    ChannelFormat { x, y, z, w, kind }
}

pub fn no_header(header: Out<*const c_char>, size: Out<c_uint>) {
    header.set_if_wanted(std::ptr::null());
    size.set_if_wanted(0);
}
