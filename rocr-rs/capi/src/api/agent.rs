//! Agents and caches (`hsa.h` section 2.2, `hsa_ext_amd.h`).

use hsa_sys::{AgentFeature, AgentHandle, AgentInfo, DeviceType, QueueType, Status};
use rocr_rs::{Agent, AgentKind};

use super::{extension, isa, system};
use crate::abi::HdpFlush;
use crate::ffi::{Address, Each, Out, Result, Value, iterate};
use crate::state::{Session, session};

/// `HSA_PROFILE_BASE`, `HSA_PROFILE_FULL`
const PROFILES: [u32; 2] = [0, 1];
/// `HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR`
pub const ROUND_NEAR: u32 = 2;
/// Bytes of names.
const NAME: usize = 64;
/// `HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES`
const BASE_PROFILE_ROUNDING: u32 = 23;
/// Fbarriers of a work-group.
pub const FBARRIERS: u32 = 32;
/// Packets of a GPU's queues, and how many it has.
const QUEUE_SIZES: (u32, u32) = (64, 0x2_0000);
const QUEUES: u32 = 128;

pub fn info(agent: AgentHandle, attribute: u32, value: Value) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    value.check()?;
    match attribute {
        0..=0xff => core(&session, agent, attribute, value),
        0x3000..=0x30ff => image(agent, attribute, value),
        0xa000..=0xafff => amd(agent, attribute, value),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

fn core(session: &Session, agent: &Agent, attribute: u32, value: Value) -> Result {
    let p = agent.properties();
    let gpu = agent.kind() == AgentKind::Gpu;
    // What only GPUs have, and hosts answer with 0.
    let of_gpu = |number: u32| if gpu { number } else { 0 };
    match AgentInfo(attribute) {
        AgentInfo::NAME => value.text(&p.name, NAME),
        AgentInfo::VENDOR_NAME => value.text(&p.vendor_name, NAME),
        AgentInfo::FEATURE => value.set(of_gpu(AgentFeature::KERNEL_DISPATCH.0)),
        AgentInfo::MACHINE_MODEL => value.set(system::MACHINE_MODEL_LARGE),
        AgentInfo::PROFILE => value.set(PROFILES[usize::from(!gpu)]),
        AgentInfo::DEFAULT_FLOAT_ROUNDING_MODE | AgentInfo(BASE_PROFILE_ROUNDING) => value.set(ROUND_NEAR),
        AgentInfo::FAST_F16_OPERATION => value.set(gpu),
        AgentInfo::WAVEFRONT_SIZE => value.set(p.wavefront_size),
        AgentInfo::WORKGROUP_MAX_DIM => value.set([p.max_workgroup_size as u16; 3]),
        AgentInfo::WORKGROUP_MAX_SIZE => value.set(p.max_workgroup_size),
        AgentInfo::GRID_MAX_DIM => value.set([of_gpu(u32::MAX); 3]),
        AgentInfo::GRID_MAX_SIZE => value.set(of_gpu(u32::MAX)),
        AgentInfo::FBARRIER_MAX_SIZE => value.set(of_gpu(FBARRIERS)),
        AgentInfo::QUEUES_MAX => {
            let wanted = session.runtime.environment().max_queues;
            value.set(of_gpu(wanted.map_or(QUEUES, |most| most.min(QUEUES))))
        }
        AgentInfo::QUEUE_MIN_SIZE => value.set(of_gpu(QUEUE_SIZES.0)),
        AgentInfo::QUEUE_MAX_SIZE => value.set(of_gpu(QUEUE_SIZES.1)),
        AgentInfo::QUEUE_TYPE => value.set(QueueType::MULTI),
        AgentInfo::NODE => value.set(p.node_id),
        AgentInfo::DEVICE => value.set(if gpu { DeviceType::GPU } else { DeviceType::CPU }),
        AgentInfo::CACHE_SIZE => value.set(cache_sizes(agent)),
        AgentInfo::ISA => value.set(isa::of_agent(session, agent).unwrap_or_default()),
        AgentInfo::EXTENSIONS => value.bytes(&if gpu { extension::mask() } else { [0; 128] }),
        AgentInfo::VERSION_MAJOR => value.set(system::VERSION.0),
        AgentInfo::VERSION_MINOR => value.set(system::VERSION.1),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// Bytes by level. Those of a host are 1024 times what they are, in every release of the vendor's library: `rocminfo`
/// everywhere says "32768 KB" of a first level of 32 KiB, and this library says what programs compare with.
fn cache_sizes(agent: &Agent) -> [u32; 4] {
    let p = agent.properties();
    if agent.kind() == AgentKind::Gpu {
        return p.cache_bytes;
    }
    let mut sizes = [0; 4];
    for cache in &p.caches {
        if let Some(size) = usize::from(cache.level).checked_sub(1).and_then(|level| sizes.get_mut(level)) {
            *size = cache.bytes.saturating_mul(1024);
        }
    }
    sizes
}

fn amd(agent: &Agent, attribute: u32, value: Value) -> Result {
    use hsa_sys::AmdAgentInfo as A;
    let p = agent.properties();
    let gpu = agent.kind() == AgentKind::Gpu;
    match A(attribute) {
        A::CHIP_ID => value.set(p.device_id),
        A::CACHELINE_SIZE => value.set(if p.cacheline_bytes == 0 { 64 } else { p.cacheline_bytes.min(64) }),
        A::COMPUTE_UNIT_COUNT => value.set(p.compute_units),
        A::MAX_CLOCK_FREQUENCY => value.set(p.max_clock_mhz),
        A::DRIVER_NODE_ID => value.set(p.node_id),
        A::MAX_ADDRESS_WATCH_POINTS => value.set(p.watch_points),
        A::BDFID => {
            value.set(u32::from(p.pci.bus) << 8 | u32::from(p.pci.device) << 3 | u32::from(p.pci.function))
        }
        A::PRODUCT_NAME => value.text(&p.product_name, NAME),
        A::MAX_WAVES_PER_CU => value.set(p.max_waves_per_cu),
        A::NUM_SIMDS_PER_CU => value.set(p.simds_per_cu),
        A::NUM_SHADER_ENGINES => value.set(p.shader_engines),
        A::NUM_SHADER_ARRAYS_PER_SE => value.set(p.arrays_per_engine),
        A::DOMAIN => value.set(p.pci.domain),
        A::UUID => value.bytes(format!("{}\0", p.uuid).as_bytes()),
        A::ASIC_REVISION => value.set(p.asic_revision),
        A::MEMORY_WIDTH if gpu => value.set(p.memory_bus_bits),
        A::MEMORY_MAX_FREQUENCY if gpu => value.set(p.memory_clock_mhz),
        A::HDP_FLUSH if gpu => {
            let page = agent.hdp_flush_page().unwrap_or(0);
            let registers = if page == 0 { 0 } else { page + 4 };
            value.set(HdpFlush { memory: page, registers })
        }
        A::COOPERATIVE_QUEUES if gpu => value.set(p.has_global_wave_sync),
        A::SVM_DIRECT_HOST_ACCESS if gpu => value.set(p.coherent_host_access),
        A::COOPERATIVE_COMPUTE_UNIT_COUNT if gpu => value.set(p.compute_units),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// Limits of images (`HSA_EXT_AGENT_INFO_…`), as the architecture has them; hosts have none.
fn image(agent: &Agent, attribute: u32, value: Value) -> Result {
    const SIDE: u32 = 16384;
    const LAYERS: u32 = 8192;
    let limit = |size| if agent.kind() == AgentKind::Gpu { size } else { 0 };
    match attribute {
        0x3000 | 0x3001 => value.set(limit(SIDE)),
        0x3002 => value.set(limit(u32::MAX)),
        0x3003..=0x3006 => value.set([limit(SIDE); 2]),
        0x3007 => value.set([limit(SIDE), limit(SIDE), limit(LAYERS)]),
        0x3008 => value.set(limit(LAYERS)),
        // Handles for reading, for reading and writing, samplers.
        0x3009 => value.set(limit(128)),
        0x300a => value.set(limit(64)),
        0x300b => value.set(limit(32)),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

pub fn exception_policies(agent: AgentHandle, profile: u32, mask: Out<u16>) -> Result {
    session()?.agent(agent)?;
    mask.check()?;
    if !PROFILES.contains(&profile) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    mask.set(0)
}

/// A cache's handle: the agent's, and its place in the agent's list.
fn cache_handle(agent: AgentHandle, index: usize) -> u64 {
    agent.0 << 16 | 0x8000 | index as u64
}

pub fn iterate_caches(agent: AgentHandle, each: Each<u64>, data: Address) -> Result {
    let session = session()?;
    let caches = &session.agent(agent)?.properties().caches;
    iterate((0..caches.len()).map(|index| cache_handle(agent, index)), each, data)
}

/// `hsa_cache_info_t`
pub fn cache_info(cache: u64, attribute: u32, value: Value) -> Result {
    let session = session()?;
    let bad = Status::ERROR_INVALID_CACHE;
    if cache & 0x8000 == 0 {
        return Err(bad);
    }
    let agent = session.agent(AgentHandle(cache >> 16)).map_err(|_| bad)?;
    let found = *agent.properties().caches.get((cache & 0x7fff) as usize).ok_or(bad)?;
    value.check()?;
    let name = format!("{} L{}", agent.name(), found.level);
    match attribute {
        0 => value.set(name.len() as u32 + 1),
        1 => value.bytes(format!("{name}\0").as_bytes()),
        2 => value.set(found.level),
        3 => value.set(found.bytes),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// `hsa_amd_agent_set_async_scratch_limit`: no agent reclaims scratch memory while kernels run, which is this answer.
pub fn set_scratch_limit(agent: AgentHandle) -> Result {
    session()?.agent(agent)?;
    Err(Status::ERROR_INVALID_ARGUMENT)
}
