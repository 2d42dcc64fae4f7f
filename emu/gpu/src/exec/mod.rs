//! Compute units: dispatches, their work-groups and waves, and the host threads that run them.
//!
//! A work-group runs on one thread at a time, its waves in turn. A group whose waves only wait for someone else is
//! parked and another one goes on, so that nobody who spins on memory keeps the one he waits for from running.

mod dispatch;
mod group;
mod launch;
mod progress;
mod space;
mod spin;
mod workers;

pub(crate) use dispatch::{Cause, Dispatch, Failure, Launch, Scratch};
pub(crate) use workers::{Worker, Workers};
