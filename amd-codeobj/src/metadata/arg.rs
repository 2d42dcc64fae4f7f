//! Metadata of one kernel argument: "AMDHSA Code Object Kernel Argument Metadata Map" of LLVM's AMDGPU guide.

use alloc::string::String;
use alloc::vec::Vec;

use super::Value;
use super::path::Path;
use super::reader::Reader;
use super::value::{FromMetadata, read_map, sorted};
use super::{Access, AddressSpace, ValueKind};
use crate::Error;

/// One kernel argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    /// Its name in the source, if the compiler kept it.
    pub name: Option<String>,
    /// Its type's name in the source.
    pub type_name: Option<String>,
    /// Where it stands in the kernel arguments.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// What it is.
    pub value_kind: ValueKind,
    /// Alignment of what a dynamic LDS pointer points at.
    pub pointee_align: Option<u32>,
    /// What it points at.
    pub address_space: Option<AddressSpace>,
    /// Reading, writing or both, as declared.
    pub access: Option<Access>,
    /// The same, as the compiler found the kernel to use it.
    pub actual_access: Option<Access>,
    /// `const`.
    pub is_const: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `pipe`.
    pub is_pipe: bool,
    /// Keys that are not known here, as they stand.
    pub other: Vec<(String, Value)>,
}

impl FromMetadata for Arg {
    /// The names of the required keys alone have as many.
    const LEAST_BYTES: usize = 32;

    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<Arg, Error> {
        Ok(read_map!(reader, path, Arg {
            name: ".name" optional,
            type_name: ".type_name" optional,
            offset: ".offset" required,
            size: ".size" required,
            value_kind: ".value_kind" required,
            pointee_align: ".pointee_align" optional,
            address_space: ".address_space" optional,
            access: ".access" optional,
            actual_access: ".actual_access" optional,
            is_const: ".is_const" default,
            is_restrict: ".is_restrict" default,
            is_volatile: ".is_volatile" default,
            is_pipe: ".is_pipe" default,
        }))
    }
}

impl Arg {
    /// One past its last byte in the kernel arguments.
    pub const fn end(&self) -> u64 {
        self.offset as u64 + self.size as u64
    }
}
