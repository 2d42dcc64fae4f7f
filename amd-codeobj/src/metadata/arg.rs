//! Metadata of one kernel argument: "AMDHSA Code Object Kernel Argument Metadata Map" of LLVM's AMDGPU guide.

use std::fmt;

use rmpv::{Value, ValueRef};

use super::value::{FromValue, Map, Path};
use crate::Error;

/// What an argument is, and so who fills it in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueKind {
    /// The value itself: `by_value`.
    ByValue,
    /// A global address: `global_buffer`.
    GlobalBuffer,
    /// LDS whose size the program passes: `dynamic_shared_pointer`.
    DynamicSharedPointer,
    /// A sampler: `sampler`.
    Sampler,
    /// An image: `image`.
    Image,
    /// A pipe: `pipe`.
    Pipe,
    /// A device queue: `queue`.
    Queue,
    /// Work-groups in x (hidden): `hidden_block_count_x`.
    HiddenBlockCountX,
    /// Work-groups in y (hidden): `hidden_block_count_y`.
    HiddenBlockCountY,
    /// Work-groups in z (hidden): `hidden_block_count_z`.
    HiddenBlockCountZ,
    /// Work-items of a work-group in x (hidden): `hidden_group_size_x`.
    HiddenGroupSizeX,
    /// Work-items of a work-group in y (hidden): `hidden_group_size_y`.
    HiddenGroupSizeY,
    /// Work-items of a work-group in z (hidden): `hidden_group_size_z`.
    HiddenGroupSizeZ,
    /// Work-items of the last, partial work-group in x (hidden): `hidden_remainder_x`.
    HiddenRemainderX,
    /// Work-items of the last, partial work-group in y (hidden): `hidden_remainder_y`.
    HiddenRemainderY,
    /// Work-items of the last, partial work-group in z (hidden): `hidden_remainder_z`.
    HiddenRemainderZ,
    /// Dimensions of the grid, 1 to 3 (hidden): `hidden_grid_dims`.
    HiddenGridDims,
    /// Global offset in x (hidden): `hidden_global_offset_x`.
    HiddenGlobalOffsetX,
    /// Global offset in y (hidden): `hidden_global_offset_y`.
    HiddenGlobalOffsetY,
    /// Global offset in z (hidden): `hidden_global_offset_z`.
    HiddenGlobalOffsetZ,
    /// Space that is not used (hidden): `hidden_none`.
    HiddenNone,
    /// Buffer of `printf` (hidden): `hidden_printf_buffer`.
    HiddenPrintfBuffer,
    /// Buffer of hostcalls (hidden): `hidden_hostcall_buffer`.
    HiddenHostcallBuffer,
    /// Queue for device-side enqueue (hidden): `hidden_default_queue`.
    HiddenDefaultQueue,
    /// Completion action of device-side enqueue (hidden): `hidden_completion_action`.
    HiddenCompletionAction,
    /// Structure of multi-grid synchronisation (hidden): `hidden_multigrid_sync_arg`.
    HiddenMultigridSyncArg,
    /// Heap of device-side `malloc` (hidden): `hidden_heap_v1`.
    HiddenHeapV1,
    /// Bytes of dynamic LDS (hidden): `hidden_dynamic_lds_size`.
    HiddenDynamicLdsSize,
    /// High half of the scratch aperture's base (hidden): `hidden_private_base`.
    HiddenPrivateBase,
    /// High half of the LDS aperture's base (hidden): `hidden_shared_base`.
    HiddenSharedBase,
    /// Address of the queue (hidden): `hidden_queue_ptr`.
    HiddenQueuePtr,
    /// A kind that is not known here.
    Other(String),
}

#[rustfmt::skip]
const KINDS: [(&str, ValueKind); 31] = [
    ("by_value", ValueKind::ByValue),
    ("global_buffer", ValueKind::GlobalBuffer),
    ("dynamic_shared_pointer", ValueKind::DynamicSharedPointer),
    ("sampler", ValueKind::Sampler),
    ("image", ValueKind::Image),
    ("pipe", ValueKind::Pipe),
    ("queue", ValueKind::Queue),
    ("hidden_block_count_x", ValueKind::HiddenBlockCountX),
    ("hidden_block_count_y", ValueKind::HiddenBlockCountY),
    ("hidden_block_count_z", ValueKind::HiddenBlockCountZ),
    ("hidden_group_size_x", ValueKind::HiddenGroupSizeX),
    ("hidden_group_size_y", ValueKind::HiddenGroupSizeY),
    ("hidden_group_size_z", ValueKind::HiddenGroupSizeZ),
    ("hidden_remainder_x", ValueKind::HiddenRemainderX),
    ("hidden_remainder_y", ValueKind::HiddenRemainderY),
    ("hidden_remainder_z", ValueKind::HiddenRemainderZ),
    ("hidden_grid_dims", ValueKind::HiddenGridDims),
    ("hidden_global_offset_x", ValueKind::HiddenGlobalOffsetX),
    ("hidden_global_offset_y", ValueKind::HiddenGlobalOffsetY),
    ("hidden_global_offset_z", ValueKind::HiddenGlobalOffsetZ),
    ("hidden_none", ValueKind::HiddenNone),
    ("hidden_printf_buffer", ValueKind::HiddenPrintfBuffer),
    ("hidden_hostcall_buffer", ValueKind::HiddenHostcallBuffer),
    ("hidden_default_queue", ValueKind::HiddenDefaultQueue),
    ("hidden_completion_action", ValueKind::HiddenCompletionAction),
    ("hidden_multigrid_sync_arg", ValueKind::HiddenMultigridSyncArg),
    ("hidden_heap_v1", ValueKind::HiddenHeapV1),
    ("hidden_dynamic_lds_size", ValueKind::HiddenDynamicLdsSize),
    ("hidden_private_base", ValueKind::HiddenPrivateBase),
    ("hidden_shared_base", ValueKind::HiddenSharedBase),
    ("hidden_queue_ptr", ValueKind::HiddenQueuePtr),
];

impl ValueKind {
    /// The text of the metadata.
    pub fn as_str(&self) -> &str {
        match self {
            ValueKind::Other(text) => text,
            known => KINDS.iter().find(|(_, kind)| kind == known).map_or("", |(text, _)| text),
        }
    }

    /// The runtime fills it in, not the program.
    pub fn is_hidden(&self) -> bool {
        self.as_str().starts_with("hidden_")
    }
}

impl From<&str> for ValueKind {
    fn from(text: &str) -> ValueKind {
        let known = KINDS.iter().find(|(known, _)| *known == text);
        known.map_or_else(|| ValueKind::Other(text.to_owned()), |(_, kind)| kind.clone())
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromValue for ValueKind {
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<ValueKind, Error> {
        Ok(ValueKind::from(String::from_value(value, path)?.as_str()))
    }
}

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
    /// "private", "global", "constant", "local", "generic" or "region".
    pub address_space: Option<String>,
    /// "read_only", "write_only" or "read_write", as declared.
    pub access: Option<String>,
    /// The same, as the compiler found the kernel to use it.
    pub actual_access: Option<String>,
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

impl Arg {
    pub(super) fn parse(value: ValueRef<'_>, path: &Path<'_>) -> Result<Arg, Error> {
        let mut map = Map::new(value, path)?;
        Ok(Arg {
            name: map.optional(".name", path)?,
            type_name: map.optional(".type_name", path)?,
            offset: map.required(".offset", path)?,
            size: map.required(".size", path)?,
            value_kind: map.required(".value_kind", path)?,
            pointee_align: map.optional(".pointee_align", path)?,
            address_space: map.optional(".address_space", path)?,
            access: map.optional(".access", path)?,
            actual_access: map.optional(".actual_access", path)?,
            is_const: map.optional(".is_const", path)?.unwrap_or(false),
            is_restrict: map.optional(".is_restrict", path)?.unwrap_or(false),
            is_volatile: map.optional(".is_volatile", path)?.unwrap_or(false),
            is_pipe: map.optional(".is_pipe", path)?.unwrap_or(false),
            other: map.into_other(path)?,
        })
    }

    /// One past its last byte in the kernel arguments.
    pub const fn end(&self) -> u64 {
        self.offset as u64 + self.size as u64
    }
}
