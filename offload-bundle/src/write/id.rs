//! Entry IDs that may be written: stricter than what is read, since every reader has to understand them.
//! Answers to `OffloadTargetInfo` and to the checks of `-targets` in `clang/tools/clang-offload-bundler`.

use amd_codeobj::TargetId;

use super::WriteError;
use crate::EntryId;

/// The ID of the empty host entry that stands first in HIP's bundles.
pub const HOST_ID: &str = "host-x86_64-unknown-linux--";

/// The ID of HIP code for a target, as clang writes it: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-`.
pub fn code_id(target: &TargetId) -> String {
    format!("hipv4-amdgcn-amd-amdhsa--{target}")
}

/// Checks that readers understand an ID: a known kind, a triple, and for code of AMD GPUs a target ID in canonical
/// order (a runtime compares text).
pub fn check_id(text: &str) -> Result<(), WriteError> {
    let bad = |why: String| Err(WriteError::BadId { id: text.to_owned(), why });
    let id = EntryId::parse(text);
    if let Err(error) = id.check() {
        return bad(error.to_string());
    }
    match &id.target {
        Some(target) if id.kind.is_hip() && id.is_amdgcn() && target.to_string() != id.target_text => {
            bad(format!("its target ID is written {target}"))
        }
        _ => Ok(()),
    }
}

/// One of the two pins a feature that the other leaves open, for the same processor.
pub(super) fn conflict(a: &str, b: &str) -> bool {
    let (a, b) = (EntryId::parse(a), EntryId::parse(b));
    if a.kind != b.kind || a.triple.trim_end_matches('-') != b.triple.trim_end_matches('-') {
        return false;
    }
    let (Some(a), Some(b)) = (a.target, b.target) else { return false };
    let pinned = |target: &TargetId| (target.sramecc.is_explicit(), target.xnack.is_explicit());
    a.processor == b.processor && pinned(&a) != pinned(&b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_readers_understand() {
        for id in [
            HOST_ID,
            "host-x86_64-unknown-linux-gnu-",
            "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
            "hip-amdgcn-amd-amdhsa-gfx906",
            "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack-",
            "hip-spirv64-amd-amdhsa--amdgcnspirv",
            "openmp-nvptx64-nvidia-cuda",
            "openmp-amdgcn-amd-amdhsa--gfx90a",
        ] {
            check_id(id).unwrap();
        }
    }

    #[test]
    fn ids_that_some_reader_would_not_understand() {
        for (id, why) in [
            ("", "it is empty"),
            ("gfx90a", "its kind \"gfx90a\" is none of host, hip, hipv4, hcc, openmp"),
            ("cuda-amdgcn-amd-amdhsa--gfx90a", "its kind \"cuda\" is none of host, hip, hipv4, hcc, openmp"),
            (
                "hipv4-amdgcn",
                "\"amdgcn\" at offset 6 is no triple: it lacks the vendor (architecture-vendor-system-environment)",
            ),
            (
                "hipv4--amd-amdhsa--gfx90a",
                "\"-amd-amdhsa-\" at offset 6 is no triple: it lacks the architecture \
                 (architecture-vendor-system-environment)",
            ),
            ("hipv4-amdgcn-amd-amdhsa--", "target ID without a processor: \"\""),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a\0", "it has the character '\\0' at offset 31"),
            ("hipv4-amdgcn-amd-amdhsa--gfx 90a", "it has the character ' ' at offset 28"),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a,gfx942", "it has the character ',' at offset 31"),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+",
                "its target ID is written gfx90a:sramecc+:xnack-",
            ),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx1030:xnack+",
                "gfx1030 has no target feature xnack (offset 8 of target ID \"gfx1030:xnack+\")",
            ),
        ] {
            let expected = format!("bad entry ID {id:?}: {why}");
            assert_eq!(check_id(id).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn any_and_pinned_conflict_for_one_processor() {
        let id = |target: &str| format!("hipv4-amdgcn-amd-amdhsa--{target}");
        for (a, b, expected) in [
            ("gfx90a", "gfx90a:xnack-", true),
            ("gfx90a:sramecc+", "gfx90a:xnack-", true),
            ("gfx90a:xnack+", "gfx90a:xnack-", false),
            ("gfx90a:sramecc+:xnack+", "gfx90a:sramecc-:xnack+", false),
            ("gfx90a", "gfx942:xnack-", false),
            ("gfx1030", "gfx1030", false),
        ] {
            assert_eq!(conflict(&id(a), &id(b)), expected, "{a} {b}");
            assert_eq!(conflict(&id(b), &id(a)), expected, "{b} {a}");
        }
        assert!(!conflict(&id("gfx90a"), "openmp-amdgcn-amd-amdhsa--gfx90a:xnack-"));
        assert!(conflict(&id("gfx90a"), "hipv4-amdgcn-amd-amdhsa-gfx90a:xnack-"));
    }
}
