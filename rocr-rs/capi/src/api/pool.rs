//! Memory pools and regions (`hsa_ext_amd.h`, `hsa.h` section 2.7): what kinds of memory an agent has.
//!
//! A handle is a number of its sort with the agent and the kind in it; nothing is kept for it.

use hsa_sys::{AgentHandle, MemoryPoolGlobalFlag, MemoryPoolHandle, RegionHandle, RegionSegment, Status};
use rocr_rs::{Agent, AgentKind, PoolKind};

use crate::abi::LinkInfo;
use crate::ffi::{Address, Each, Result, Value, iterate};
use crate::state::{Session, session};

const POOL_BASE: u64 = 0x504f_0000_0000;
const REGION_BASE: u64 = 0x5247_0000_0000;
const PAGE: u64 = 4096;

/// What a pool's handle says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Memory that any agent can be given access to.
    Global(PoolKind),
    /// LDS.
    Group,
}

const KINDS: &[Kind] = &[
    Kind::Global(PoolKind::FineGrained),
    Kind::Global(PoolKind::Kernarg),
    Kind::Global(PoolKind::CoarseGrained),
    Kind::Group,
];
/// In the order in which they are iterated.
const OF_HOST: &[usize] = &[0, 1, 2];
const OF_GPU: &[usize] = &[2, 3];

fn numbers(base: u64, agent: AgentHandle, kinds: &'static [usize]) -> impl Iterator<Item = u64> {
    kinds.iter().map(move |kind| base | agent.0 << 4 & 0xffff_fff0 | *kind as u64)
}

fn kinds(agent: &Agent) -> &'static [usize] {
    if agent.kind() == AgentKind::Gpu { OF_GPU } else { OF_HOST }
}

fn find(session: &Session, base: u64, number: u64) -> Option<(Agent, Kind)> {
    if number >> 32 != base >> 32 {
        return None;
    }
    let agent = session
        .agents
        .iter()
        .find(|agent| session.handle(agent).0 << 4 & 0xffff_fff0 == number & 0xffff_fff0)?;
    let kind = (number & 0xf) as usize;
    kinds(agent).contains(&kind).then(|| (agent.clone(), KINDS[kind]))
}

/// What a pool's handle stands for.
pub fn pool(session: &Session, pool: MemoryPoolHandle) -> Result<(Agent, Kind)> {
    find(session, POOL_BASE, pool.0).ok_or(Status::ERROR_INVALID_MEMORY_POOL)
}

/// The handle of an agent's pool.
pub fn handle(session: &Session, agent: &Agent, kind: Kind) -> Option<MemoryPoolHandle> {
    let number = kinds(agent).iter().copied().find(|number| KINDS[*number] == kind)?;
    let base = POOL_BASE | session.handle(agent).0 << 4 & 0xffff_fff0;
    Some(MemoryPoolHandle(base | number as u64))
}

/// What a region's handle stands for.
pub fn region(session: &Session, region: RegionHandle) -> Result<(Agent, Kind)> {
    find(session, REGION_BASE, region.0).ok_or(Status::ERROR_INVALID_REGION)
}

pub fn iterate_pools(agent: AgentHandle, each: Each<MemoryPoolHandle>, data: Address) -> Result {
    let session = session()?;
    let kinds = kinds(session.agent(agent)?);
    iterate(numbers(POOL_BASE, agent, kinds).map(MemoryPoolHandle), each, data)
}

/// A GPU has the regions of the hosts, too: they are what it can be given.
pub fn iterate_regions(agent: AgentHandle, each: Each<RegionHandle>, data: Address) -> Result {
    let session = session()?;
    let own = session.agent(agent)?;
    let mut regions: Vec<u64> = numbers(REGION_BASE, agent, kinds(own)).collect();
    if own.kind() == AgentKind::Gpu {
        for host in session.agents.iter().filter(|agent| agent.kind() == AgentKind::Cpu) {
            regions.extend(numbers(REGION_BASE, session.handle(host), OF_HOST));
        }
    }
    iterate(regions.into_iter().map(RegionHandle), each, data)
}

impl Kind {
    fn segment(self) -> RegionSegment {
        if self == Kind::Group { RegionSegment::GROUP } else { RegionSegment::GLOBAL }
    }

    /// `hsa_amd_memory_pool_global_flag_t`
    pub fn flags(self) -> u32 {
        match self {
            Kind::Group => 0,
            Kind::Global(kind) => flags_of(kind),
        }
    }
}

/// `hsa_amd_memory_pool_global_flag_t`
pub fn flags_of(kind: PoolKind) -> u32 {
    use MemoryPoolGlobalFlag as F;
    match kind {
        PoolKind::FineGrained => F::FINE_GRAINED.0,
        PoolKind::Kernarg => F::FINE_GRAINED.0 | F::KERNARG_INIT.0,
        PoolKind::CoarseGrained => F::COARSE_GRAINED.0,
    }
}

fn size(agent: &Agent, kind: Kind) -> u64 {
    match kind {
        Kind::Group => agent.properties().lds_bytes.into(),
        Kind::Global(_) => agent.properties().memory_bytes & !(PAGE - 1),
    }
}

/// The largest allocation: what the hosts have twice, since pages may be swapped.
pub fn max_allocation(session: &Session, agent: &Agent, kind: Kind) -> u64 {
    match kind {
        Kind::Group => 0,
        Kind::Global(_) if agent.kind() == AgentKind::Gpu => size(agent, kind),
        Kind::Global(_) => {
            let hosts = session.agents.iter().filter(|agent| agent.kind() == AgentKind::Cpu);
            hosts.fold(0, |sum: u64, host| sum.saturating_add(size(host, kind))).saturating_mul(2)
        }
    }
}

/// Attributes that pools and regions have in common, by `hsa_region_info_t`.
fn common(agent: &Agent, kind: Kind, attribute: u32, value: Value) -> Result {
    let allocatable = kind != Kind::Group;
    let page = if allocatable { PAGE } else { 0 };
    match attribute {
        0 => value.set(kind.segment()),
        1 => value.set(kind.flags()),
        2 => value.set(size(agent, kind)),
        5 => value.set(allocatable),
        6 | 7 => value.set(page),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// `hsa_amd_memory_pool_info_t`
pub fn pool_info(handle: MemoryPoolHandle, attribute: u32, value: Value) -> Result {
    let session = session()?;
    let (agent, kind) = pool(&session, handle)?;
    value.check()?;
    match attribute {
        // Whether all agents have access at once.
        15 => value.set(agent.kind() == AgentKind::Cpu),
        16 => value.set(max_allocation(&session, &agent, kind)),
        _ => common(&agent, kind, attribute, value),
    }
}

/// `hsa_region_info_t` and `hsa_amd_region_info_t`
pub fn region_info(handle: RegionHandle, attribute: u32, value: Value) -> Result {
    let session = session()?;
    let (agent, kind) = region(&session, handle)?;
    value.check()?;
    let p = agent.properties();
    let of_memory = |number| if kind == Kind::Group { 0 } else { number };
    match attribute {
        4 => value.set(max_allocation(&session, &agent, kind)),
        0xa000 => value.set(agent.kind() == AgentKind::Cpu),
        0xa001 => value.set(0u64),
        0xa002 => value.set(of_memory(p.memory_bus_bits)),
        0xa003 => value.set(of_memory(p.memory_clock_mhz)),
        _ => common(&agent, kind, attribute, value),
    }
}

/// `hsa_amd_memory_pool_access_t`
const NEVER: u32 = 0;
const BY_DEFAULT: u32 = 1;
const ON_REQUEST: u32 = 2;

fn access(agent: &Agent, owner: &Agent, kind: Kind) -> u32 {
    if agent == owner {
        BY_DEFAULT
    } else if kind == Kind::Group {
        NEVER
    } else if owner.kind() == AgentKind::Cpu {
        if agent.kind() == AgentKind::Gpu { ON_REQUEST } else { BY_DEFAULT }
    } else if agent.kind() == AgentKind::Gpu {
        if agent.links_to(owner).is_empty() { NEVER } else { ON_REQUEST }
    } else if owner.properties().host_visible_memory {
        ON_REQUEST
    } else {
        NEVER
    }
}

fn link(agent: &Agent, owner: &Agent, kind: Kind) -> Option<LinkInfo> {
    if agent == owner || kind == Kind::Group {
        return None;
    }
    let link = agent.links_to(owner).into_iter().chain(owner.links_to(agent)).next()?;
    let lacks = |bit: u32| link.flags >> bit & 1 != 0;
    Some(LinkInfo {
        min_latency: link.min_latency,
        max_latency: link.max_latency,
        min_bandwidth: link.min_bandwidth,
        max_bandwidth: link.max_bandwidth,
        atomics_32: !lacks(2),
        atomics_64: !lacks(3),
        coherent: !lacks(1),
        reserved: 0,
        kind: link.hsa_type(),
        numa_distance: link.weight,
    })
}

/// `hsa_amd_agent_memory_pool_info_t`
pub fn agent_pool_info(agent: AgentHandle, handle: MemoryPoolHandle, attribute: u32, value: Value) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    let (owner, kind) = pool(&session, handle)?;
    value.check()?;
    let link = link(agent, &owner, kind);
    match attribute {
        0 => value.set(access(agent, &owner, kind)),
        1 => value.set(u32::from(link.is_some())),
        2 => match link {
            Some(link) => value.set(link),
            None => value.bytes(&[0; size_of::<LinkInfo>()]),
        },
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}
