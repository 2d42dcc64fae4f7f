//! Shared virtual memory (`hsa_amd_svm_…`): what is said of ranges of ordinary memory, and moving them. Agents are given by
//! their nodes, and ranges count as whole pages.

use std::sync::Arc;

use thunk_rs::svm::{Location, RangeAttribute};
use thunk_rs::{NodeId, kfd_sys::svm::SvmFlags};

use crate::{Agent, AgentKind, Error, Job, Runtime, Signal};

const PAGE: u64 = 4096;

fn pages(va: u64, bytes: u64) -> Result<(u64, u64), Error> {
    let end = va.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(PAGE));
    let end = end.filter(|_| va != 0 && bytes != 0).ok_or_else(|| Error::InvalidArgument {
        what: "range",
        why: format!("{bytes:#x} bytes at {va:#x}"),
    })?;
    let start = va & !(PAGE - 1);
    Ok((start, end - start))
}

impl Runtime {
    /// Whether all GPUs have it.
    pub fn has_svm(&self) -> bool {
        let mut gpus = self.core.gpus().peekable();
        gpus.peek().is_some() && gpus.all(|(_, gpu)| gpu.svm)
    }

    /// Sets attributes of a range.
    pub fn set_range_attributes(
        &self,
        va: u64,
        bytes: u64,
        attributes: &[RangeAttribute],
    ) -> Result<(), Error> {
        let (va, bytes) = pages(va, bytes)?;
        self.core
            .thunk
            .set_range_attributes(va, bytes, attributes)
            .map_err(|source| Error::Driver { what: "set attributes of a range", source })
    }

    /// Asks for attributes of a range: of an access only its node counts, of the others only which it is.
    pub fn range_attributes(
        &self,
        va: u64,
        bytes: u64,
        attributes: &[RangeAttribute],
    ) -> Result<Vec<RangeAttribute>, Error> {
        let (va, bytes) = pages(va, bytes)?;
        self.core
            .thunk
            .range_attributes(va, bytes, attributes)
            .map_err(|source| Error::Driver { what: "ask for attributes of a range", source })
    }

    /// Where a range was last asked to move; of several places none.
    pub fn prefetch_location(&self, va: u64, bytes: u64) -> Result<Location, Error> {
        let asked = self.range_attributes(va, bytes, &[RangeAttribute::PrefetchLocation(Location::Host)])?;
        Ok(match asked.first() {
            Some(RangeAttribute::PrefetchLocation(location)) => *location,
            _ => Location::Undefined,
        })
    }

    /// Flags that all of a range has, and those that none of it has.
    pub fn range_flags(&self, va: u64, bytes: u64) -> Result<(SvmFlags, SvmFlags), Error> {
        let none = SvmFlags::empty();
        let questions = [RangeAttribute::SetFlags(none), RangeAttribute::ClearFlags(none)];
        let answers = self.range_attributes(va, bytes, &questions)?;
        Ok(answers.into_iter().fold((none, none), |(set, clear), answer| match answer {
            RangeAttribute::SetFlags(flags) => (flags, clear),
            RangeAttribute::ClearFlags(flags) => (set, flags),
            _ => (set, clear),
        }))
    }

    /// Moves a range to an agent's memory, once the dependencies are 0; then completes a signal and calls `then`.
    pub fn prefetch(
        self: &Arc<Self>,
        va: u64,
        bytes: u64,
        to: &Agent,
        dependencies: Vec<Signal>,
        completion: Option<Signal>,
        then: impl FnOnce() + Send + 'static,
    ) -> Result<(), Error> {
        pages(va, bytes)?;
        let location = match to.kind() {
            AgentKind::Cpu => Location::Host,
            AgentKind::Gpu => Location::Gpu(NodeId(to.node_id())),
        };
        let runtime = Arc::downgrade(self);
        let work = move || {
            if let Some(runtime) = runtime.upgrade() {
                let wanted = [RangeAttribute::PrefetchLocation(location)];
                if let Err(error) = runtime.set_range_attributes(va, bytes, &wanted) {
                    tracing::error!(%error, "a range was not moved");
                }
            }
            then();
        };
        self.run_later(dependencies, Job { work: Box::new(work), completion, timed: false })
    }
}
