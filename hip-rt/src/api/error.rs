//! Errors.

use crate::error::Result;
use crate::ffi::Out;
use crate::{state, tls};
use hip_sys::{Major, hipError_t};
use std::ffi::c_char;

/// Until HIP 6 a success replaces an error; HIP 7 keeps errors until they are asked for.
fn last(take: bool) -> hipError_t {
    if state::major() < Major::Seven { tls::last_result(take) } else { tls::last_error(take) }
}

pub fn get_last_error() -> hipError_t {
    last(true)
}

pub fn peek_at_last_error() -> hipError_t {
    last(false)
}

pub fn get_last_result() -> hipError_t {
    tls::last_result(true)
}

pub fn name(error: hipError_t) -> *const c_char {
    error.name().as_ptr()
}

pub fn text(error: hipError_t) -> *const c_char {
    error.text().as_ptr()
}

pub fn drv_name(error: hipError_t, name: Out<*const c_char>) -> Result {
    named(error, name, error.name().as_ptr())
}

pub fn drv_text(error: hipError_t, text: Out<*const c_char>) -> Result {
    named(error, text, error.text().as_ptr())
}

fn named(error: hipError_t, place: Out<*const c_char>, text: *const c_char) -> Result {
    if !hipError_t::ALL.contains(&error) {
        place.set_if_wanted(std::ptr::null());
        return Err(hipError_t::INVALID_VALUE);
    }
    place.set(text)
}
