//! Shared virtual memory (`hsa_amd_svm_…` of `hsa_ext_amd.h`).

use hsa_sys::{AgentHandle, SignalHandle, Status};
use rocr_rs::svm::{Location, RangeAccess, RangeAttribute, SvmFlags};
use rocr_rs::{Agent, AgentKind};

use super::{copy, signal};
use crate::abi::SvmAttribute;
use crate::ffi::{Address, In, Out, Result};
use crate::state::{Session, session};

/// `hsa_amd_svm_attribute_t`
const GLOBAL_FLAG: u64 = 0;
const READ_ONLY: u64 = 1;
const HIVE_LOCAL: u64 = 2;
const MIGRATION_GRANULARITY: u64 = 3;
const PREFERRED_LOCATION: u64 = 4;
const PREFETCH_LOCATION: u64 = 5;
const READ_MOSTLY: u64 = 6;
const GPU_EXEC: u64 = 7;
const AGENT_ACCESSIBLE: u64 = 0x200;
const AGENT_ACCESSIBLE_IN_PLACE: u64 = 0x201;
const AGENT_NO_ACCESS: u64 = 0x202;
const ACCESS_QUERY: u64 = 0x203;

/// `hsa_amd_svm_model_t`
const FINE_GRAINED: u64 = 0;
const COARSE_GRAINED: u64 = 1;
const INDETERMINATE: u64 = 2;

/// Pages of 1 GiB, as a power of two: no more move at once.
const MOST_PAGES: u64 = 18;

/// A move that was asked for and has not been made yet.
pub struct Pending {
    number: u64,
    range: (u64, u64),
    agent: AgentHandle,
}

/// The flag that an attribute of yes or no is.
fn flag(attribute: u64) -> Option<SvmFlags> {
    Some(match attribute {
        READ_ONLY => SvmFlags::GPU_RO,
        HIVE_LOCAL => SvmFlags::HIVE_LOCAL,
        READ_MOSTLY => SvmFlags::GPU_READ_MOSTLY,
        GPU_EXEC => SvmFlags::GPU_EXEC,
        _ => return None,
    })
}

fn agent(session: &Session, handle: u64) -> Result<&Agent> {
    session.agent(AgentHandle(handle))
}

fn location(agent: &Agent) -> Location {
    match agent.kind() {
        AgentKind::Cpu => Location::Host,
        AgentKind::Gpu => Location::Gpu(agent.node()),
    }
}

/// The agent that a location is; null for none.
fn agent_of(session: &Session, location: Location) -> AgentHandle {
    match location {
        Location::Undefined => AgentHandle::NULL,
        Location::Gpu(node) => session.handle_of_node(node.0),
        Location::Host => session.handle(&session.runtime.cpu_agent()),
    }
}

pub fn set(address: Address, bytes: usize, list: In<SvmAttribute>, count: usize) -> Result {
    let session = session()?;
    let once = Status::ERROR_INCOMPATIBLE_ARGUMENTS;
    let (mut wanted, mut seen, mut agents) = (Vec::new(), Vec::new(), Vec::new());
    let (mut set, mut clear) = (SvmFlags::empty(), SvmFlags::empty());
    for SvmAttribute { attribute, value } in list.array(count)? {
        if attribute < AGENT_ACCESSIBLE {
            if seen.contains(&attribute) {
                return Err(once);
            }
            seen.push(attribute);
        }
        match attribute {
            GLOBAL_FLAG if value == FINE_GRAINED => set |= SvmFlags::COHERENT,
            GLOBAL_FLAG if value == COARSE_GRAINED => clear |= SvmFlags::COHERENT,
            MIGRATION_GRANULARITY => {
                wanted.push(RangeAttribute::Granularity(value.min(MOST_PAGES) as u32));
            }
            PREFERRED_LOCATION if value == 0 => {
                wanted.push(RangeAttribute::PreferredLocation(Location::Undefined));
            }
            PREFERRED_LOCATION => {
                wanted.push(RangeAttribute::PreferredLocation(location(agent(&session, value)?)));
            }
            AGENT_ACCESSIBLE | AGENT_ACCESSIBLE_IN_PLACE | AGENT_NO_ACCESS => {
                let of = agent(&session, value)?;
                if agents.contains(&value) {
                    return Err(once);
                }
                agents.push(value);
                let access = match attribute {
                    AGENT_ACCESSIBLE => RangeAccess::Yes,
                    AGENT_ACCESSIBLE_IN_PLACE => RangeAccess::InPlace,
                    _ => RangeAccess::None,
                };
                if of.kind() == AgentKind::Gpu {
                    wanted.push(RangeAttribute::Access(of.node(), access));
                } else if access == RangeAccess::None {
                    clear |= SvmFlags::HOST_ACCESS;
                } else {
                    set |= SvmFlags::HOST_ACCESS;
                }
            }
            other => match flag(other) {
                Some(flag) if value != 0 => set |= flag,
                Some(flag) => clear |= flag,
                None => return Err(Status::ERROR_INVALID_ARGUMENT),
            },
        }
    }
    // Any host that has access gives it to all.
    clear -= set & SvmFlags::HOST_ACCESS;
    if !clear.is_empty() {
        wanted.push(RangeAttribute::ClearFlags(clear));
    }
    if !set.is_empty() {
        wanted.push(RangeAttribute::SetFlags(set));
    }
    session.runtime.set_range_attributes(address, bytes as u64, &wanted).map_err(|_| Status::ERROR)
}

pub fn get(address: Address, bytes: usize, list: Out<SvmAttribute>, count: usize) -> Result {
    let session = session()?;
    let failed = |_| Status::ERROR;
    let ask = |question: RangeAttribute| {
        let answers = session.runtime.range_attributes(address, bytes as u64, &[question]).map_err(failed)?;
        answers.into_iter().next().ok_or(Status::ERROR)
    };
    let flags = || session.runtime.range_flags(address, bytes as u64).map_err(failed);
    let answer = |SvmAttribute { attribute, value }: SvmAttribute| {
        let value = match attribute {
            GLOBAL_FLAG => {
                let (set, clear) = flags()?;
                if set.contains(SvmFlags::COHERENT) {
                    FINE_GRAINED
                } else if clear.contains(SvmFlags::COHERENT) {
                    COARSE_GRAINED
                } else {
                    INDETERMINATE
                }
            }
            READ_ONLY | HIVE_LOCAL | READ_MOSTLY => {
                let wanted = flag(attribute).unwrap_or_default();
                (flags()?.0 & wanted).bits().into()
            }
            MIGRATION_GRANULARITY => match ask(RangeAttribute::Granularity(0))? {
                RangeAttribute::Granularity(pages) => pages.into(),
                _ => return Err(Status::ERROR),
            },
            PREFERRED_LOCATION => match ask(RangeAttribute::PreferredLocation(Location::Host))? {
                RangeAttribute::PreferredLocation(location) => agent_of(&session, location).0,
                _ => return Err(Status::ERROR),
            },
            PREFETCH_LOCATION => prefetched(&session, address, bytes)?.0,
            ACCESS_QUERY => {
                let of = agent(&session, value)?;
                let kind = if of.kind() == AgentKind::Cpu {
                    // What is no access for a host cannot be told: the question stays.
                    let there = flags()?.0.contains(SvmFlags::HOST_ACCESS);
                    if there { AGENT_ACCESSIBLE } else { ACCESS_QUERY }
                } else {
                    match ask(RangeAttribute::Access(of.node(), RangeAccess::Yes))? {
                        RangeAttribute::Access(_, RangeAccess::Yes) => AGENT_ACCESSIBLE,
                        RangeAttribute::Access(_, RangeAccess::InPlace) => AGENT_ACCESSIBLE_IN_PLACE,
                        _ => AGENT_NO_ACCESS,
                    }
                };
                return Ok(SvmAttribute { attribute: kind, value });
            }
            _ => return Err(Status::ERROR_INVALID_ARGUMENT),
        };
        Ok(SvmAttribute { attribute, value })
    };
    let answers: Vec<_> =
        list.as_in::<SvmAttribute>().array(count)?.into_iter().map(answer).collect::<Result<_>>()?;
    if answers.is_empty() { Ok(()) } else { list.set_all(&answers) }
}

/// Where a range goes, or went last: null when parts of it differ.
fn prefetched(session: &Session, address: u64, bytes: usize) -> Result<AgentHandle> {
    let end = address.checked_add(bytes as u64).ok_or(Status::ERROR)?;
    let mut found: Vec<AgentHandle> = Vec::new();
    let mut gaps = vec![(address, end)];
    // What was asked for last counts.
    for pending in session.prefetches.lock().iter().rev() {
        let (from, to) = pending.range;
        let mut left = Vec::new();
        for (begin, end) in gaps {
            if end <= from || to <= begin {
                left.push((begin, end));
                continue;
            }
            found.push(pending.agent);
            left.extend([(begin, from), (to, end)].into_iter().filter(|(begin, end)| begin < end));
        }
        gaps = left;
    }
    for (begin, end) in gaps {
        let location = session.runtime.prefetch_location(begin, end - begin).map_err(|_| Status::ERROR)?;
        found.push(agent_of(session, location));
    }
    let first = found.first().copied().unwrap_or(AgentHandle::NULL);
    Ok(if found.iter().all(|agent| *agent == first) { first } else { AgentHandle::NULL })
}

pub fn prefetch(
    address: Address,
    bytes: usize,
    to: AgentHandle,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
) -> Result {
    let session = session()?;
    let agent = session.agent(to)?;
    let dependencies = copy::signals(count, dependencies)?;
    let completion = if completion.is_null() { None } else { Some(signal::find(completion)?) };
    let end = address.checked_add(bytes as u64).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let number = {
        let mut prefetches = session.prefetches.lock();
        let number = prefetches.last().map_or(0, |last| last.number + 1);
        prefetches.push(Pending { number, range: (address, end), agent: to });
        number
    };
    let over = {
        let session = std::sync::Arc::downgrade(&session);
        move || {
            if let Some(session) = session.upgrade() {
                session.prefetches.lock().retain(|pending| pending.number != number);
            }
        }
    };
    let forget = over.clone();
    let begun = session.runtime.prefetch(address, bytes as u64, agent, dependencies, completion, over);
    begun.map_err(|error| {
        forget();
        error.status()
    })
}
