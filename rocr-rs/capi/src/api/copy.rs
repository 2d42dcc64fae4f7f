//! Copies and fills (`hsa_memory_copy`, `hsa_amd_memory_async_copy` and its kin).

use std::sync::atomic::Ordering;

use hsa_sys::{AgentHandle, SignalHandle, Status};
use rocr_rs::{AgentKind, Job, Signal};

use super::signal;
use crate::abi::{Dim3, PitchedPtr};
use crate::ffi::{self, Address, In, Out, Result};
use crate::state::{Session, session};

pub fn copy(to: Address, from: Address, bytes: usize) -> Result {
    session()?;
    if to == 0 || from == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    ffi::copy(to, from, bytes);
    Ok(())
}

pub fn fill(to: Address, value: u32, words: usize) -> Result {
    session()?;
    if to == 0 || !to.is_multiple_of(4) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    ffi::fill(to, value, words);
    Ok(())
}

/// Does `work` once the dependencies are 0, and then completes the signal.
fn after(
    session: &Session,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
    work: impl FnOnce() + Send + 'static,
) -> Result {
    let dependencies = signals(count, dependencies)?;
    let completion = if completion.is_null() { None } else { Some(signal::find(completion)?) };
    let timed = session.time_copies.load(Ordering::Relaxed);
    session
        .runtime
        .run_after(dependencies, Job { work: Box::new(work), completion, timed })
        .map_err(|error| error.status())
}

/// The signals of an array; null handles name none.
pub fn signals(count: u32, handles: In<SignalHandle>) -> Result<Vec<Signal>> {
    let handles = handles.array(count as usize)?;
    handles.into_iter().filter(|handle| !handle.is_null()).map(signal::find).collect()
}

pub fn asynchronous(
    to: Address,
    to_agent: AgentHandle,
    from: Address,
    from_agent: AgentHandle,
    bytes: usize,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
) -> Result {
    let session = session()?;
    if to == 0 || from == 0 || (count == 0) != dependencies.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    session.agent(to_agent)?;
    session.agent(from_agent)?;
    after(&session, count, dependencies, completion, move || ffi::copy(to, from, bytes))
}

/// `hsa_amd_memory_async_copy_on_engine`: the engines are all the same here.
pub fn on_engine(
    to: Address,
    to_agent: AgentHandle,
    from: Address,
    from_agent: AgentHandle,
    bytes: usize,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
    _engine: u32,
    _force: bool,
) -> Result {
    asynchronous(to, to_agent, from, from_agent, bytes, count, dependencies, completion)
}

/// The mask of engines that are free: those that the agents have.
pub fn engine_status(to_agent: AgentHandle, from_agent: AgentHandle, mask: Out<u32>) -> Result {
    let session = session()?;
    mask.check()?;
    let (to, from) = (session.agent(to_agent)?, session.agent(from_agent)?);
    let gpu = [to, from].into_iter().find(|agent| agent.kind() == AgentKind::Gpu);
    let engines = gpu.map_or(0, |gpu| gpu.properties().sdma_engines.min(31));
    mask.set((1 << engines) - 1)
}

/// Where the rows of a box are.
struct Rows {
    first: u64,
    pitch: u64,
    slice: u64,
}

impl Rows {
    /// Of a box that has rows. The address of the last one is checked for overflow, and no other is greater.
    fn of(base: &PitchedPtr, offset: &Dim3, range: &Dim3) -> Result<Rows> {
        let row = |y: u64, z: u64| {
            z.checked_mul(base.slice)
                .and_then(|at| at.checked_add(y.checked_mul(base.pitch)?))
                .and_then(|at| at.checked_add(offset.x.into())?.checked_add(base.base))
                .ok_or(Status::ERROR_INVALID_ARGUMENT)
        };
        let (y, z) = (u64::from(offset.y), u64::from(offset.z));
        row(y + u64::from(range.y) - 1, z + u64::from(range.z) - 1)?;
        Ok(Rows { first: row(y, z)?, pitch: base.pitch, slice: base.slice })
    }

    fn at(&self, y: u32, z: u32) -> u64 {
        self.first + u64::from(z) * self.slice + u64::from(y) * self.pitch
    }
}

/// `hsa_amd_memory_async_copy_rect`
pub fn rectangle(
    to: In<PitchedPtr>,
    to_offset: In<Dim3>,
    from: In<PitchedPtr>,
    from_offset: In<Dim3>,
    range: In<Dim3>,
    agent: AgentHandle,
    direction: u32,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
) -> Result {
    const DIRECTIONS: u32 = 4;
    let session = session()?;
    let (to, from) = (to.get()?, from.get()?);
    let (to_offset, from_offset, range) = (to_offset.get()?, from_offset.get()?, range.get()?);
    if direction >= DIRECTIONS || to.base == 0 || from.base == 0 || (count == 0) != dependencies.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // The manual wants a GPU, whose SDMA engine would do it.
    if session.agent(agent)?.kind() == AgentKind::Cpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    if range.y == 0 || range.z == 0 {
        return after(&session, count, dependencies, completion, || {});
    }
    let (to, from) = (Rows::of(&to, &to_offset, &range)?, Rows::of(&from, &from_offset, &range)?);
    after(&session, count, dependencies, completion, move || {
        for z in 0..range.z {
            for y in 0..range.y {
                ffi::copy(to.at(y, z), from.at(y, z), range.x as usize);
            }
        }
    })
}
