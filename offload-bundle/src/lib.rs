//! Clang offload bundles, the fat binaries of HIP programs: raw, compressed, and choosing the entry for an agent.
//!
//! Answers to "Clang Offload Bundler" of Clang's manual, to `OffloadBundler.cpp` for the compressed form, and to the
//! HIP runtime (CLR) for which entry an agent gets.
//!
//! ```no_run
//! use offload_bundle::{DEFAULT_LIMIT, Image, select};
//! let file = std::fs::read("program.hipfb")?;
//! let unpacked;
//! let bundle = match Image::recognise(&file)? {
//!     Image::Raw(bundle) => bundle,
//!     Image::Compressed(compressed) => {
//!         unpacked = compressed.decompress(DEFAULT_LIMIT)?;
//!         offload_bundle::Bundle::parse(&unpacked)?
//!     }
//!     _ => return Ok(()),
//! };
//! let choice = select(bundle.entries(), &"gfx90a:sramecc+:xnack-".parse()?)?;
//! println!("{} bytes of {}", choice.entry.size, choice.entry.id);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing is copied from a raw bundle, nothing is decompressed before it is asked for and never beyond the caller's
//! bound, and data may extend past the bundle: a runtime knows where a fat binary starts, not where it ends.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod bundle;
mod bytes;
mod check;
mod compressed;
mod container;
mod entry_id;
mod error;
mod image;
pub mod kpack;
mod select;
mod table;
mod unpack;
mod walk;
mod wrapper;
#[cfg(all(feature = "std", feature = "zlib", feature = "zstd"))]
mod write;

pub use bundle::{Bundle, Entries, Entry};
pub use check::{Fault, Finding, Level};
pub use compressed::{Compressed, DEFAULT_LIMIT, Method};
pub use container::{Container, ContainerKind, Images, Section, SectionKind, Sections};
pub use entry_id::{EntryId, EntryIdError, OffloadKind};
pub use error::Error;
pub use image::{Image, ImageKind};
pub use select::{
    Candidate, Choice, NoMatch, Options, Reason, Rejected, Why, select, select_with, why, why_with,
};
pub use table::{Record, Records, Table};
pub use walk::{Located, Walk};
pub use wrapper::FatBinaryWrapper;
#[cfg(all(feature = "std", feature = "zlib", feature = "zstd"))]
pub use write::{
    BundleBuilder, CcobVersion, CompressOptions, HOST_ID, NewEntry, WriteError, check_id, code_id, compress,
};
