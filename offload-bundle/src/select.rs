//! Choosing the entry for an agent, and saying why each of the others was not chosen.
//! Answers to the HIP runtime (CLR, `hip_fatbin.cpp`) and to "Target ID" of LLVM's AMDGPU guide.

use std::fmt;

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
    /// SPIR-V has to be compiled first.
    #[error("it is SPIR-V, which would have to be compiled for the agent")]
    SpirV,
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

/// Why the chosen entry was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// Its target ID is the agent's.
    Exact,
    /// Same processor, and it runs in any state of the features that it does not name.
    Compatible,
    /// It is for the generic target that the agent's processor belongs to.
    Generic,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Exact => "same target ID",
            Why::Compatible => "same processor, compatible features",
            Why::Generic => "generic target of the processor",
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

impl std::error::Error for NoMatch {}

/// An entry that runs on the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What its code was compiled for.
    pub target: TargetId,
    /// How it fits.
    pub fit: Fit,
}

/// Whether an entry runs on an agent, and why not.
pub fn why(entry: &Entry<'_>, agent: &TargetId) -> Result<Candidate, Reason> {
    let id = &entry.id;
    if id.kind == OffloadKind::Host {
        return Err(Reason::Host);
    }
    if !id.kind.is_hip() {
        return Err(Reason::OtherKind { kind: id.kind.to_string() });
    }
    if id.is_spirv() {
        return Err(Reason::SpirV);
    }
    if !id.is_amdgcn() {
        return Err(Reason::OtherTriple { triple: id.triple.to_owned() });
    }
    if entry.data.is_empty() {
        return Err(Reason::Empty);
    }
    let target = target_of(entry)?;
    let fit = target.fits(agent)?;
    Ok(Candidate { target, fit })
}

/// What an entry's code was compiled for: before `hipv4`, IDs did not say all of it and the code object does.
fn target_of(entry: &Entry<'_>) -> Result<TargetId, Reason> {
    match entry.id.kind {
        OffloadKind::HipV4 => Ok(entry.id.target_id()?),
        _ => Ok(CodeObject::parse(entry.data)?.target_id()?),
    }
}

/// Every entry that runs on the agent, best first, with its place in `entries`.
pub fn candidates(entries: &[Entry<'_>], agent: &TargetId) -> Vec<(usize, Candidate)> {
    let fits = |(place, entry)| why(entry, agent).ok().map(|candidate| (place, candidate));
    let mut found: Vec<_> = entries.iter().enumerate().filter_map(fits).collect();
    // Stable: of equals the first in the table comes first, as the runtime takes it.
    found.sort_by_key(|(_, candidate)| {
        std::cmp::Reverse((candidate.fit, candidate.target.explicit_features()))
    });
    found
}

/// The best entry for an agent: code for its own processor before generic code, more features pinned before fewer,
/// the first in the table among equals.
pub fn select<'a>(
    entries: impl IntoIterator<Item = Entry<'a>>,
    agent: &TargetId,
) -> Result<Choice<'a>, NoMatch> {
    let entries: Vec<Entry<'a>> = entries.into_iter().collect();
    let Some((place, best)) = candidates(&entries, agent).into_iter().next() else {
        let rejected = entries.iter().map(|entry| reject(entry, agent, None)).collect();
        return Err(NoMatch { wanted: agent.clone(), rejected });
    };
    let others = entries.iter().enumerate().filter(|(other, _)| *other != place);
    let rejected = others.map(|(_, entry)| reject(entry, agent, Some(&best))).collect();
    let why = match best.fit {
        Fit::Generic => Why::Generic,
        Fit::Native if best.target == *agent => Why::Exact,
        Fit::Native => Why::Compatible,
    };
    let Some(entry) = entries.into_iter().nth(place) else {
        return Err(NoMatch { wanted: agent.clone(), rejected });
    };
    Ok(Choice { entry, target: best.target, why, rejected })
}

fn reject(entry: &Entry<'_>, agent: &TargetId, best: Option<&Candidate>) -> Rejected {
    let reason = match (why(entry, agent), best) {
        (Err(reason), _) => reason,
        (Ok(candidate), Some(best)) => {
            let why = if candidate.fit < best.fit {
                "is for the processor itself"
            } else if candidate.target.explicit_features() < best.target.explicit_features() {
                "is more specific"
            } else {
                "comes first"
            };
            Reason::PassedOver { chosen: best.target.to_string(), why }
        }
        // Not reached: without a best candidate no entry fits.
        (Ok(_), None) => Reason::Empty,
    };
    let label = match (&reason, entry.id.kind) {
        (Reason::Mismatch(_), OffloadKind::Hip | OffloadKind::Hcc) => {
            target_of(entry).map_or_else(|_| entry.id.label().to_owned(), |target| target.to_string())
        }
        _ => entry.id.label().to_owned(),
    };
    Rejected { index: entry.index, id: entry.id.text.to_owned(), label, reason }
}
