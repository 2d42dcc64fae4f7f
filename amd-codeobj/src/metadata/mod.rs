//! Code object metadata: what the compiler tells the runtime about kernels and their arguments.
//! Answers to "Code Object V3 (and later) Metadata" of LLVM's AMDGPU guide. The note holds MessagePack.

mod arg;
mod kernel;
mod path;
mod reader;
mod value;
mod words;
mod yaml;

pub use arg::Arg;
pub use kernel::Kernel;
pub use value::Value;
pub use words::{Access, AddressSpace, ValueKind};
pub use yaml::yaml;

use alloc::string::String;
use alloc::vec::Vec;

use crate::Error;
use path::Path;
use reader::Reader;
use value::{FromMetadata, read_map, sorted};

/// Deeper nesting than this is refused; real metadata nests five deep.
const MAX_DEPTH: usize = 32;

/// The metadata of a code object.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// `amdhsa.version`: \[1, 0\] in code objects v3, \[1, 1\] in v4, \[1, 2\] in v5, \[1, 2\] or \[1, 3\] in v6.
    pub version: (u32, u32),
    /// `amdhsa.target`: `amdgcn-amd-amdhsa--gfx90a` (v4 and later).
    pub target: Option<String>,
    /// `amdhsa.printf`: format strings of `printf` calls that are not made through hostcalls.
    pub printf: Vec<String>,
    /// `amdhsa.kernels`.
    pub kernels: Vec<Kernel>,
    /// Keys that are not known here, as they stand.
    pub other: Vec<(String, Value)>,
    /// Indices of `kernels` in order of their names.
    by_name: Vec<u32>,
}

/// The root map of the note.
struct Root {
    version: [u32; 2],
    target: Option<String>,
    printf: Vec<String>,
    kernels: Vec<Kernel>,
    other: Vec<(String, Value)>,
}

impl Metadata {
    /// Reads metadata from the content of the note; `offset` is its place in the file, for errors.
    pub fn parse(desc: &[u8], offset: u64) -> Result<Metadata, Error> {
        let (reader, path) = (&mut Reader::new(desc, offset), &Path::Root(offset));
        let root = read_map!(reader, path, Root {
            version: "amdhsa.version" required,
            target: "amdhsa.target" optional,
            printf: "amdhsa.printf" default,
            kernels: "amdhsa.kernels" default,
        });
        let Root { version: [major, minor], target, printf, kernels, other } = root;
        let mut by_name: Vec<u32> = (0..kernels.len() as u32).collect();
        by_name.sort_by(|&a, &b| kernels[a as usize].name.cmp(&kernels[b as usize].name));
        Ok(Metadata { version: (major, minor), target, printf, kernels, other, by_name })
    }

    /// The kernel of this name, found among many as fast as among few.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        let name_of = |&index: &u32| self.kernels.get(index as usize).map_or("", |kernel| &kernel.name);
        let found = self.by_name.binary_search_by(|index| name_of(index).cmp(name)).ok();
        let kernel = found.and_then(|found| self.kernels.get(self.by_name[found] as usize));
        // `kernels` is public and may have been changed since.
        let named = |kernel: &&Kernel| kernel.name == name;
        kernel.filter(named).or_else(|| self.kernels.iter().find(named))
    }
}
