//! The reference that a program has in place of a fat binary: section `.rocm_kpack_ref` (`.kpackrf` on Windows).
//! Answers to `elf/kpack_transform.py`, which writes it, and to `runtime/src/loader.cpp`, which reads it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use amd_codeobj::{Feature, TargetId};

use super::msgpack::Reader;
use crate::Error;
use crate::bytes::Bytes;

/// Where a program's code is: a MessagePack map `{kernel_name, kpack_search_paths}`. All wrappers of a program point at
/// the same one; the number of the translation unit stands in the wrapper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The name that the program's code is filed under, usually its path in the installation.
    pub kernel_name: &'a str,
    /// Archives to look in, relative to the program's folder; `@GFXARCH@` stands for the target.
    pub search_paths: Vec<&'a str>,
    size: u64,
}

impl<'a> Reference<'a> {
    /// What stands for the target ID in a search path.
    pub const PLACEHOLDER: &'static str = "@GFXARCH@";

    /// Reads a reference. The data may extend past it: see [`Reference::size`].
    pub fn parse(data: &'a [u8]) -> Result<Reference<'a>, Error> {
        Reference::parse_at(data, 0)
    }

    /// The same for a reference that stands at some offset of a file: errors count from the start of the file.
    pub fn parse_at(data: &'a [u8], file_offset: u64) -> Result<Reference<'a>, Error> {
        const WHAT: &str = "kpack reference";
        let mut reader = Reader::new(Bytes::new(data, file_offset), WHAT);
        let missing = |key| Error::MissingKey { what: WHAT, offset: file_offset, key };
        let (mut kernel_name, mut search_paths) = (None, None);
        for _ in 0..reader.map()? {
            match reader.text()? {
                "kernel_name" => kernel_name = Some(reader.text()?),
                "kpack_search_paths" => {
                    let mut paths = Vec::new();
                    for _ in 0..reader.array()? {
                        paths.push(reader.text()?);
                    }
                    search_paths = Some(paths);
                }
                _ => reader.skip()?,
            }
        }
        Ok(Reference {
            kernel_name: kernel_name.ok_or_else(|| missing("kernel_name"))?,
            search_paths: search_paths.ok_or_else(|| missing("kpack_search_paths"))?,
            size: reader.position(),
        })
    }

    /// Bytes that it takes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The name in the archives of one translation unit's code; `unit` is
    /// [`FatBinaryWrapper::reserved`](crate::FatBinaryWrapper::reserved).
    pub fn archive_key(&self, unit: u64) -> String {
        format!("{}#{unit}", self.kernel_name)
    }

    /// The archives to look in for an agent's code, in that order: for its own processor before the generic target,
    /// more features pinned before fewer.
    pub fn archives_for(&self, agent: &TargetId) -> Vec<String> {
        let mut archives = Vec::new();
        let targets = compatible(agent);
        for path in &self.search_paths {
            if !path.contains(Reference::PLACEHOLDER) {
                archives.push((*path).to_owned());
                continue;
            }
            for target in &targets {
                archives.push(path.replacen(Reference::PLACEHOLDER, &format!("{target}"), 1));
            }
        }
        archives
    }
}

/// All target IDs whose code runs on an agent, the most specific first.
fn compatible(agent: &TargetId) -> Vec<TargetId> {
    let unpinned = |feature: Feature| if feature.is_explicit() { Feature::Any } else { feature };
    let generic = agent.isa().and_then(|isa| isa.generic).map(str::to_owned);
    let mut targets = Vec::new();
    for processor in [Some(agent.processor.clone()), generic].into_iter().flatten() {
        for (keep_sramecc, keep_xnack) in [(true, true), (true, false), (false, true), (false, false)] {
            let target = TargetId {
                processor: processor.clone(),
                sramecc: if keep_sramecc { agent.sramecc } else { unpinned(agent.sramecc) },
                xnack: if keep_xnack { agent.xnack } else { unpinned(agent.xnack) },
            };
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
    }
    targets
}
