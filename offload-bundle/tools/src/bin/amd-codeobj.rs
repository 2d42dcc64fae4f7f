//! `amd-codeobj`: to be written.

use std::process::ExitCode;

fn main() -> ExitCode {
    rocm_binutils::run("amd-codeobj", || Err(rocm_binutils::Error::Other("not there yet".to_owned())))
}
