//! What must hold for any input of the parsers: the bodies of the fuzz targets in `fuzz/fuzz_targets`, and the inputs
//! that fuzzing starts from.
//!
//! Each check takes bytes, reads all that can be read from them, and panics where a promise of the parsers is broken.
//! An ordinary test runs every check over every seed, so that the targets cannot rot between two runs of the fuzzer.
#![forbid(unsafe_code)]

mod bundle;
mod code_object;
mod container;
mod descriptor;
mod ids;
mod iter;
mod kpack;
mod metadata;
pub mod seeds;

/// A check by its name, which is also the name of its fuzz target and of the folder of its seeds.
pub type Check = (&'static str, fn(&[u8]));

/// Every check.
pub const CHECKS: &[Check] = &[
    ("bundle", bundle::bundle),
    ("ccob", bundle::ccob),
    ("kpack", kpack::kpack),
    ("container", container::container),
    ("entry_id", ids::entry_id),
    ("select", ids::select),
    ("code_object", code_object::code_object),
    ("metadata", metadata::metadata),
    ("kernel_descriptor", descriptor::kernel_descriptor),
];

/// What a caller with little memory allows for one thing that is unpacked, in bytes.
const LIMIT: u64 = 4 << 20;

/// Runs the check of this name.
///
/// # Panics
/// Where the input shows a fault, and if there is no such check.
pub fn run(name: &str, data: &[u8]) {
    let check = CHECKS.iter().find(|(known, _)| *known == name);
    let (_, check) = check.unwrap_or_else(|| panic!("no check is called {name}"));
    check(data);
}
