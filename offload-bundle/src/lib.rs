//! Fat binaries of GPU programs (Clang offload bundles), read wherever they stand, checked, and made.
//!
//! The code for each GPU that a program supports, taken out of the program, library, object or archive it was linked
//! into; and which of it an agent runs, as the HIP runtime chooses:
//!
//! ```no_run
//! use offload_bundle::{Bundle, Container, DEFAULT_LIMIT, select};
//! let file = std::fs::read("librocrand.so.1")?;
//! let agent = "gfx90a:sramecc+:xnack-".parse()?;
//! for located in Container::parse(&file)?.images() {
//!     let Some(content) = located?.image.bundle_bytes(DEFAULT_LIMIT)? else { continue };
//!     match select(Bundle::parse(&content)?.entries(), &agent) {
//!         Ok(choice) => println!("{}: {} bytes ({})", choice.entry.id, choice.entry.size, choice.why),
//!         Err(none) => println!("{none}"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! - [`Container`]: any file. Host ELF files and static archives by their section headers, or a bare fat binary; it gives
//!   [`Section`]s, and [`Located`] images by their offset in the file.
//! - [`Image`]: what starts at some bytes, of whatever kind; [`Walk`] goes over several in one section, by their sizes and
//!   never by searching for a magic, which may occur in a payload.
//! - [`Bundle`]: the raw form, with its [`Entry`]s; [`Table`] is its head alone; [`Bundle::check`] is the linter.
//! - [`Compressed`]: the form `CCOB`, versions 1 to 3, zlib or Zstandard.
//! - [`kpack`]: `.kpack` archives, and the reference that programs of newer ROCm have in place of a fat binary.
//! - [`FatBinaryWrapper`]: what a program registers with the runtime.
//! - [`EntryId`] and [`select()`]: whom an entry is for, which one an agent gets, and why none of the others.
//! - `BundleBuilder` and `compress`: making bundles.
//!
//! # Rules
//!
//! - Nothing is copied from a raw bundle, nothing is unpacked before it is asked for and never beyond the caller's bound.
//!   Of a mapped file only headers are touched: a library of a gigabyte is listed in a millisecond.
//! - Data may extend past what is read from it: a runtime knows where a fat binary starts, not where it ends.
//! - What comes from a file is checked before it is believed; no input makes a reader panic. Iterators give an [`Error`]
//!   once and then end. Every error has the offset in the file of the thing that it is about.
//! - Entries may overlap, and an entry without bytes stands anywhere: they are read by offset, as LLVM's tools and the
//!   HIP runtime do. [`Bundle::check`] tells.
//!
//! # Features
//!
//! `zlib` and `zstd` (both on) unpack and write those forms; headers are read without them. `std` (on) is what they need;
//! without it the readers use `alloc` alone. The writer needs all three.
//!
//! The forms answer to "Clang Offload Bundler" of Clang's manual and to LLVM's `OffloadBundler.cpp`, choosing an entry to
//! the HIP runtime (CLR).
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
