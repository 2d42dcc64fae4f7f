//! What the compiler's constructors call. Registration never fails a program's start.

use crate::ffi::{Out, Text};
use crate::register::{self, FatBinary, Function, Managed, Variable};
use crate::state::state;
use std::ffi::{c_int, c_uint, c_void};

type Handle = *mut *const c_void;
type Ptr = *const c_void;

pub fn fat_binary(wrapper: Ptr) -> Handle {
    // First of all: it is what starts the story, if one is wanted.
    let registry = &state().registry;
    match FatBinary::new(wrapper.expose_provenance() as u64) {
        Some(binary) => std::ptr::without_provenance_mut(registry.add_binary(binary)),
        None => std::ptr::null_mut(),
    }
}

pub fn unregister_fat_binary(handle: Handle) {
    register::unregister(handle.addr());
}

#[allow(clippy::too_many_arguments, reason = "the ABI of the compiler")]
pub fn function(
    handle: Handle,
    host: Ptr,
    _: Text,
    name: Text,
    _: c_uint,
    _: Ptr,
    _: Ptr,
    _: Ptr,
    _: Ptr,
    _: Ptr,
) {
    if let (Some(binary), Ok(name)) = (state().registry.binary(handle.addr()), name.get()) {
        state().registry.add_function(host.addr(), Function::new(binary, name));
    }
}

#[allow(clippy::too_many_arguments, reason = "the ABI of the compiler")]
pub fn variable(handle: Handle, shadow: Ptr, _: Text, name: Text, _: c_int, _: usize, _: c_int, _: c_int) {
    if let (Some(binary), Ok(name)) = (state().registry.binary(handle.addr()), name.get()) {
        state().registry.add_variable(shadow.addr(), Variable::new(binary, name));
    }
}

pub fn managed(
    handle: Handle,
    pointer: Out<*mut c_void>,
    initial: Ptr,
    name: Text,
    size: usize,
    align: c_uint,
) {
    if let (Some(binary), Ok(name)) = (state().registry.binary(handle.addr()), name.get()) {
        let managed = Managed::new(name, size, align as usize, initial);
        pointer.set_if_wanted(std::ptr::with_exposed_provenance_mut(managed.host() as usize));
        binary.add_managed(managed);
    }
}

pub fn surface(handle: Handle, shadow: Ptr, host_name: Text, name: Text, _: c_int, _: c_int) {
    variable(handle, shadow, host_name, name, 0, 0, 0, 0);
}

pub fn texture(handle: Handle, shadow: Ptr, host_name: Text, name: Text, _: c_int, _: c_int, _: c_int) {
    variable(handle, shadow, host_name, name, 0, 0, 0, 0);
}
