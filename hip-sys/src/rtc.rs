//! The run-time compiler: results, kinds of input, options of its linker. `hip/hiprtc.h`.

use crate::abi::{abi_values, handle};
use std::ffi::CStr;

handle! {
    /// `hiprtcProgram`
    hiprtcProgram;
    /// `hiprtcLinkState`
    hiprtcLinkState;
}

macro_rules! results {
    ($($value:literal $konst:ident $name:ident;)*) => {
        abi_values! {
            /// `hiprtcResult`
            pub struct hiprtcResult(u32) {
                $($value $konst $name;)*
            }
        }

        impl hiprtcResult {
            /// The enumerator's name; values without one get that of `HIPRTC_ERROR_INTERNAL_ERROR`.
            pub const fn name(self) -> &'static CStr {
                let text = match self.0 {
                    $($value => concat!(stringify!($name), "\0"),)*
                    _ => "HIPRTC_ERROR_INTERNAL_ERROR\0",
                };
                match CStr::from_bytes_with_nul(text.as_bytes()) {
                    Ok(text) => text,
                    Err(_) => panic!("the rows hold no NUL"),
                }
            }
        }
    };
}

results! {
    0 SUCCESS HIPRTC_SUCCESS;
    1 ERROR_OUT_OF_MEMORY HIPRTC_ERROR_OUT_OF_MEMORY;
    2 ERROR_PROGRAM_CREATION_FAILURE HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    3 ERROR_INVALID_INPUT HIPRTC_ERROR_INVALID_INPUT;
    4 ERROR_INVALID_PROGRAM HIPRTC_ERROR_INVALID_PROGRAM;
    5 ERROR_INVALID_OPTION HIPRTC_ERROR_INVALID_OPTION;
    6 ERROR_COMPILATION HIPRTC_ERROR_COMPILATION;
    7 ERROR_BUILTIN_OPERATION_FAILURE HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    8 ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    9 ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    10 ERROR_NAME_EXPRESSION_NOT_VALID HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    11 ERROR_INTERNAL_ERROR HIPRTC_ERROR_INTERNAL_ERROR;
    100 ERROR_LINKING HIPRTC_ERROR_LINKING;
}

abi_values! {
    /// `hiprtcJITInputType`; the values below 100 are NVIDIA's.
    pub struct hiprtcJITInputType(u32) {
        100 LLVM_BITCODE HIPRTC_JIT_INPUT_LLVM_BITCODE;
        101 LLVM_BUNDLED_BITCODE HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE;
        102 LLVM_ARCHIVES_OF_BUNDLED_BITCODE HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE;
    }
}

abi_values! {
    /// `hiprtcJIT_option`; the values below 25 are NVIDIA's.
    pub struct hiprtcJIT_option(u32) {
        10000 IR_TO_ISA_OPT_EXT HIPRTC_JIT_IR_TO_ISA_OPT_EXT;
        10001 IR_TO_ISA_OPT_COUNT_EXT HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT;
    }
}
