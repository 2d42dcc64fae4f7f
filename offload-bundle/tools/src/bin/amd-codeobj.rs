//! `amd-codeobj`: kernels, metadata, symbols and relocations of code objects, wherever they stand. All of it is in
//! [`rocm_binutils::amd_codeobj`].

use std::process::ExitCode;

fn main() -> ExitCode {
    rocm_binutils::amd_codeobj::main()
}
