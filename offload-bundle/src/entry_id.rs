//! Entry IDs: `<kind>-<triple>[-<target ID>]`, as `hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`.
//! Answers to "Bundled Code Object Layout" in the manual of Clang's offload bundler.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

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

/// An entry ID that does not follow the grammar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryIdError {
    /// No text at all.
    #[error("it is empty")]
    Empty,
    /// A character that is neither a printable one of ASCII, nor free for lists of IDs.
    #[error("it has the character {character:?} at offset {offset}")]
    BadCharacter {
        /// The character.
        character: char,
        /// Where it is in the ID.
        offset: usize,
    },
    /// The first word is no offload kind.
    #[error("its kind {kind:?} is none of host, hip, hipv4, hcc, openmp")]
    UnknownKind {
        /// The word.
        kind: String,
    },
    /// What follows the kind has less than three fields, or an empty one among them.
    #[error(
        "{triple:?} at offset {offset} is no triple: it lacks the {field} (architecture-vendor-system-environment)"
    )]
    BadTriple {
        /// What is there.
        triple: String,
        /// Where it starts in the ID.
        offset: usize,
        /// The first field that is missing.
        field: &'static str,
    },
    /// Code of AMD GPUs without a target ID, or with one that cannot be read.
    #[error(transparent)]
    BadTarget(#[from] TargetIdError),
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

    /// Checks the ID against the grammar: a known kind, a triple of three or four fields, and for HIP's code of AMD GPUs
    /// a target ID.
    pub fn check(&self) -> Result<(), EntryIdError> {
        if self.text.is_empty() {
            return Err(EntryIdError::Empty);
        }
        // Tools take lists of IDs, between commas.
        let odd = |&(_, character): &(usize, char)| !character.is_ascii_graphic() || character == ',';
        if let Some((offset, character)) = self.text.char_indices().find(odd) {
            return Err(EntryIdError::BadCharacter { character, offset });
        }
        if let OffloadKind::Other(kind) = self.kind {
            return Err(EntryIdError::UnknownKind { kind: kind.to_owned() });
        }
        let mut fields = self.triple.split('-');
        for field in ["architecture", "vendor", "system"] {
            if fields.next().is_none_or(str::is_empty) {
                let (triple, offset) = (self.triple.to_owned(), self.kind.as_str().len() + 1);
                return Err(EntryIdError::BadTriple { triple, offset, field });
            }
        }
        if self.kind.is_hip() && self.is_amdgcn() {
            self.target_id()?;
        }
        Ok(())
    }

    /// The ID as LLVM writes it: four fields of triple, of which the environment may be empty, and the target ID in
    /// canonical order. What cannot be understood stays as it is.
    pub fn canonical(&self) -> String {
        let target = match (&self.target, self.kind) {
            (_, OffloadKind::Host) => String::new(),
            (Some(target), _) => target.to_string(),
            (None, _) => self.target_text.to_owned(),
        };
        let fields = self.triple.split('-').count();
        if fields < 3 {
            return self.text.to_owned();
        }
        let environment = if fields == 3 { "-" } else { "" };
        format!("{}-{}{environment}-{target}", self.kind, self.triple)
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
        // What follows a host's triple is no target ID, whatever it looks like.
        self.kind != OffloadKind::Host
            && (self.triple.starts_with("spirv") || self.target_text == "amdgcnspirv")
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
    fn a_host_id_is_never_spirv() {
        for text in ["host-x86_64-u-g-amdgcnspirv", "host-spirv64-amd-amdhsa--amdgcnspirv"] {
            let id = EntryId::parse(text);
            assert!(!id.is_spirv(), "{text}");
            assert_eq!(EntryId::parse(&id.canonical()).is_spirv(), id.is_spirv(), "{text}");
        }
        assert!(EntryId::parse("hip-spirv64-amd-amdhsa--amdgcnspirv").is_spirv());
    }

    #[test]
    fn canonical_ids() {
        for (text, canonical) in [
            ("hip-amdgcn-amd-amdhsa-gfx906", "hip-amdgcn-amd-amdhsa--gfx906"),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+",
                "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
            ),
            ("hipv4-amdgcn-amd-amdhsa-unknown-gfx942", "hipv4-amdgcn-amd-amdhsa-unknown-gfx942"),
            ("hipv4-amdgcn-amd-amdhsa-gfx9-4-generic", "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"),
            ("host-x86_64-unknown-linux", "host-x86_64-unknown-linux--"),
            ("host-x86_64-unknown-linux-gnu", "host-x86_64-unknown-linux-gnu-"),
            ("openmp-nvptx64-nvidia-cuda", "openmp-nvptx64-nvidia-cuda--"),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:what", "hipv4-amdgcn-amd-amdhsa--gfx90a:what"),
            ("nonsense", "nonsense"),
            ("", ""),
        ] {
            assert_eq!(EntryId::parse(text).canonical(), canonical);
            assert_eq!(EntryId::parse(canonical).canonical(), canonical);
        }
    }

    #[test]
    fn what_is_wrong_with_an_id_is_named() {
        for (text, error) in [
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", ""),
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", ""),
            ("host-x86_64-unknown-linux--", ""),
            ("openmp-nvptx64-nvidia-cuda", ""),
            ("", "it is empty"),
            ("host-x86_64-unknown linux--", "it has the character ' ' at offset 19"),
            ("hip-amdgcn-amd-amdhsa--gfx906,gfx908", "it has the character ',' at offset 29"),
            ("cuda-amdgcn-amd-amdhsa", "its kind \"cuda\" is none of host, hip, hipv4, hcc, openmp"),
            (
                "hip-amdgcn-amd",
                "\"amdgcn-amd\" at offset 4 is no triple: it lacks the system (architecture-vendor-system-environment)",
            ),
            (
                "hip--amd-amdhsa--gfx906",
                "\"-amd-amdhsa-\" at offset 4 is no triple: it lacks the architecture \
                 (architecture-vendor-system-environment)",
            ),
            ("hip-amdgcn-amd-amdhsa--", "target ID without a processor: \"\""),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx1030:xnack+",
                "gfx1030 has no target feature xnack (offset 8 of target ID \"gfx1030:xnack+\")",
            ),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack",
                "\"xnack\" at offset 7 of target ID \"gfx90a:xnack\" is none of sramecc+, sramecc-, xnack+, xnack-",
            ),
        ] {
            let found = EntryId::parse(text).check().err().map(|error| error.to_string());
            assert_eq!(found.unwrap_or_default(), error, "{text}");
        }
    }

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
