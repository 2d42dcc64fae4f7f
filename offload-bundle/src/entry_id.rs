//! Entry IDs: `<kind>-<triple>[-<target ID>]`, as `hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`.
//! Answers to "Bundled Code Object Layout" in the manual of Clang's offload bundler.

use std::fmt;

use amd_codeobj::{TargetId, TargetIdError};

/// Who an entry is for: the first field of its ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OffloadKind<'a> {
    /// Code of the host; empty in HIP's bundles.
    Host,
    /// HIP, code objects before v4: the target ID is that of the ELF file.
    Hip,
    /// HIP, code objects v4 and later.
    HipV4,
    /// The forerunner of HIP, treated as `Hip`.
    Hcc,
    /// OpenMP.
    OpenMp,
    /// A word that is not known here.
    Other(&'a str),
}

impl<'a> OffloadKind<'a> {
    /// The word.
    pub const fn as_str(self) -> &'a str {
        match self {
            OffloadKind::Host => "host",
            OffloadKind::Hip => "hip",
            OffloadKind::HipV4 => "hipv4",
            OffloadKind::Hcc => "hcc",
            OffloadKind::OpenMp => "openmp",
            OffloadKind::Other(word) => word,
        }
    }

    /// The HIP runtime looks at such entries.
    pub const fn is_hip(self) -> bool {
        matches!(self, OffloadKind::Hip | OffloadKind::HipV4 | OffloadKind::Hcc)
    }

    fn parse(word: &'a str) -> OffloadKind<'a> {
        match word {
            "host" => OffloadKind::Host,
            "hip" => OffloadKind::Hip,
            "hipv4" => OffloadKind::HipV4,
            "hcc" => OffloadKind::Hcc,
            "openmp" => OffloadKind::OpenMp,
            other => OffloadKind::Other(other),
        }
    }
}

impl fmt::Display for OffloadKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An entry ID, taken apart. Any text is one; what cannot be understood shows in `kind` and `target`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryId<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Who it is for.
    pub kind: OffloadKind<'a>,
    /// Architecture, vendor, operating system and perhaps environment: `amdgcn-amd-amdhsa-`.
    pub triple: &'a str,
    /// What follows the triple; empty if nothing does.
    pub target_text: &'a str,
    /// The target ID, if that is one.
    pub target: Option<TargetId>,
}

/// How a target ID begins where the triple's environment was left out along with its dash.
const PROCESSOR_PREFIXES: [&str; 3] = ["gfx", "sm_", "amdgcnspirv"];

impl<'a> EntryId<'a> {
    /// Takes an ID apart.
    pub fn parse(text: &'a str) -> EntryId<'a> {
        let (kind, rest) = text.split_once('-').unwrap_or((text, ""));
        let (triple, target_text) = split_triple(rest);
        let kind = OffloadKind::parse(kind);
        // LLVM 19's bundler writes a host's ID twice when its triple has an environment: no target ID, whatever follows.
        let target = if kind == OffloadKind::Host { None } else { target_text.parse().ok() };
        EntryId { text, kind, triple, target_text, target }
    }

    /// The target ID, or why there is none.
    pub fn target_id(&self) -> Result<TargetId, TargetIdError> {
        self.target_text.parse()
    }

    /// The triple is that of AMD GPUs under HSA, whatever its environment.
    pub fn is_amdgcn(&self) -> bool {
        let mut fields = self.triple.split('-');
        fields.next() == Some("amdgcn") && fields.next() == Some("amd") && fields.next() == Some("amdhsa")
    }

    /// The entry is SPIR-V, which a runtime with a compiler can finish for any AMD GPU.
    pub fn is_spirv(&self) -> bool {
        self.triple.starts_with("spirv") || self.target_text == "amdgcnspirv"
    }

    /// The short name for messages: the target ID where there is one, the whole text otherwise.
    pub fn label(&self) -> &'a str {
        if self.target_text.is_empty() { self.text } else { self.target_text }
    }
}

/// Splits what follows the kind: three or four fields of triple, then the target ID, which may have dashes of its own.
fn split_triple(rest: &str) -> (&str, &str) {
    let mut dashes = rest.match_indices('-').map(|(at, _)| at);
    let (Some(_), Some(_), Some(third)) = (dashes.next(), dashes.next(), dashes.next()) else {
        return (rest, "");
    };
    let after = &rest[third + 1..];
    if PROCESSOR_PREFIXES.iter().any(|prefix| after.starts_with(prefix)) {
        return (&rest[..third], after);
    }
    match dashes.next() {
        Some(fourth) => (&rest[..fourth], &rest[fourth + 1..]),
        None => (rest, ""),
    }
}

impl fmt::Display for EntryId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_apart() {
        for (text, kind, triple, target) in [
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                OffloadKind::HipV4,
                "amdgcn-amd-amdhsa-",
                "gfx90a:sramecc+:xnack-",
            ),
            ("hip-amdgcn-amd-amdhsa-gfx906", OffloadKind::Hip, "amdgcn-amd-amdhsa", "gfx906"),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic",
                OffloadKind::HipV4,
                "amdgcn-amd-amdhsa-",
                "gfx9-4-generic",
            ),
            (
                "hipv4-amdgcn-amd-amdhsa-gfx9-4-generic",
                OffloadKind::HipV4,
                "amdgcn-amd-amdhsa",
                "gfx9-4-generic",
            ),
            (
                "hipv4-amdgcn-amd-amdhsa-unknown-gfx942",
                OffloadKind::HipV4,
                "amdgcn-amd-amdhsa-unknown",
                "gfx942",
            ),
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", OffloadKind::Hip, "spirv64-amd-amdhsa-", "amdgcnspirv"),
            (
                "hip-spirv64-amd-amdhsa-unknown-amdgcnspirv",
                OffloadKind::Hip,
                "spirv64-amd-amdhsa-unknown",
                "amdgcnspirv",
            ),
            ("host-x86_64-unknown-linux-gnu-", OffloadKind::Host, "x86_64-unknown-linux-gnu", ""),
            ("host-x86_64-unknown-linux-gnu", OffloadKind::Host, "x86_64-unknown-linux-gnu", ""),
            ("host-x86_64-unknown-linux", OffloadKind::Host, "x86_64-unknown-linux", ""),
            ("host-x86_64-unknown-linux--", OffloadKind::Host, "x86_64-unknown-linux-", ""),
            ("openmp-amdgcn-amd-amdhsa--gfx90a", OffloadKind::OpenMp, "amdgcn-amd-amdhsa-", "gfx90a"),
            ("", OffloadKind::Other(""), "", ""),
            ("nonsense", OffloadKind::Other("nonsense"), "", ""),
        ] {
            let id = EntryId::parse(text);
            assert_eq!((id.kind, id.triple, id.target_text), (kind, triple, target), "{text}");
            assert_eq!(id.target.is_some(), !target.is_empty(), "{text}");
        }
    }
}
