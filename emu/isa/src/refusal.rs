//! Why an instruction that is known is not run.

use core::fmt;

/// What an instruction needs that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// Image, export and interpolation hardware, which no compute code asks for.
    Graphics,
    /// The global data share.
    GlobalShare,
    /// Global wave synchronisation.
    GlobalWaveSync,
    /// A trap handler to return from.
    TrapHandler,
    /// A debugger that wakes halted waves.
    Halt,
    /// What the offset of scalar scratch counts in, of which the manuals are at odds.
    ScalarScratch,
    /// A status dword behind loaded data (`tfe`).
    LoadStatus,
}

impl Refusal {
    /// The same in a word or two.
    pub const fn short(self) -> &'static str {
        match self {
            Refusal::Graphics => "graphics",
            Refusal::GlobalShare => "global data share",
            Refusal::GlobalWaveSync => "global wave sync",
            Refusal::TrapHandler => "trap handler",
            Refusal::Halt => "halt",
            Refusal::ScalarScratch => "scalar scratch",
            Refusal::LoadStatus => "load status",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Graphics => "graphics, for which there is no hardware here",
            Refusal::GlobalShare => "there is no global data share here",
            Refusal::GlobalWaveSync => {
                "the queue has no global wave sync: a cooperative queue has it (KFD's ALLOC_QUEUE_GWS)"
            }
            Refusal::TrapHandler => "no trap handler runs that it could return from",
            Refusal::Halt => "nobody would wake the wave",
            Refusal::ScalarScratch => "the manuals leave open what its offset counts in",
            Refusal::LoadStatus => "a status dword behind the data (tfe) is not made",
        })
    }
}
