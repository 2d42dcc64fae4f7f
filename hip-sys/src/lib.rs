//! HIP ABI: types, values and prototypes
//!
//! The C types that cross `libamdhip64.so`'s surface, as `hip/hip_runtime_api.h` and `hip/driver_types.h` define them.
//! Names are C's own. Each struct has its size and every offset checked at compile time where it stands; values that
//! C calls an `enum` are newtypes with named constants, so that a caller's unknown number is only a number.
//!
//! - [`error`]: `hipError_t`, its names and texts
//! - [`types`]: handles, `dim3`, and the values and structs of streams, events, functions and pointers
//! - [`memory`]: copies, pitched memory, memory pools and their flags
//! - [`texture`]: arrays, textures and surfaces
//! - [`graph`]: graphs and stream capture
//! - [`device`]: `hipDeviceProp_t` in the layouts of HIP 5 and HIP 6; [`attribute`]: `hipDeviceAttribute_t`
//! - [`major`]: the ABIs of HIP 5, 6 and 7, and the values that they number differently
//! - [`rtc`]: the run-time compiler
//! - [`exports`]: the names that the library exports, with the symbol version of each

mod abi;
pub mod attribute;
pub mod device;
pub mod error;
pub mod exports;
pub mod graph;
pub mod major;
pub mod memory;
pub mod rtc;
pub mod texture;
pub mod types;

pub use attribute::hipDeviceAttribute_t;
pub use device::{hipDeviceArch_t, hipDeviceProp_tR0000, hipDeviceProp_tR0600};
pub use error::hipError_t;
pub use graph::*;
pub use major::{Major, Numbered, Renumbered};
pub use memory::*;
pub use rtc::*;
pub use texture::*;
pub use types::*;
