//! AMDGPU code objects: the ELF files that AMD GPUs run, read without a GPU and without ROCm.
//!
//! Answers to the chapters "Code Object", "Code Object Metadata" and "Kernel Descriptor" of LLVM's *User Guide for
//! AMDGPU Backend*. Code object versions 4, 5 and 6 are read in full, version 3 as well (its metadata is the same
//! MessagePack), version 2 is recognised and its symbols and segments are read.
//!
//! ```no_run
//! use amd_codeobj::CodeObject;
//! let file = std::fs::read("kernels.co")?;
//! let object = CodeObject::parse(&file)?;
//! println!("code object v{} for {}", object.version(), object.target_id()?);
//! for kernel in object.metadata()?.kernels {
//!     println!("{}: {} VGPRs, {} bytes of kernel arguments", kernel.name, kernel.vgpr_count, kernel.kernarg_segment_size);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The parsers borrow from the bytes they are given, check every length and offset before use, and return a typed
//! [`Error`] that names the offset; no input makes them panic. Chips and generations are data: see [`Isa`] and
//! [`Generation`].
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
mod section;
mod symbol;
mod target_id;

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
pub use object::{CodeObject, ObjectKind};
pub use occupancy::{ComputeUnit, Limit, Occupancy, Resources};
pub use relocation::{Relocation, RelocationKind, RelocationSection, Relocations};
pub use rsrc::{KernargPreload, KernelCodeProperties, Rsrc1, Rsrc2, Rsrc3};
pub use section::{Section, SectionFlags, SectionKind, Sections};
pub use symbol::{Binding, Symbol, SymbolKind, Symbols, Visibility};
pub use target_id::{Feature, Fit, Mismatch, TargetId, TargetIdError};
