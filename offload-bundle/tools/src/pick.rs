//! Entries named on the command line: by a whole ID or by a target ID; bundles by their number; agents as they run.

use std::path::Path;

use amd_codeobj::{Feature, TargetId, TargetIdError};
use offload_bundle::{EntryId, OffloadKind, check_id, code_id};

use crate::Error;
use crate::input::{Finds, Found, Input};

/// How SPIR-V is named among target IDs, and the ID that clang gives it.
const SPIRV: (&str, &str) = ("amdgcnspirv", "hip-spirv64-amd-amdhsa--amdgcnspirv");

/// The entry ID that a text means: a target ID stands for HIP code for it.
pub(crate) fn entry_id(text: &str) -> Result<String, String> {
    if text == SPIRV.0 {
        return Ok(SPIRV.1.to_owned());
    }
    // What begins with a kind is meant to be an ID, anything else a target ID.
    match EntryId::parse(text).kind {
        OffloadKind::Other(_) => {}
        _ => return check_id(text).map(|()| text.to_owned()).map_err(|error| error.to_string()),
    }
    let target: TargetId = text.parse().map_err(|error: TargetIdError| error.to_string())?;
    // Processors may be newer than this tool, but all of them are called so.
    match target.processor.starts_with("gfx") {
        true => Ok(code_id(&target)),
        false => Err(format!("{text:?} is no entry ID and no target ID, as gfx90a:xnack-")),
    }
}

/// Whether an entry is the one that a text means.
pub(crate) fn matches(id: &EntryId<'_>, text: &str) -> bool {
    if id.text == text {
        return true;
    }
    if text == SPIRV.0 {
        return id.is_spirv();
    }
    id.kind.is_hip() && id.target.is_some() && id.target == text.parse().ok()
}

/// An agent as it runs: features that are left open are what the driver sets by default.
pub(crate) fn agent(target: &TargetId) -> TargetId {
    let state = |feature, default| if feature == Feature::Any { default } else { feature };
    TargetId {
        processor: target.processor.clone(),
        sramecc: state(target.sramecc, Feature::On),
        xnack: state(target.xnack, Feature::Off),
    }
}

/// The fat binaries of a file, or the one that is asked for.
pub(crate) fn bundles(input: &Input, only: Option<usize>) -> Chosen<'_> {
    Chosen { finds: input.images(), path: input.path(), only, count: 0, end: false }
}

/// See [`bundles`].
pub(crate) struct Chosen<'a> {
    finds: Finds<'a>,
    path: &'a Path,
    only: Option<usize>,
    count: usize,
    end: bool,
}

impl<'a> Iterator for Chosen<'a> {
    type Item = Result<Found<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(only) = self.only else { return self.finds.next() };
        if self.end {
            return None;
        }
        for found in self.finds.by_ref() {
            match found {
                Ok(found) if found.index != only => self.count = found.index + 1,
                found => {
                    self.end = true;
                    return Some(found);
                }
            }
        }
        self.end = true;
        let (path, last) = (self.path.display(), self.count.saturating_sub(1));
        Some(Err(Error::Other(format!(
            "{path}: there is no bundle {only}: they are counted from 0 to {last}"
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_target_ids() {
        for (text, id) in [
            ("gfx90a", "hipv4-amdgcn-amd-amdhsa--gfx90a"),
            ("gfx90a:xnack-:sramecc+", "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"),
            ("gfx9-4-generic", "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"),
            ("hip-amdgcn-amd-amdhsa-gfx906", "hip-amdgcn-amd-amdhsa-gfx906"),
            ("host-x86_64-unknown-linux--", "host-x86_64-unknown-linux--"),
            ("amdgcnspirv", "hip-spirv64-amd-amdhsa--amdgcnspirv"),
        ] {
            assert_eq!(entry_id(text).as_deref(), Ok(id));
            assert!(matches(&EntryId::parse(id), text), "{text}");
        }
        for (text, why) in [
            ("gfx1030:xnack+", "gfx1030 has no target feature xnack"),
            ("gfx 90a", "character ' ' at offset 3"),
            ("", "target ID without a processor"),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack", "bad entry ID"),
            ("../x", "character '.' at offset 0"),
        ] {
            let error = entry_id(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        let id = EntryId::parse("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-");
        for other in ["gfx90a", "gfx90a:xnack+", "gfx942", "", "hipv4-amdgcn-amd-amdhsa--gfx90a"] {
            assert!(!matches(&id, other), "{other}");
        }
    }

    #[test]
    fn agents_are_in_one_state_or_the_other() {
        let runs_as = |text: &str| agent(&text.parse().unwrap()).to_string();
        assert_eq!(runs_as("gfx90a"), "gfx90a:sramecc+:xnack-");
        assert_eq!(runs_as("gfx90a:sramecc-:xnack+"), "gfx90a:sramecc-:xnack+");
        assert_eq!(runs_as("gfx900"), "gfx900:xnack-");
        assert_eq!(runs_as("gfx1100"), "gfx1100");
    }
}
