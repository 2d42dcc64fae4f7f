//! What can be wrong with a code object. Each variant names the thing that was read and its offset in the file.

use alloc::string::String;

/// A code object that cannot be read, and where reading stopped. Offsets count from the first byte of the code object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file ends inside something.
    #[error("truncated {what}: {need} bytes at offset {offset:#x}, but the data ends at {have:#x}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// How many bytes it takes.
        need: u64,
        /// Length of the data.
        have: u64,
    },
    /// The first four bytes are not those of an ELF file.
    #[error("not an ELF file: it starts with {found:02x?} at offset 0, not with 7f 45 4c 46")]
    NotElf {
        /// The bytes found.
        found: [u8; 4],
    },
    /// An ELF file, but not one for an AMD GPU.
    #[error("not an AMDGPU code object: {what} at offset {offset:#x} is {found}, expected {expected}")]
    NotAmdGpu {
        /// The header field.
        what: &'static str,
        /// Its offset.
        offset: u64,
        /// Its value.
        found: u64,
        /// The value of a code object.
        expected: u64,
    },
    /// `EI_ABIVERSION` names no code object version that is known.
    #[error(
        "unknown code object version: ELF ABI version {abi_version} at offset 0x8 (0 to 4 are known: v2 to v6)"
    )]
    UnknownVersion {
        /// The value found.
        abi_version: u8,
    },
    /// The MACH field of `e_flags` names no processor that is known.
    #[error("unknown processor: EF_AMDGPU_MACH {mach:#04x} in e_flags at offset 0x30")]
    UnknownMachine {
        /// The value found.
        mach: u8,
    },
    /// A header or table entry holds a value that makes no sense.
    #[error("bad {what} at offset {offset:#x}: {value:#x} ({why})")]
    BadField {
        /// The field.
        what: &'static str,
        /// Its offset, or that of the structure it is in.
        offset: u64,
        /// Its value.
        value: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A name that is not UTF-8 or has no end.
    #[error("bad {what} at offset {offset:#x}: {why}")]
    BadString {
        /// Whose name.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A virtual address that no loadable segment backs with file bytes.
    #[error("{what}: {size} bytes at virtual address {vaddr:#x} are in no loadable segment's file bytes")]
    NotMapped {
        /// What was to be read.
        what: &'static str,
        /// The address.
        vaddr: u64,
        /// How many bytes.
        size: u64,
    },
    /// The code object has no metadata note.
    #[error("no AMDGPU metadata note (owner \"AMDGPU\", type 32) in this v{version} code object")]
    NoMetadata {
        /// Its version.
        version: u8,
    },
    /// Version 2 metadata is YAML text, which is not interpreted: see [`crate::CodeObject::metadata_text`].
    #[error(
        "metadata of a v2 code object at offset {offset:#x} is YAML, which is handed out as text only: see CodeObject::metadata_text"
    )]
    MetadataV2 {
        /// Where the text starts.
        offset: u64,
    },
    /// The metadata note is not well-formed MessagePack.
    #[error("metadata at offset {offset:#x} is not well-formed MessagePack: {reason}")]
    MessagePack {
        /// Where reading stopped.
        offset: u64,
        /// What is wrong there.
        reason: &'static str,
    },
    /// A metadata key stands twice in one map.
    #[error("metadata (note at offset {offset:#x}) has {path} twice")]
    DuplicateKey {
        /// Where the metadata starts.
        offset: u64,
        /// The key's path.
        path: String,
    },
    /// A metadata key that must be there is not.
    #[error("metadata (note at offset {offset:#x}) lacks {path}")]
    MissingKey {
        /// Where the metadata starts.
        offset: u64,
        /// The key's path, like `amdhsa.kernels[0].name`.
        path: String,
    },
    /// A metadata value has the wrong type or range.
    #[error("metadata (note at offset {offset:#x}): {path} is {found}, expected {expected}")]
    BadValue {
        /// Where the metadata starts.
        offset: u64,
        /// The key's path.
        path: String,
        /// What is there.
        found: String,
        /// What should be.
        expected: &'static str,
    },
    /// The debug information cannot be read.
    #[error("debug information at offset {offset:#x}: {reason}")]
    Dwarf {
        /// Where it starts.
        offset: u64,
        /// What the decoder says.
        reason: String,
    },
    /// No symbol of this name.
    #[error("no symbol {name:?} in the code object")]
    NoSuchSymbol {
        /// The name asked for.
        name: String,
    },
    /// The ELF library refused a structure that passed our own checks.
    #[error("unreadable {what} at offset {offset:#x}: {reason}")]
    Elf {
        /// The structure.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// What the library says.
        reason: String,
    },
}
