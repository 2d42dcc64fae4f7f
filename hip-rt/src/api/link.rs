//! The runtime's linker of LLVM bitcode, which is hiprtc's by other names: the kinds of input and the options have the same
//! numbers. `hip/hip_runtime_api.h`, "hipLinkCreate".

use crate::error::Result;
use hip_sys::{hipError_t, hiprtcJIT_option, hiprtcJITInputType, hiprtcLinkState, hiprtcResult};
use hiprtc::ffi::{Array, Out, Text};
use std::ffi::{c_uint, c_void};

fn result(result: hiprtcResult) -> Result {
    match result {
        hiprtcResult::SUCCESS => Ok(()),
        hiprtcResult::ERROR_INVALID_INPUT | hiprtcResult::ERROR_INVALID_OPTION => {
            Err(hipError_t::INVALID_VALUE)
        }
        hiprtcResult::ERROR_PROGRAM_CREATION_FAILURE | hiprtcResult::ERROR_LINKING => {
            Err(hipError_t::INVALID_IMAGE)
        }
        _ => Err(hipError_t::UNKNOWN),
    }
}

pub fn create(
    count: c_uint,
    options: Array<hiprtcJIT_option>,
    values: Array<usize>,
    state: Out<hiprtcLinkState>,
) -> Result {
    result(hiprtc::hiprtcLinkCreate(count, options, values, state))
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn add_data(
    state: hiprtcLinkState,
    kind: hiprtcJITInputType,
    data: *const c_void,
    size: usize,
    name: Text,
    count: c_uint,
    options: Array<hiprtcJIT_option>,
    values: Array<usize>,
) -> Result {
    result(hiprtc::hiprtcLinkAddData(state, kind, data, size, name, count, options, values))
}

pub fn add_file(
    state: hiprtcLinkState,
    kind: hiprtcJITInputType,
    path: Text,
    count: c_uint,
    options: Array<hiprtcJIT_option>,
    values: Array<usize>,
) -> Result {
    result(hiprtc::hiprtcLinkAddFile(state, kind, path, count, options, values))
}

pub fn complete(state: hiprtcLinkState, code: Out<*const c_void>, size: Out<usize>) -> Result {
    result(hiprtc::hiprtcLinkComplete(state, code, size))
}

pub fn destroy(state: hiprtcLinkState) -> Result {
    result(hiprtc::hiprtcLinkDestroy(state))
}
