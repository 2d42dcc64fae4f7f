//! Agents from the KFD topology.

use std::time::Instant;

use amd_codeobj::{Feature, Isa, TargetId};
use parking_lot::Mutex;
use thunk_rs::{ClockCounters, GfxVersion, Node, NodeId, Thunk, topology::HeapType};

use super::{AgentKind, AgentProperties, CacheProperties, PciLocation};
use crate::{Environment, Error};

/// `HSA_CAPABILITY` bit: SRAM has ECC.
const CAPABILITY_SRAM_ECC: u32 = 1 << 26;
/// `HSA_CAPABILITY` bits: calls of shared virtual memory, coherent access of the host to the device's memory.
const CAPABILITY_SVM: u32 = 1 << 27;
const CAPABILITY_COHERENT_HOST_ACCESS: u32 = 1 << 28;
/// `HSA_CAPABILITY` bits of the revision.
const CAPABILITY_REVISION_SHIFT: u32 = 22;
/// `HSA_CAPABILITY` bits: the logarithm of the number of address ranges that can be watched.
const CAPABILITY_WATCH_POINTS_SHIFT: u32 = 8;
/// Cache type bits: data, and of the GPU.
const CACHE_DATA: u32 = 1;
const CACHE_GPU: u32 = 8;
/// Ticks a second of the reference clock of GPUs from gfx9 on, until it is measured.
const GPU_CLOCK_HZ: u64 = 100_000_000;
/// No host has more processors, or a processor more caches.
const MOST_CORES: u32 = 8192;
const MOST_CACHES: u32 = 16;
/// HSA's limit for GPU agents of this vendor.
const MAX_WORKGROUP: u32 = 1024;

/// The agents: hosts first.
pub(crate) fn discover(thunk: &Thunk, environment: &Environment) -> Result<Vec<AgentProperties>, Error> {
    let topology = thunk.topology();
    let missing = |why: &str| Error::NoAgent { device: thunk.device_name(), why: why.to_owned() };
    let version = environment.gfx_override()?;
    if let Some(Err(error)) = environment.xnack.map(|on| thunk.set_xnack_mode(on)) {
        tracing::debug!(%error, "the driver does not do what HSA_XNACK says");
    }
    let xnack = thunk.xnack_mode().unwrap_or(false);
    let hosts: Vec<NodeId> = topology.cpus().map(|node| node.id).collect();
    let mut agents: Vec<_> = topology.cpus().map(host).collect();
    if agents.is_empty() {
        return Err(missing("its topology has no host node"));
    }
    for node in topology.gpus() {
        agents.push(gpu(node, &hosts, xnack, version).map_err(|why| missing(&why))?);
    }
    Ok(agents)
}

fn host(node: &Node) -> AgentProperties {
    let name = host_name().unwrap_or_else(|| "CPU".to_owned());
    AgentProperties {
        kind: AgentKind::Cpu,
        node_id: node.id.0,
        product_name: name.clone(),
        name,
        vendor_name: "CPU".to_owned(),
        uuid: "CPU-XX".to_owned(),
        compute_units: node.properties.cpu_cores_count,
        max_clock_mhz: node.properties.max_engine_clk_ccompute,
        memory_bytes: node.system_bytes(),
        memory_clock_mhz: node.mem_banks.first().map_or(0, |bank| bank.mem_clk_max),
        memory_bus_bits: node.mem_banks.first().map_or(0, |bank| bank.width),
        caches: host_caches(node.properties.cpu_core_id_base, node.properties.cpu_cores_count),
        cacheline_bytes: 64,
        watch_points: 1,
        host_visible_memory: true,
        host_atomics: true,
        clock_frequency: 1_000_000_000,
        ..AgentProperties::none()
    }
}

/// The processor's name, as the kernel knows it.
fn host_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The host's caches that hold data only, each once, as the kernel lists them by processor. (libhsakmt finds no others.)
fn host_caches(first: u32, count: u32) -> Vec<CacheProperties> {
    let mut seen = std::collections::BTreeSet::new();
    let mut caches = Vec::new();
    for cpu in first..first.saturating_add(count.min(MOST_CORES)) {
        for index in 0..MOST_CACHES {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}");
            let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).ok();
            let Some(level) = read("level").and_then(|text| text.trim().parse().ok()) else { break };
            let shared = read("shared_cpu_list").unwrap_or_default();
            if read("type").is_none_or(|kind| kind.trim() != "Data") || !seen.insert((level, shared)) {
                continue;
            }
            let size = read("size").unwrap_or_default();
            let kib = size.trim().trim_end_matches('K').parse::<u32>().unwrap_or(0);
            caches.push(CacheProperties { level, bytes: kib.saturating_mul(1024) });
        }
    }
    caches
}

fn gpu(
    node: &Node,
    hosts: &[NodeId],
    xnack: bool,
    instead: Option<[u32; 3]>,
) -> Result<AgentProperties, String> {
    let p = &node.properties;
    let version =
        node.gfx_version().ok_or_else(|| format!("GPU node {} does not say what it is", node.id))?;
    let (version, number) = match instead {
        Some([major, minor, stepping]) => {
            (GfxVersion { major, minor, stepping }, major * 10_000 + minor * 100 + stepping)
        }
        None => (version, p.gfx_target_version),
    };
    let isa = Isa::by_gfx_target_version(number);
    let name = isa.map_or_else(|| version.to_string(), |isa| isa.name.to_owned());
    let state = |supported: bool, on: bool| match (supported, on) {
        (false, _) => Feature::Unsupported,
        (true, true) => Feature::On,
        (true, false) => Feature::Off,
    };
    let xnack = xnack && isa.is_some_and(|isa| isa.supports_xnack);
    let target_id = TargetId {
        processor: name.clone(),
        sramecc: state(isa.is_some_and(|isa| isa.supports_sramecc), p.capability & CAPABILITY_SRAM_ECC != 0),
        xnack: state(isa.is_some_and(|isa| isa.supports_xnack), xnack),
    };
    let vram: Vec<_> = node.mem_banks.iter().filter(|bank| bank.heap_type.is_vram()).collect();
    let mut cache_bytes = [0; 4];
    let mut cacheline_bytes = 0;
    let mut caches = Vec::new();
    let data =
        node.caches.iter().filter(|cache| cache.r#type & CACHE_DATA != 0 && cache.r#type & CACHE_GPU != 0);
    for cache in data {
        if let Some(bytes) =
            (cache.level as usize).checked_sub(1).and_then(|level| cache_bytes.get_mut(level))
        {
            *bytes = (*bytes).max(cache.size.saturating_mul(1024));
        }
        cacheline_bytes = cacheline_bytes.max(cache.cache_line_size);
        caches.push(CacheProperties {
            level: u8::try_from(cache.level).unwrap_or(u8::MAX),
            bytes: cache.size.saturating_mul(1024),
        });
    }
    Ok(AgentProperties {
        kind: AgentKind::Gpu,
        node_id: node.id.0,
        gpu_id: node.gpu_id,
        product_name: node.marketing_name().unwrap_or_else(|| node.name.clone()),
        name,
        vendor_name: "AMD".to_owned(),
        target_id: Some(target_id),
        gfx_version: (version.major, version.minor, version.stepping),
        uuid: if p.unique_id == 0 { "GPU-XX".to_owned() } else { format!("GPU-{:016x}", p.unique_id) },
        unique_id: p.unique_id,
        device_id: p.device_id,
        vendor_id: p.vendor_id,
        asic_revision: p.capability >> CAPABILITY_REVISION_SHIFT & 0xf,
        pci: PciLocation {
            domain: p.domain,
            bus: (p.location_id >> 8) as u8,
            device: (p.location_id >> 3 & 0x1f) as u8,
            function: (p.location_id & 7) as u8,
        },
        compute_units: node.compute_units(),
        simds_per_cu: p.simd_per_cu,
        max_waves_per_cu: p.max_waves_per_simd.saturating_mul(p.simd_per_cu),
        max_scratch_slots_per_cu: p.max_slots_scratch_cu,
        wavefront_size: p.wave_front_size,
        max_workgroup_size: MAX_WORKGROUP,
        lds_bytes: p.lds_size_in_kb.saturating_mul(1024),
        shader_engines: p.array_count / p.simd_arrays_per_engine.max(1),
        arrays_per_engine: p.simd_arrays_per_engine,
        xcc_count: p.num_xcc.max(1),
        max_clock_mhz: p.max_engine_clk_fcompute,
        memory_clock_mhz: vram.first().map_or(0, |bank| bank.mem_clk_max),
        memory_bus_bits: vram.first().map_or(0, |bank| bank.width),
        memory_bytes: node.vram_bytes(),
        host_visible_memory: !vram.is_empty()
            && vram.iter().all(|bank| bank.heap_type == HeapType::FRAME_BUFFER_PUBLIC),
        cache_bytes,
        cacheline_bytes,
        caches,
        watch_points: 1 << (p.capability >> CAPABILITY_WATCH_POINTS_SHIFT & 0xf),
        sdma_engines: p.num_sdma_engines,
        has_global_wave_sync: p.num_gws > 0,
        max_queues: p.num_cp_queues,
        host_atomics: hosts.iter().any(|host| node.atomics_to(*host)),
        xnack,
        svm: p.capability & CAPABILITY_SVM != 0,
        coherent_host_access: p.capability & CAPABILITY_COHERENT_HOST_ACCESS != 0,
        clock_frequency: GPU_CLOCK_HZ,
    })
}

/// The clocks when the runtime was opened: with a second reading they give the GPU clock's rate.
#[derive(Debug)]
pub(crate) struct ClockBase {
    first: Option<ClockCounters>,
    latest: Mutex<Option<(Instant, ClockCounters)>>,
}

/// Readings closer than this give no useful rate.
const BASELINE_NANOS: u64 = 10_000_000;
/// How long a reading serves.
const FRESH: std::time::Duration = std::time::Duration::from_secs(1);

impl ClockBase {
    pub(crate) fn read(thunk: &Thunk, agent: &AgentProperties) -> Self {
        let first = match agent.kind {
            AgentKind::Gpu => thunk.clock_counters(NodeId(agent.node_id)).ok(),
            AgentKind::Cpu => None,
        };
        Self { first, latest: Mutex::new(first.map(|first| (Instant::now(), first))) }
    }

    /// GPU ticks as system ticks: along the line through the first and the latest reading.
    pub(crate) fn to_system(&self, thunk: &Thunk, agent: &AgentProperties, ticks: u64) -> u64 {
        let Some(first) = self.first else { return ticks };
        let mut latest = self.latest.lock();
        if latest.is_none_or(|(at, counters)| at.elapsed() > FRESH || ticks > counters.gpu)
            && let Ok(counters) = thunk.clock_counters(NodeId(agent.node_id))
        {
            *latest = Some((Instant::now(), counters));
        }
        let last = latest.map_or(first, |(_, counters)| counters);
        let (gpu, system) = (last.gpu.saturating_sub(first.gpu), last.system.saturating_sub(first.system));
        let (numerator, denominator) = if gpu == 0 || system < BASELINE_NANOS {
            (first.system_frequency, agent.clock_frequency)
        } else {
            (system, gpu)
        };
        let offset = i128::from(ticks) - i128::from(last.gpu);
        let scaled = offset * i128::from(numerator) / i128::from(denominator.max(1));
        u64::try_from(i128::from(last.system) + scaled).unwrap_or(0)
    }
}
