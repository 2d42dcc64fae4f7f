//! Code object metadata: what the compiler tells the runtime about kernels and their arguments.
//! Answers to "Code Object V3 (and later) Metadata" of LLVM's AMDGPU guide. The note holds MessagePack.

mod arg;
mod kernel;
mod value;
mod yaml;

pub use arg::{Arg, ValueKind};
pub use kernel::Kernel;
pub use rmpv::Value;
pub use yaml::yaml;

use rmpv::ValueRef;

use crate::Error;
use value::{Map, Path};

/// Deeper nesting than this is refused; real metadata nests five deep.
const MAX_DEPTH: usize = 32;

/// The metadata of a code object.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// `amdhsa.version`: \[1, 0\] in code objects v3, \[1, 1\] in v4, \[1, 2\] in v5 and v6.
    pub version: (u32, u32),
    /// `amdhsa.target`: `amdgcn-amd-amdhsa--gfx90a` (v4 and later).
    pub target: Option<String>,
    /// `amdhsa.printf`: format strings of `printf` calls that are not made through hostcalls.
    pub printf: Vec<String>,
    /// `amdhsa.kernels`.
    pub kernels: Vec<Kernel>,
    /// Keys that are not known here, as they stand.
    pub other: Vec<(String, Value)>,
}

impl Metadata {
    /// Reads metadata from the content of the note; `offset` is its place in the file, for errors.
    pub fn parse(desc: &[u8], offset: u64) -> Result<Metadata, Error> {
        let root = decode(desc, offset)?;
        let path = Path::Root(offset);
        let mut root = Map::new(root, &path)?;
        let version: Vec<u32> = root.required("amdhsa.version", &path)?;
        let version = match version[..] {
            [major, minor] => (major, minor),
            _ => return Err(path.key("amdhsa.version").bad("another number of elements", "two integers")),
        };
        let kernels_path = path.key("amdhsa.kernels");
        let kernels = value::list(root.take("amdhsa.kernels"), &kernels_path, Kernel::parse)?;
        Ok(Metadata {
            version,
            target: root.optional("amdhsa.target", &path)?,
            printf: root.optional("amdhsa.printf", &path)?.unwrap_or_default(),
            kernels: kernels.unwrap_or_default(),
            other: root.into_other(&path)?,
        })
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// The tree of MessagePack values at the start of a note's content.
fn decode(desc: &[u8], offset: u64) -> Result<ValueRef<'_>, Error> {
    let mut rest = desc;
    rmpv::decode::read_value_ref_with_max_depth(&mut rest, MAX_DEPTH).map_err(|error| {
        let at = offset + (desc.len() - rest.len()) as u64;
        Error::MessagePack { offset: at, reason: error.to_string() }
    })
}
