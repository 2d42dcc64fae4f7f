//! `offload-bundle`: list, take apart, make and check fat binaries. All of it stands in [`rocm_binutils::offload_bundle`].

use std::process::ExitCode;

fn main() -> ExitCode {
    rocm_binutils::offload_bundle::main()
}
