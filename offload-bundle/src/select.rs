//! Choosing the entry for an agent, and saying why each of the others was not chosen.
//! Answers to the HIP runtime (CLR, `hip_fatbin.cpp`) and to "Target ID" of LLVM's AMDGPU guide.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use amd_codeobj::{CodeObject, Fit, Mismatch, TargetId, TargetIdError};

use crate::{Entry, OffloadKind};

/// Why an entry does not run on an agent, or was passed over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Code for the CPU.
    #[error("it is host code")]
    Host,
    /// There are no bytes.
    #[error("it is empty")]
    Empty,
    /// Not for the HIP runtime.
    #[error("its kind is {kind}, not hip or hipv4")]
    OtherKind {
        /// The ID's first word.
        kind: String,
    },
    /// Not for AMD GPUs under HSA.
    #[error("its triple is {triple}, not amdgcn-amd-amdhsa")]
    OtherTriple {
        /// The triple.
        triple: String,
    },
    /// SPIR-V has to be compiled first, and the caller has no compiler (see [`Options::spirv`]).
    #[error("it is SPIR-V, which would have to be compiled for the agent")]
    SpirV,
    /// Code for a generic target, made before that target's last change.
    #[error("it is version {found} of {target}, of which version {needed} or later is needed")]
    GenericVersion {
        /// The generic target.
        target: String,
        /// The version in `e_flags`; 0 before code object v6, which has none.
        found: u8,
        /// The least that runs.
        needed: u8,
    },
    /// The ID has no readable target ID.
    #[error("{0}")]
    BadTargetId(#[from] TargetIdError),
    /// The ID leaves the target to the code object, which cannot be read.
    #[error("its code object cannot be read: {0}")]
    BadCodeObject(#[from] amd_codeobj::Error),
    /// For other hardware or another mode.
    #[error("{0}")]
    Mismatch(#[from] Mismatch),
    /// It would run, but another entry suits better.
    #[error("it fits too, but {chosen} {why}")]
    PassedOver {
        /// The entry that was chosen.
        chosen: String,
        /// In what it is better.
        why: &'static str,
    },
}

/// An entry that was not chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its place in the table.
    pub index: usize,
    /// Its ID.
    pub id: String,
    /// Its target ID if it has one (for `hip` entries: the code object's), its ID otherwise.
    pub label: String,
    /// Why.
    pub reason: Reason,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.label, self.reason)
    }
}

/// How an entry fits an agent, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// It is SPIR-V, which the caller compiles for the agent.
    SpirV,
    /// It is for the generic target that the agent's processor belongs to.
    Generic,
    /// Same processor, and it runs in any state of the features that it does not name.
    Compatible,
    /// Its target ID is the agent's.
    Exact,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Exact => "same target ID",
            Why::Compatible => "same processor, compatible features",
            Why::Generic => "generic target of the processor",
            Why::SpirV => "SPIR-V, to be compiled",
        })
    }
}

/// The entry for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice<'a> {
    /// The entry.
    pub entry: Entry<'a>,
    /// What its code was compiled for.
    pub target: TargetId,
    /// Why this one.
    pub why: Why,
    /// The others.
    pub rejected: Vec<Rejected>,
}

/// No entry runs on the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoMatch {
    /// The agent's target ID.
    pub wanted: TargetId,
    /// Every entry, and why it does not fit.
    pub rejected: Vec<Rejected>,
}

impl NoMatch {
    /// The target IDs that the fat binary has code for, without host entries and repetitions.
    pub fn found(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for rejected in self.rejected.iter().filter(|rejected| rejected.reason != Reason::Host) {
            if !found.contains(&rejected.label.as_str()) {
                found.push(&rejected.label);
            }
        }
        found
    }

    /// One line for each entry: its ID and the reason.
    pub fn details(&self) -> impl Iterator<Item = String> {
        self.rejected.iter().map(|rejected| format!("{}: {}", rejected.id, rejected.reason))
    }
}

impl fmt::Display for NoMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no code for {}: the fat binary has ", self.wanted)?;
        match self.found()[..] {
            [] => f.write_str("no device code"),
            ref found => f.write_str(&found.join(", ")),
        }
    }
}

impl core::error::Error for NoMatch {}

/// The least version of a generic target's code that runs today: LLVM has raised none yet ("Generic Processor
/// Versioning" of its AMDGPU guide), and code objects before v6, which have no version, hold no generic code.
const GENERIC_VERSION: u8 = 1;

/// What the caller can do with an entry, apart from loading code objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Compile SPIR-V: it is chosen where there is no code for the agent.
    pub spirv: bool,
}

impl Options {
    /// The same with SPIR-V taken or not.
    pub const fn spirv(mut self, taken: bool) -> Options {
        self.spirv = taken;
        self
    }
}

/// An entry that runs on the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What its code was compiled for.
    pub target: TargetId,
    /// How it fits.
    pub why: Why,
}

impl Candidate {
    /// The better one ranks higher.
    fn rank(&self) -> (Why, u32) {
        (self.why, self.target.explicit_features())
    }
}

/// Whether an entry runs on an agent, and why not.
pub fn why(entry: &Entry<'_>, agent: &TargetId) -> Result<Candidate, Reason> {
    why_with(entry, agent, Options::default())
}

/// The same for a caller with these options.
pub fn why_with(entry: &Entry<'_>, agent: &TargetId, options: Options) -> Result<Candidate, Reason> {
    let id = &entry.id;
    if id.kind == OffloadKind::Host {
        return Err(Reason::Host);
    }
    if !id.kind.is_hip() {
        return Err(Reason::OtherKind { kind: id.kind.to_string() });
    }
    if id.is_spirv() {
        return match (options.spirv, entry.data) {
            (false, _) => Err(Reason::SpirV),
            (true, []) => Err(Reason::Empty),
            (true, _) => Ok(Candidate { target: id.target_id()?, why: Why::SpirV }),
        };
    }
    if !id.is_amdgcn() {
        return Err(Reason::OtherTriple { triple: id.triple.to_owned() });
    }
    if entry.data.is_empty() {
        return Err(Reason::Empty);
    }
    let target = target_of(entry)?;
    let why = match target.fits(agent)? {
        Fit::Native if target == *agent => Why::Exact,
        Fit::Native => Why::Compatible,
        Fit::Generic => {
            let (found, needed) = (CodeObject::parse(entry.data)?.generic_version(), GENERIC_VERSION);
            if found < needed {
                return Err(Reason::GenericVersion { target: target.processor, found, needed });
            }
            Why::Generic
        }
    };
    Ok(Candidate { target, why })
}

/// What an entry's code was compiled for: before `hipv4`, IDs did not say all of it and the code object does.
fn target_of(entry: &Entry<'_>) -> Result<TargetId, Reason> {
    match entry.id.kind {
        OffloadKind::HipV4 => Ok(entry.id.target_id()?),
        _ => Ok(CodeObject::parse(entry.data)?.target_id()?),
    }
}

/// The best entry for an agent: code for its own processor before generic code, more features pinned before fewer, the
/// first in the table among equals.
pub fn select<'a>(
    entries: impl IntoIterator<Item = Entry<'a>>,
    agent: &TargetId,
) -> Result<Choice<'a>, NoMatch> {
    select_with(entries, agent, Options::default())
}

/// The same for a caller with these options; SPIR-V comes after generic code.
pub fn select_with<'a>(
    entries: impl IntoIterator<Item = Entry<'a>>,
    agent: &TargetId,
    options: Options,
) -> Result<Choice<'a>, NoMatch> {
    let judge = |entry: Entry<'a>| {
        let verdict = why_with(&entry, agent, options);
        (entry, verdict)
    };
    let mut judged: Vec<_> = entries.into_iter().map(judge).collect();
    let mut best: Option<(usize, Candidate)> = None;
    for (place, (_, verdict)) in judged.iter().enumerate() {
        let Ok(candidate) = verdict else { continue };
        // Of equals the first stays, as the runtime takes it.
        if best.as_ref().is_none_or(|(_, best)| candidate.rank() > best.rank()) {
            best = Some((place, candidate.clone()));
        }
    }
    let Some((place, best)) = best else {
        let rejected = judged.into_iter().filter_map(|(entry, verdict)| Some(reject(&entry, verdict.err()?)));
        return Err(NoMatch { wanted: agent.clone(), rejected: rejected.collect() });
    };
    let (entry, _) = judged.remove(place);
    let rejected = judged.into_iter().map(|(entry, verdict)| {
        let reason = verdict.map_or_else(|reason| reason, |candidate| passed_over(&candidate, &best));
        reject(&entry, reason)
    });
    let rejected = rejected.collect();
    Ok(Choice { entry, target: best.target, why: best.why, rejected })
}

fn passed_over(candidate: &Candidate, best: &Candidate) -> Reason {
    let native = |why: Why| why >= Why::Compatible;
    let why = if native(best.why) && !native(candidate.why) {
        "is for the processor itself"
    } else if best.why != candidate.why && !native(best.why) {
        "is compiled already"
    } else if candidate.target.explicit_features() < best.target.explicit_features() {
        "is more specific"
    } else {
        "comes first"
    };
    Reason::PassedOver { chosen: best.target.to_string(), why }
}

fn reject(entry: &Entry<'_>, reason: Reason) -> Rejected {
    let label = match (&reason, entry.id.kind) {
        (Reason::Mismatch(_), OffloadKind::Hip | OffloadKind::Hcc) => {
            target_of(entry).map_or_else(|_| entry.id.label().to_owned(), |target| target.to_string())
        }
        _ => entry.id.label().to_owned(),
    };
    Rejected { index: entry.index, id: entry.id.text.to_owned(), label, reason }
}
