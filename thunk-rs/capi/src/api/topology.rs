//! The topology as a snapshot (libhsakmt's `topology.c`).

use thunk_rs::topology::host::HostProcessors;
use thunk_rs::topology::{Cache, GfxVersion, IoLink, MemBank, Node};
use thunk_rs::{NodeId, Topology, gfx};
use zerocopy::FromZeros as _;

use crate::abi::node::{
    CacheProperties, IoLinkProperties, MemoryProperties, NAME_SIZE, NodeProperties, SIBLINGS,
    SystemProperties, heap,
};
use crate::abi::status::{Result, Status};
use crate::ffi::Ptr;
use crate::state::{Opened, library};

/// Banks that the thunk adds to those of a GPU: LDS, scratch, address space.
const ADDED_BANKS: u32 = 3;

/// The topology as it was when a caller acquired it. Callers number nodes from 0 on without gaps.
pub struct Snapshot {
    topology: Topology,
    host: HostProcessors,
    host_caches: Vec<Vec<Cache>>,
}

impl Snapshot {
    fn take(opened: &Opened) -> Result<Snapshot> {
        let topology = Topology::read(&**opened.thunk.kfd())?;
        let host = HostProcessors::read();
        let host_caches = topology
            .nodes
            .iter()
            .zip(0..)
            .map(
                |(node, number)| {
                    if node.is_gpu() || !node.caches.is_empty() { Vec::new() } else { host.caches(number) }
                },
            )
            .collect();
        Ok(Snapshot { topology, host, host_caches })
    }

    /// A node by the caller's number.
    pub fn node(&self, number: u32) -> Result<&Node> {
        self.topology.nodes.get(number as usize).ok_or(Status::INVALID_NODE_UNIT)
    }

    /// A node's own number.
    pub fn id(&self, number: u32) -> Result<NodeId> {
        Ok(self.node(number)?.id)
    }

    /// Nodes' own numbers. There must be some.
    pub fn ids(&self, numbers: Ptr<u32>, count: u64) -> Result<Vec<NodeId>> {
        let count = u32::try_from(count).ok().filter(|count| *count != 0).ok_or(Status::INVALID_PARAMETER)?;
        numbers.array(count as usize)?.into_iter().map(|number| self.id(number)).collect()
    }

    /// The caller's number of a node.
    pub fn number(&self, id: NodeId) -> Result<u32> {
        let at = self.topology.nodes.iter().position(|node| node.id == id);
        at.map(|at| at as u32).ok_or(Status::INVALID_NODE_UNIT)
    }

    /// The caller's numbers of nodes, those that it can know.
    pub fn numbers(&self, ids: &[u32]) -> Vec<u32> {
        ids.iter().filter_map(|id| self.number(NodeId(*id)).ok()).collect()
    }

    /// The GPUs.
    pub fn gpus(&self) -> impl Iterator<Item = &Node> {
        self.topology.gpus()
    }

    fn caches(&self, number: u32) -> Result<Vec<CacheProperties>> {
        let node = self.node(number)?;
        let of_gpu = node.caches.iter().map(|cache| cache_properties(cache, 1));
        let of_host = self.host_caches[number as usize].iter().map(|cache| cache_properties(cache, 1024));
        Ok(of_gpu.chain(of_host).collect())
    }

    fn links(&self, number: u32) -> Result<Vec<IoLinkProperties>> {
        let node = self.node(number)?;
        let known = node.links().filter_map(|link| self.link_properties(number, link));
        Ok(known.take(self.topology.nodes.len().saturating_sub(1)).collect())
    }

    fn link_properties(&self, from: u32, link: &IoLink) -> Option<IoLinkProperties> {
        Some(IoLinkProperties {
            io_link_type: link.r#type,
            version_major: link.version_major,
            version_minor: link.version_minor,
            node_from: from,
            node_to: self.number(NodeId(link.node_to)).ok()?,
            weight: link.weight,
            minimum_latency: link.min_latency,
            maximum_latency: link.max_latency,
            minimum_bandwidth: link.min_bandwidth,
            maximum_bandwidth: link.max_bandwidth,
            rec_transfer_size: link.recommended_transfer_size,
            flags: link.flags,
        })
    }
}

fn cache_properties(cache: &Cache, unit: u32) -> CacheProperties {
    let mut sibling_map = [0; SIBLINGS];
    for (to, from) in sibling_map.iter_mut().zip(&cache.sibling_map) {
        *to = *from as u32;
    }
    CacheProperties {
        processor_id_low: cache.processor_id_low,
        cache_level: cache.level,
        cache_size: cache.size.wrapping_mul(unit),
        cache_line_size: cache.cache_line_size,
        cache_lines_per_tag: cache.cache_lines_per_tag,
        cache_associativity: cache.association,
        cache_latency: cache.latency,
        cache_type: cache.r#type,
        sibling_map,
    }
}

pub fn acquire(properties: Ptr<SystemProperties>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if properties.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let snapshot = Snapshot::take(opened)?;
    let system = &snapshot.topology.system;
    let answer = SystemProperties {
        num_nodes: snapshot.topology.nodes.len() as u32,
        platform_oem: system.platform_oem as u32,
        platform_id: system.platform_id as u32,
        platform_rev: system.platform_rev as u32,
    };
    library.snapshot = Some(snapshot);
    properties.set(answer)
}

pub fn release() -> Result<()> {
    library().snapshot = None;
    Ok(())
}

/// `HSA_OVERRIDE_GFX_VERSION=major.minor.stepping`.
fn overridden(gfx: GfxVersion) -> Result<GfxVersion> {
    let Ok(text) = std::env::var("HSA_OVERRIDE_GFX_VERSION") else { return Ok(gfx) };
    let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([major, minor, stepping]) if *major <= 63 && *minor <= 255 && *stepping <= 255 => {
            Ok(GfxVersion { major: *major, minor: *minor, stepping: *stepping })
        }
        _ => Err(Status::ERROR),
    }
}

/// The object that `libdrm_amdgpu` has of a GPU.
pub fn drm_device(number: u32, device: Ptr<u64>) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let node = snapshot.node(number)?;
    if !node.is_gpu() {
        return Err(Status::INVALID_NODE_UNIT);
    }
    if device.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let kfd = opened.thunk.kfd();
    let descriptor = || kfd.open_render_node(node.properties.drm_render_minor).ok();
    device.set(opened.drm.of(node.id, descriptor)?)
}

pub fn node_properties(number: u32, properties: Ptr<NodeProperties>) -> Result<()> {
    if properties.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let node = snapshot.node(number)?;
    let raw = &node.properties;
    let mut out = NodeProperties::new_zeroed();
    out.num_cpu_cores = raw.cpu_cores_count;
    out.num_f_compute_cores = raw.simd_count;
    out.num_memory_banks = node.mem_banks.len() as u32;
    out.num_caches = snapshot.caches(number)?.len() as u32;
    out.num_io_links = snapshot.links(number)?.len() as u32;
    out.c_compute_id_lo = raw.cpu_core_id_base;
    out.f_compute_id_lo = raw.simd_id_base;
    out.capability = raw.capability;
    out.max_waves_per_simd = raw.max_waves_per_simd;
    out.lds_size_in_kb = raw.lds_size_in_kb;
    out.gds_size_in_kb = raw.gds_size_in_kb;
    out.wave_front_size = raw.wave_front_size;
    out.num_shader_banks = raw.array_count;
    out.num_arrays = raw.simd_arrays_per_engine;
    out.num_cu_per_array = raw.cu_per_simd_array;
    out.num_simd_per_cu = raw.simd_per_cu;
    out.max_slots_scratch_cu = raw.max_slots_scratch_cu;
    out.engine_id = raw.fw_version & 0x3ff;
    out.vendor_id = raw.vendor_id as u16;
    out.device_id = raw.device_id as u16;
    out.location_id = raw.location_id;
    out.local_mem_size = raw.local_mem_size;
    out.max_engine_clock_mhz_f_compute = raw.max_engine_clk_fcompute;
    out.max_engine_clock_mhz_c_compute = raw.max_engine_clk_ccompute;
    out.drm_render_minor = raw.drm_render_minor as i32;
    out.u_code_engine_versions = raw.sdma_fw_version & 0x3ff;
    out.debug_properties = raw.debug_prop;
    out.hive_id = raw.hive_id;
    out.num_sdma_engines = raw.num_sdma_engines;
    out.num_sdma_xgmi_engines = raw.num_sdma_xgmi_engines;
    out.num_sdma_queues_per_engine = raw.num_sdma_queues_per_engine as u8;
    out.num_cp_queues = raw.num_cp_queues as u8;
    out.num_gws = raw.num_gws as u8;
    out.domain = raw.domain;
    out.unique_id = raw.unique_id;
    if let Some(gfx) = node.gfx_version() {
        let gfx = overridden(gfx)?;
        out.engine_id |= (gfx.major & 0x3f) << 10 | (gfx.minor & 0xff) << 16 | (gfx.stepping & 0xff) << 24;
        set_ascii(&mut out, &node.chip_name().unwrap_or_default());
        let name = node.marketing_name().unwrap_or_else(|| node.name.clone());
        set_wide(&mut out, &name);
        let version = gfx.major * 10_000 + gfx.minor * 100 + gfx.stepping;
        out.vgpr_size_per_cu = gfx::traits(version).map_or(0, |traits| traits.vgpr_bytes_per_cu);
        out.sgpr_size_per_cu = gfx::SGPR_BYTES_PER_CU;
        out.num_xcc = raw.num_xcc;
        out.kfd_gpu_id = node.gpu_id;
        out.family_id = raw.family_id;
        // As the vendor's library has it, from the graphics driver. Where that says nothing, they stay zero.
        if let Ok(facts) = opened.thunk.driver_facts(node.id) {
            (out.family_id, out.integrated) = (facts.family, facts.integrated.into());
        }
    }
    if node.is_cpu()
        && let Some(processor) = snapshot.host.by_apic_id(raw.cpu_core_id_base)
    {
        if raw.device_id == 0 {
            set_ascii(&mut out, &processor.model);
        }
        set_wide(&mut out, &processor.model);
    }
    if node.is_gpu() {
        out.num_memory_banks += ADDED_BANKS + u32::from(opened.hdp.contains_key(&node.id));
    }
    properties.set(out)
}

/// An ASCII name, with its NUL.
fn set_ascii(out: &mut NodeProperties, name: &str) {
    let mut bytes = [0; NAME_SIZE];
    for (to, from) in bytes.iter_mut().take(NAME_SIZE - 1).zip(name.bytes()) {
        *to = from;
    }
    out.amd_name = bytes;
}

/// A name of 16-bit characters, with its NUL. As with the vendor's, a byte is a character.
fn set_wide(out: &mut NodeProperties, name: &str) {
    let mut words = [0; NAME_SIZE];
    for (to, from) in words.iter_mut().take(NAME_SIZE - 1).zip(name.bytes()) {
        *to = u16::from(from);
    }
    out.marketing_name = words;
}

fn bank_properties(bank: &MemBank) -> MemoryProperties {
    MemoryProperties {
        heap_type: bank.heap_type.0,
        size_in_bytes: bank.size_in_bytes,
        flags: bank.flags,
        width: bank.width,
        memory_clock_max: bank.mem_clk_max,
        virtual_base_address: 0,
    }
}

pub fn memory_properties(number: u32, count: u32, properties: Ptr<MemoryProperties>) -> Result<()> {
    if properties.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let node = snapshot.node(number)?;
    let mut banks: Vec<MemoryProperties> = node.mem_banks.iter().map(bank_properties).collect();
    if node.is_gpu() {
        let windows = opened.thunk.apertures(node.id)?;
        let mut window = |heap_type, size, start| {
            let mut bank = MemoryProperties::new_zeroed();
            (bank.heap_type, bank.size_in_bytes, bank.virtual_base_address) = (heap_type, size, start);
            banks.push(bank);
        };
        window(heap::GPU_LDS, u64::from(node.properties.lds_size_in_kb) << 10, windows.lds.start);
        window(heap::GPU_SCRATCH, windows.scratch.len(), windows.scratch.start);
        window(heap::DEVICE_SVM, windows.gpuvm.len(), windows.gpuvm.start);
        if let Some(page) = opened.hdp.get(&node.id) {
            window(heap::MMIO_REMAP, 4096, *page);
        }
    }
    banks.resize(count as usize, MemoryProperties::new_zeroed());
    properties.set_array(&banks)
}

pub fn cache_properties_of(
    number: u32,
    _processor: u32,
    count: u32,
    properties: Ptr<CacheProperties>,
) -> Result<()> {
    if properties.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let mut library = library();
    let (_, snapshot) = library.both()?;
    let caches = snapshot.caches(number)?;
    properties.set_array(caches.get(..count as usize).ok_or(Status::INVALID_PARAMETER)?)
}

pub fn io_link_properties(number: u32, count: u32, properties: Ptr<IoLinkProperties>) -> Result<()> {
    if properties.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let mut library = library();
    let (_, snapshot) = library.both()?;
    let links = snapshot.links(number)?;
    properties.set_array(links.get(..count as usize).ok_or(Status::INVALID_PARAMETER)?)
}

/// KFD does not say: 0, which the API has for "unknown".
pub fn wallclock_frequency(number: u32, hz: Ptr<u64>) -> Result<()> {
    let mut library = library();
    let (_, snapshot) = library.both()?;
    snapshot.node(number)?;
    hz.set(0)
}
