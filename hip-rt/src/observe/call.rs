//! Calls of the API and what takes time in them, as events: target `hip`, with how long it took in `nanos`.

use crate::state;
use std::fmt::Debug;
use std::time::Instant;
use tracing::Level;

/// A call that somebody listens to.
pub struct Call {
    name: &'static str,
    arguments: String,
    begun: Instant,
}

impl Call {
    /// Begins the event of a call; nothing, if nobody listens.
    pub fn begin(name: &'static str, arguments: &[(&str, &dyn Debug)]) -> Option<Self> {
        state::state();
        tracing::enabled!(target: "hip", Level::INFO).then(|| {
            let arguments: Vec<_> =
                arguments.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
            Self { name, arguments: arguments.join(", "), begun: Instant::now() }
        })
    }

    /// Tells a call with what it returned.
    pub fn end(call: Option<Self>, result: &dyn Debug) {
        let Some(Self { name, arguments, begun }) = call else { return };
        tracing::info!(target: "hip", step = "call", name, arguments, result = ?result, nanos = nanos_since(begun));
    }
}

/// Does `work` on `bytes` bytes and tells it.
pub fn timed(step: &'static str, bytes: usize, work: impl FnOnce()) {
    if !tracing::enabled!(target: "hip", Level::INFO) {
        return work();
    }
    let begun = Instant::now();
    work();
    tracing::info!(target: "hip", step, bytes, nanos = nanos_since(begun));
}

fn nanos_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
