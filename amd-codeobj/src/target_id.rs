//! Target IDs: a processor with the state of its target features, as `gfx90a:sramecc+:xnack-`.
//! Answers to "Target ID" of LLVM's AMDGPU guide.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::Isa;

/// State of a target feature (`sramecc`, `xnack`): of the mode that code was compiled for, or that an agent runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// The processor has no such feature.
    Unsupported,
    /// Code that runs in either mode; not written in the target ID.
    Any,
    /// `-`
    Off,
    /// `+`
    On,
}

impl Feature {
    /// "unsupported", "any", "off" or "on".
    pub const fn as_str(self) -> &'static str {
        match self {
            Feature::Unsupported => "unsupported",
            Feature::Any => "any",
            Feature::Off => "off",
            Feature::On => "on",
        }
    }

    /// The state is written in the target ID.
    pub const fn is_explicit(self) -> bool {
        matches!(self, Feature::Off | Feature::On)
    }

    /// Code compiled for this state runs on an agent in state `agent`.
    const fn fits(self, agent: Feature) -> bool {
        match self {
            Feature::Unsupported | Feature::Any => true,
            Feature::Off => matches!(agent, Feature::Off),
            Feature::On => matches!(agent, Feature::On),
        }
    }

    pub(crate) const fn default_for(supported: bool) -> Feature {
        if supported { Feature::Any } else { Feature::Unsupported }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A processor and the state of its features.
///
/// ```
/// use amd_codeobj::{Feature, TargetId};
/// let target: TargetId = "gfx90a:xnack-:sramecc+".parse()?;
/// assert_eq!(target.to_string(), "gfx90a:sramecc+:xnack-");
/// assert_eq!("gfx1030".parse::<TargetId>()?.xnack, Feature::Unsupported);
/// # Ok::<(), amd_codeobj::TargetIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// "gfx942", "gfx9-generic".
    pub processor: String,
    /// Error correction of on-chip memory.
    pub sramecc: Feature,
    /// Replay of faulting memory accesses.
    pub xnack: Feature,
}

/// How code fits an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fit {
    /// Code for the generic target that the agent's processor belongs to.
    Generic,
    /// Code for the agent's own processor.
    Native,
}

/// Why code does not fit an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// It is for another processor.
    #[error("compiled for {code}, not for {agent}")]
    Processor {
        /// The code's processor.
        code: String,
        /// The agent's.
        agent: String,
    },
    /// It needs a feature in another state.
    #[error("compiled for {feature} {code}, but the agent has {feature} {agent}")]
    Feature {
        /// "sramecc" or "xnack".
        feature: &'static str,
        /// The code's state.
        code: Feature,
        /// The agent's.
        agent: Feature,
    },
}

/// Text that is no target ID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetIdError {
    /// Nothing before the first colon.
    #[error("target ID without a processor: {text:?}")]
    NoProcessor {
        /// The whole text.
        text: String,
    },
    /// A character that no processor name has.
    #[error("character {character:?} at offset {offset} cannot be part of a processor name: {text:?}")]
    BadProcessor {
        /// The whole text.
        text: String,
        /// The character.
        character: char,
        /// Where it is.
        offset: usize,
    },
    /// Something after a colon that is not a feature with a sign.
    #[error(
        "{found:?} at offset {offset} of target ID {text:?} is none of sramecc+, sramecc-, xnack+, xnack-"
    )]
    BadFeature {
        /// The whole text.
        text: String,
        /// What is there.
        found: String,
        /// Where it starts.
        offset: usize,
    },
    /// A feature named twice.
    #[error("{feature} is named a second time at offset {offset} of target ID {text:?}")]
    Repeated {
        /// The whole text.
        text: String,
        /// The feature.
        feature: &'static str,
        /// Where it is repeated.
        offset: usize,
    },
    /// The processor has no such feature.
    #[error("{processor} has no target feature {feature} (offset {offset} of target ID {text:?})")]
    NotSupported {
        /// The whole text.
        text: String,
        /// The processor.
        processor: String,
        /// The feature.
        feature: &'static str,
        /// Where it is.
        offset: usize,
    },
}

impl TargetId {
    /// The target ID of a processor with its features in state "any", where it has them.
    pub fn any(isa: &Isa) -> TargetId {
        TargetId {
            processor: isa.name.to_owned(),
            sramecc: Feature::default_for(isa.supports_sramecc),
            xnack: Feature::default_for(isa.supports_xnack),
        }
    }

    /// The target ID of an agent, which is always in one state or the other: features that the processor lacks stay
    /// [`Feature::Unsupported`] whatever is asked.
    pub fn of_agent(isa: &Isa, sramecc: bool, xnack: bool) -> TargetId {
        let state = |supported, on| match (supported, on) {
            (false, _) => Feature::Unsupported,
            (true, true) => Feature::On,
            (true, false) => Feature::Off,
        };
        TargetId {
            processor: isa.name.to_owned(),
            sramecc: state(isa.supports_sramecc, sramecc),
            xnack: state(isa.supports_xnack, xnack),
        }
    }

    /// The processor's row, if it is known.
    pub fn isa(&self) -> Option<&'static Isa> {
        Isa::by_name(&self.processor)
    }

    /// How many features are pinned to a state; of two that fit, the one that pins more is the more specific.
    pub fn explicit_features(&self) -> u32 {
        u32::from(self.sramecc.is_explicit()) + u32::from(self.xnack.is_explicit())
    }

    /// Whether code for `self` runs on `agent`: same processor, or the generic target of the agent's processor, and
    /// each feature either "any" or in the agent's state.
    pub fn fits(&self, agent: &TargetId) -> Result<Fit, Mismatch> {
        let fit = if self.processor == agent.processor {
            Fit::Native
        } else if agent.isa().is_some_and(|isa| isa.generic == Some(self.processor.as_str())) {
            Fit::Generic
        } else {
            let (code, agent) = (self.processor.clone(), agent.processor.clone());
            return Err(Mismatch::Processor { code, agent });
        };
        for (feature, code, agent) in
            [("sramecc", self.sramecc, agent.sramecc), ("xnack", self.xnack, agent.xnack)]
        {
            if !code.fits(agent) {
                return Err(Mismatch::Feature { feature, code, agent });
            }
        }
        Ok(fit)
    }
}

impl FromStr for TargetId {
    type Err = TargetIdError;

    /// Features in any order. A processor that is not known is accepted, with features "any" unless they are named.
    fn from_str(text: &str) -> Result<TargetId, TargetIdError> {
        let mut parts = text.split(':');
        let processor = parts.next().unwrap_or_default();
        if processor.is_empty() {
            return Err(TargetIdError::NoProcessor { text: text.to_owned() });
        }
        if let Some((offset, character)) =
            processor.char_indices().find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '-' && *c != '_')
        {
            return Err(TargetIdError::BadProcessor { text: text.to_owned(), character, offset });
        }
        let isa = Isa::by_name(processor);
        let supported = |supports: fn(&Isa) -> bool| isa.is_none_or(supports);
        let mut target = TargetId {
            processor: processor.to_owned(),
            sramecc: Feature::default_for(supported(|isa| isa.supports_sramecc)),
            xnack: Feature::default_for(supported(|isa| isa.supports_xnack)),
        };
        let mut offset = processor.len() + 1;
        for part in parts {
            let (feature, slot, state) = match part {
                "sramecc+" => ("sramecc", &mut target.sramecc, Feature::On),
                "sramecc-" => ("sramecc", &mut target.sramecc, Feature::Off),
                "xnack+" => ("xnack", &mut target.xnack, Feature::On),
                "xnack-" => ("xnack", &mut target.xnack, Feature::Off),
                _ => {
                    let (text, found) = (text.to_owned(), part.to_owned());
                    return Err(TargetIdError::BadFeature { text, found, offset });
                }
            };
            match *slot {
                Feature::Any => *slot = state,
                Feature::Unsupported => {
                    let (text, processor) = (text.to_owned(), processor.to_owned());
                    return Err(TargetIdError::NotSupported { text, processor, feature, offset });
                }
                Feature::Off | Feature::On => {
                    return Err(TargetIdError::Repeated { text: text.to_owned(), feature, offset });
                }
            }
            offset += part.len() + 1;
        }
        Ok(target)
    }
}

impl fmt::Display for TargetId {
    /// Canonical: `sramecc` before `xnack`, features in state "any" left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::On => write!(f, ":{name}+")?,
                Feature::Off => write!(f, ":{name}-")?,
                Feature::Any | Feature::Unsupported => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> TargetId {
        text.parse().unwrap()
    }

    #[test]
    fn features_follow_the_rules_of_the_guide() {
        let agent = id("gfx90a:sramecc+:xnack-");
        for code in ["gfx90a", "gfx90a:sramecc+", "gfx90a:xnack-", "gfx90a:xnack-:sramecc+"] {
            assert_eq!(id(code).fits(&agent), Ok(Fit::Native), "{code}");
        }
        let mismatch = id("gfx90a:xnack+").fits(&agent).unwrap_err();
        assert_eq!(mismatch.to_string(), "compiled for xnack on, but the agent has xnack off");
        let mismatch = id("gfx908").fits(&agent).unwrap_err();
        assert_eq!(mismatch.to_string(), "compiled for gfx908, not for gfx90a");
    }

    #[test]
    fn generic_code_fits_its_family_only() {
        assert_eq!(id("gfx9-generic:xnack-").fits(&id("gfx906:sramecc+:xnack-")), Ok(Fit::Generic));
        assert_eq!(id("gfx9-4-generic").fits(&id("gfx942:sramecc+:xnack-")), Ok(Fit::Generic));
        for other in ["gfx908", "gfx90a", "gfx942"] {
            assert!(id("gfx9-generic").fits(&id(other)).is_err(), "{other}");
        }
    }

    #[test]
    fn bad_text_is_named_with_its_offset() {
        let offset = |text: &str| match text.parse::<TargetId>().unwrap_err() {
            TargetIdError::NoProcessor { .. } => 0,
            TargetIdError::BadProcessor { offset, .. }
            | TargetIdError::BadFeature { offset, .. }
            | TargetIdError::Repeated { offset, .. }
            | TargetIdError::NotSupported { offset, .. } => offset,
        };
        assert_eq!(offset(""), 0);
        assert_eq!(offset("gfx 90a"), 3);
        assert_eq!(offset("gfx90a:"), 7);
        assert_eq!(offset("gfx90a:xnack"), 7);
        assert_eq!(offset("gfx90a:xnack+:xnack-"), 14);
        assert_eq!(offset("gfx1030:xnack+"), 8);
        assert_eq!(offset("gfx900:sramecc+"), 7);
    }

    #[test]
    fn an_unknown_processor_is_kept() {
        let target = id("gfx1999:xnack+");
        assert_eq!((target.isa(), target.sramecc, target.xnack), (None, Feature::Any, Feature::On));
    }
}
