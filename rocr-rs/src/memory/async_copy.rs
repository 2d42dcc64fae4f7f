//! Work of the host that waits for signals and completes one: copies that are the host's (see `transfer.rs`), and what has to
//! be done before or after those of engines. It is done at once when nothing is left to wait for, else on a thread of the
//! runtime that is for this alone.

use std::sync::Arc;

use hsa_sys::{DispatchTime, SignalCondition};

use crate::{Error, Runtime, Signal, SignalKind};

/// Something to do once its dependencies are met, with what is told afterwards.
pub struct Job {
    /// The work: copies, fills.
    pub work: Box<dyn FnOnce() + Send>,
    /// Completed, by a subtraction of one, when the work is done.
    pub completion: Option<Signal>,
    /// Whether the completion signal also gets the times.
    pub timed: bool,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("completion", &self.completion)
            .field("timed", &self.timed)
            .finish_non_exhaustive()
    }
}

impl Runtime {
    /// Does `job` once all `dependencies` are 0.
    pub fn run_after(self: &Arc<Self>, mut dependencies: Vec<Signal>, job: Job) -> Result<(), Error> {
        use std::sync::atomic::Ordering;
        dependencies.retain(|signal| signal.load(Ordering::Acquire) != 0);
        let Some(next) = dependencies.pop() else {
            self.run(job);
            return Ok(());
        };
        let runtime = Arc::downgrade(self);
        let mut rest = Some((dependencies, job));
        let then = move |_| {
            if let (Some(runtime), Some((dependencies, job))) = (runtime.upgrade(), rest.take()) {
                runtime.run_on(dependencies, job);
            }
            false
        };
        self.copies()?.add(next, SignalCondition::EQ, 0, Box::new(then));
        Ok(())
    }

    /// As [`Runtime::run_after`], never on the caller's thread.
    pub fn run_later(self: &Arc<Self>, mut dependencies: Vec<Signal>, job: Job) -> Result<(), Error> {
        if dependencies.is_empty() {
            dependencies.push(Signal::new(self, 0, SignalKind::Default)?);
        }
        let last = dependencies.remove(0);
        let runtime = Arc::downgrade(self);
        let mut rest = Some((dependencies, job));
        let then = move |_| {
            if let (Some(runtime), Some((dependencies, job))) = (runtime.upgrade(), rest.take()) {
                runtime.run_on(dependencies, job);
            }
            false
        };
        self.copies()?.add(last, SignalCondition::EQ, 0, Box::new(then));
        Ok(())
    }

    /// Goes on with a job whose caller is gone: its signal tells of a failure.
    fn run_on(self: &Arc<Self>, dependencies: Vec<Signal>, job: Job) {
        use std::sync::atomic::Ordering;
        let completion = job.completion.clone();
        if let Err(error) = self.run_after(dependencies, job) {
            tracing::error!(%error, "a copy was not done");
            if let Some(signal) = completion {
                signal.store(crate::sdma::FAILED, Ordering::Release);
            }
        }
    }

    fn run(&self, job: Job) {
        use std::sync::atomic::Ordering;
        let start = if job.timed { self.timestamp() } else { 0 };
        (job.work)();
        for (index, _) in self.core.gpus() {
            self.core.flush_host_writes(index);
        }
        if let Some(signal) = job.completion {
            if job.timed {
                signal.set_copy_time(DispatchTime { start, end: self.timestamp() });
            }
            signal.sub(1, Ordering::AcqRel);
        }
    }
}
