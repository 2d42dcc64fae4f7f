//! HIP source to code objects at run time, by the clang that is installed.
//!
//! What `hiprtc` does, as a Rust library without `unsafe`; `hiprtc-rs/capi` is the C library above it. Nothing of a compiler
//! is in here: clang runs as a subprocess, and what it made is kept by its content, so that it runs once.
//!
//! - [`Compiler`]: which clang, headers and device libraries, and in which order they are looked for
//! - [`Program`]: a source with its headers and name expressions; [`Built`]: what became of it
//! - [`Linker`]: LLVM bitcode to a code object
//! - [`Cache`]: results of earlier runs
//!
//! ```no_run
//! let compiler = hiprtc_rs::Compiler::find()?;
//! let mut program = hiprtc_rs::Program::new("__global__ void fill(int *p) { *p = 42; }", "fill.hip")?;
//! program.add_name_expression("fill");
//! let built = program.build(&compiler, &hiprtc_rs::Cache::from_environment(), &[], Some("gfx90a"))?;
//! assert_eq!(built.names["fill"], "_Z4fillPi");
//! # Ok::<(), hiprtc_rs::Error>(())
//! ```

mod cache;
mod command;
mod compiler;
mod device_libs;
mod error;
mod linker;
mod names;
mod options;
mod program;

pub use cache::Cache;
pub use compiler::Compiler;
pub use error::Error;
pub use linker::Linker;
pub use program::{Built, Program};
