//! AMDGPU code objects: the ELF files that AMD GPUs run, read without a GPU and without ROCm.
//!
//! Answers to the chapters "Code Object", "Code Object Metadata" and "Kernel Descriptor" of LLVM's *User Guide for
//! AMDGPU Backend*. Code objects of versions 3 to 6 are read in full, linked and relocatable; those of version 2 as well,
//! but for their metadata, which is YAML and is handed out as text.
//!
//! ```no_run
//! use amd_codeobj::CodeObject;
//! let file = std::fs::read("kernels.co")?;
//! let object = CodeObject::parse(&file)?;
//! println!("code object v{} for {}", object.version(), object.target_id()?);
//! for kernel in object.metadata()?.kernels {
//!     let descriptor = object.kernel_descriptor(&object.symbol(&kernel.symbol)?)?;
//!     let generation = object.isa()?.generation;
//!     let waves = generation.occupancy(&kernel.resources()).waves;
//!     println!("{}: {} VGPRs, {waves} waves a SIMD", kernel.name, descriptor.vgprs(generation));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | answer |
//! |---|---|
//! | which processor, which features | [`CodeObject::target_id`], [`CodeObject::isa`], [`TargetId::fits`] |
//! | kernels, their arguments and resources | [`CodeObject::metadata`]; as YAML: [`CodeObject::metadata_yaml`] |
//! | what the hardware is told | [`CodeObject::kernel_descriptor`], [`KernelDescriptor::fields`] |
//! | how many waves fit | [`Generation::occupancy`] |
//! | what to load, where, with which rights | [`CodeObject::segments`], [`CodeObject::load_size`], [`CodeObject::relocations`] |
//! | names and addresses | [`CodeObject::symbol`], [`CodeObject::symbol_at`], [`CodeObject::kernel_at`] |
//! | which line of the source | [`CodeObject::lines`] |
//!
//! The parsers borrow from the bytes they are given, check every length and offset before use, and return a typed
//! [`Error`] that names the offset; no input makes them panic. Chips and generations are data: see [`Isa`] and
//! [`Generation`].
//!
//! # Features
//!
//! - `dwarf` (default): [`CodeObject::lines`], by gimli and addr2line; needs `std`.
//! - `std` (default): without it the crate is `no_std` and needs `alloc` only.
#![cfg_attr(not(feature = "dwarf"), allow(rustdoc::broken_intra_doc_links, reason = "lines are not there"))]
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bytes;
mod dynamic;
mod error;
mod fields;
mod generation;
mod headers;
mod isa;
mod kernel_descriptor;
#[cfg(feature = "dwarf")]
mod lines;
mod load;
mod lookup;
pub mod metadata;
mod note;
mod object;
mod occupancy;
mod relocation;
mod rsrc;
mod scratch;
mod section;
mod symbol;
mod target_id;
mod v2;

pub use error::Error;
pub use fields::{Field, Word};
pub use generation::{AccVgprs, Generation, Rsrc3Fields, SgprAllocation};
pub use isa::{Isa, Mach};
pub use kernel_descriptor::{KernelDescriptor, UserSgpr, UserSgprs};
#[cfg(feature = "dwarf")]
pub use lines::{Frame, Lines};
pub use load::{Segment, SegmentFlags};
pub use metadata::{Access, AddressSpace, Arg, Kernel, Metadata, ValueKind};
pub use note::{Note, Notes};
pub use object::{Code, CodeObject, ObjectKind};
pub use occupancy::{ComputeUnit, Limit, Occupancy, Resources};
pub use relocation::{Relocation, RelocationKind, RelocationSection, Relocations};
pub use rsrc::{KernargPreload, KernelCodeProperties, Rsrc1, Rsrc2, Rsrc3};
pub use scratch::ScratchLayout;
pub use section::{Section, SectionFlags, SectionKind, Sections};
pub use symbol::{Binding, Symbol, SymbolKind, Symbols, Visibility};
pub use target_id::{Feature, Fit, Mismatch, TargetId, TargetIdError};
pub use v2::KernelCode;
