//! A node: `nodes/N/{gpu_id,name,properties}` and its parts.

use std::fmt;

use kfd_sys::Kfd;

use super::parse::Properties as _;
use super::{Cache, HeapType, IoLink, MemBank, NodeId, read_file, read_parts};
use crate::Result;

/// Processor cores with their memory, or a GPU with its own; on an APU both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// KFD's number of the GPU, 0 if there is none.
    pub gpu_id: u32,
    /// Name that the driver gives the chip (`aldebaran`); empty for the host.
    pub name: String,
    /// `properties`
    pub properties: NodeProperties,
    /// Memory.
    pub mem_banks: Vec<MemBank>,
    /// Caches.
    pub caches: Vec<Cache>,
    /// Links to other nodes.
    pub io_links: Vec<IoLink>,
    /// Links to GPUs that are reached over PCIe without the host.
    pub p2p_links: Vec<IoLink>,
}

super::parse::properties! {
    /// What `properties` of a node says.
    pub struct NodeProperties {
        cpu_cores_count: u32 = "Processor cores of the host.";
        simd_count: u32 = "SIMD units of the GPU.";
        mem_banks_count: u32 = "Memory banks.";
        caches_count: u32 = "Caches.";
        io_links_count: u32 = "Links.";
        p2p_links_count: u32 = "Links between GPUs over PCIe.";
        cpu_core_id_base: u32 = "First processor core.";
        simd_id_base: u32 = "First SIMD unit.";
        max_waves_per_simd: u32 = "Waves that a SIMD unit holds.";
        lds_size_in_kb: u32 = "LDS of a compute unit, KiB.";
        gds_size_in_kb: u32 = "Global data share, KiB.";
        num_gws: u32 = "Global wave sync entries.";
        wave_front_size: u32 = "Lanes of a wave.";
        array_count: u32 = "Shader arrays.";
        simd_arrays_per_engine: u32 = "Shader arrays of an engine.";
        cu_per_simd_array: u32 = "Compute units of a shader array.";
        simd_per_cu: u32 = "SIMD units of a compute unit.";
        max_slots_scratch_cu: u32 = "Waves of a compute unit that can have scratch.";
        gfx_target_version: u32 = "major * 10000 + minor * 100 + stepping; 0 for the host.";
        vendor_id: u32 = "PCI vendor.";
        device_id: u32 = "PCI device.";
        location_id: u32 = "PCI bus << 8 | device << 3 | function.";
        domain: u32 = "PCI domain.";
        drm_render_minor: u32 = "Number in `/dev/dri/renderD*`.";
        hive_id: u64 = "XGMI hive; 0 if in none.";
        num_sdma_engines: u32 = "SDMA engines for PCIe.";
        num_sdma_xgmi_engines: u32 = "SDMA engines for XGMI.";
        num_sdma_queues_per_engine: u32 = "Queues of an SDMA engine.";
        num_cp_queues: u32 = "Compute queues.";
        cwsr_size: u32 = "Save area of a queue, from Linux 6.18 on.";
        ctl_stack_size: u32 = "Control stack in it, from Linux 6.18 on.";
        max_engine_clk_fcompute: u32 = "MHz of the GPU.";
        max_engine_clk_ccompute: u32 = "MHz of the host.";
        local_mem_size: u64 = "Not used any more: 0.";
        fw_version: u32 = "Firmware of the compute engine.";
        capability: u32 = "Bits, see `HSA_CAPABILITY`.";
        capability2: u32 = "More bits.";
        debug_prop: u64 = "What the debugger can do.";
        sdma_fw_version: u32 = "Firmware of the SDMA engines.";
        unique_id: u64 = "Serial number.";
        num_xcc: u32 = "Accelerator complexes.";
        family_id: u32 = "Family of the chip.";
    }
}

/// A gfx version, printed as a processor name: `gfx90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GfxVersion {
    /// Generation.
    pub major: u32,
    /// Within it.
    pub minor: u32,
    /// Within that.
    pub stepping: u32,
}

impl fmt::Display for GfxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gfx{}{:x}{:x}", self.major, self.minor, self.stepping)
    }
}

impl Node {
    pub(super) fn read(kfd: &dyn Kfd, id: NodeId, gpu_id: u32) -> Result<Node> {
        let properties = NodeProperties::read(kfd, &format!("nodes/{id}/properties"))?;
        Ok(Node {
            id,
            gpu_id,
            name: read_file(kfd, &format!("nodes/{id}/name"))?.trim().to_owned(),
            mem_banks: read_parts(kfd, id, "mem_banks", properties.mem_banks_count)?,
            caches: read_parts(kfd, id, "caches", properties.caches_count)?,
            io_links: read_parts(kfd, id, "io_links", properties.io_links_count)?,
            p2p_links: read_parts(kfd, id, "p2p_links", properties.p2p_links_count)?,
            properties,
        })
    }

    /// Has it a GPU?
    pub fn is_gpu(&self) -> bool {
        self.gpu_id != 0
    }

    /// Has it processor cores of the host?
    pub fn is_cpu(&self) -> bool {
        self.properties.cpu_cores_count != 0
    }

    /// The GPU's gfx version.
    pub fn gfx_version(&self) -> Option<GfxVersion> {
        let version = self.properties.gfx_target_version;
        (version != 0).then_some(GfxVersion {
            major: version / 10_000,
            minor: version / 100 % 100,
            stepping: version % 100,
        })
    }

    /// Compute units.
    pub fn compute_units(&self) -> u32 {
        self.properties.simd_count / self.properties.simd_per_cu.max(1)
    }

    /// Bytes of the GPU's own memory.
    pub fn vram_bytes(&self) -> u64 {
        self.bytes_of(HeapType::is_vram)
    }

    /// Bytes of the host's memory.
    pub fn system_bytes(&self) -> u64 {
        self.bytes_of(|heap| heap == HeapType::SYSTEM)
    }

    fn bytes_of(&self, of: impl Fn(HeapType) -> bool) -> u64 {
        self.mem_banks
            .iter()
            .filter(|bank| of(bank.heap_type))
            .fold(0, |sum: u64, bank| sum.saturating_add(bank.size_in_bytes))
    }

    /// All links: to the host, to GPUs, and those to GPUs over PCIe, which KFD lists apart.
    pub fn links(&self) -> impl Iterator<Item = &IoLink> {
        self.io_links.iter().chain(&self.p2p_links)
    }

    /// Do atomic operations reach `other` over a link of this node?
    pub fn atomics_to(&self, other: NodeId) -> bool {
        self.links().any(|link| link.node_to == other.0 && link.has_atomics())
    }
}
