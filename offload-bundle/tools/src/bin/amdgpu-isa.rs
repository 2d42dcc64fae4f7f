//! `amdgpu-isa`: machine code as text, and what of it is run here. All of it stands in [`rocm_binutils::amdgpu_isa`].

use std::process::ExitCode;

fn main() -> ExitCode {
    rocm_binutils::amdgpu_isa::main()
}
