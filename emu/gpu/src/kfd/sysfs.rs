//! The topology tree as text: `/sys/devices/virtual/kfd/kfd/topology` (`kfd_topology.c`). Made from the chips' data.
//!
//! Node 0 is the host's CPU, node n the n-th GPU. Each GPU hangs on PCIe with atomics; GPUs are peers of each other.

use std::fmt::Write as _;

use kfd_sys::Errno;

use super::{Device, Process, host_memory};
use crate::chips::{Cache, Chip};

/// PCIe: what `type` of an io_link says, its weight, and the flag "enabled".
const LINK_PCIE: u32 = 2;
const LINK_WEIGHT: u32 = 20;
const LINK_FLAGS: u32 = 1;
/// AMD.
const VENDOR: u32 = 0x1002;
/// `heap_type` of a memory bank.
const HEAP_SYSTEM: u32 = 0;
const HEAP_FB_PUBLIC: u32 = 1;
/// `simd_id_base` and `processor_id_low` of GPUs start here, with the top bit set.
const GPU_ID_BASE: u32 = 0x8000_0000;

/// A file of `name value` lines.
#[derive(Default)]
struct Properties(String);

impl Properties {
    fn line(mut self, name: &str, value: impl std::fmt::Display) -> Properties {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.0, "{name} {value}");
        self
    }
}

/// Cores of the CPU node.
pub(super) fn host_cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Process {
    pub(crate) fn read_topology(&self, path: &str) -> Result<String, Errno> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            ["generation_id"] => Ok("2\n".into()),
            ["system_properties"] => {
                let text = Properties::default().line("platform_oem", 0).line("platform_id", 0);
                Ok(text.line("platform_rev", 0).0)
            }
            ["nodes", node, rest @ ..] => {
                let node: usize = node.parse().map_err(|_| Errno::ENOENT)?;
                match node.checked_sub(1) {
                    None => self.cpu_file(rest),
                    Some(gpu) => self.gpu_file(node, self.devices.get(gpu).ok_or(Errno::ENOENT)?, rest),
                }
            }
            _ => Err(Errno::ENOENT),
        }
        .and_then(|text| if text.is_empty() { Err(Errno::ENOENT) } else { Ok(text) })
    }

    fn cpu_file(&self, path: &[&str]) -> Result<String, Errno> {
        match path {
            ["gpu_id"] => Ok("0\n".into()),
            ["name"] => Ok("\n".into()),
            ["properties"] => {
                let mut text = Properties::default().line("cpu_cores_count", host_cpus());
                for (name, value) in [
                    ("simd_count", 0),
                    ("mem_banks_count", 1),
                    ("caches_count", 0),
                    ("io_links_count", self.devices.len()),
                    ("p2p_links_count", 0),
                ] {
                    text = text.line(name, value);
                }
                for name in NODE_ZEROES {
                    text = text.line(name, 0);
                }
                Ok(text.line("max_engine_clk_ccompute", 3000).0)
            }
            ["mem_banks", "0", "properties"] => Ok(mem_bank(HEAP_SYSTEM, host_memory(), 64, 3200)),
            ["io_links", link, "properties"] => {
                let index = index_below(link, self.devices.len())?;
                Ok(io_link(0, index + 1))
            }
            _ => Err(Errno::ENOENT),
        }
    }

    fn gpu_file(&self, node: usize, device: &Device, path: &[&str]) -> Result<String, Errno> {
        let chip = device.chip;
        match path {
            ["gpu_id"] => Ok(format!("{}\n", device.gpu_id)),
            ["name"] => Ok(format!("{}\n", chip.marketing)),
            ["properties"] => Ok(self.gpu_properties(node, device)),
            ["mem_banks", "0", "properties"] => {
                Ok(mem_bank(HEAP_FB_PUBLIC, chip.vram, chip.mem_width, chip.mem_clk))
            }
            ["mem_banks", "0", "used_memory"] => {
                let most = chip.vram.min(host_memory());
                Ok(format!("{}\n", most.saturating_sub(device.available())))
            }
            ["caches", cache, "properties"] => {
                let index = index_below(cache, chip.caches.len())?;
                Ok(cache_record(chip, &chip.caches[index], simd_id_base(node)))
            }
            ["io_links", "0", "properties"] => Ok(io_link(node, 0)),
            ["p2p_links", link, "properties"] => {
                let index = index_below(link, self.devices.len() - 1)?;
                let peer = if index + 1 < node { index + 1 } else { index + 2 };
                Ok(io_link(node, peer))
            }
            _ => Err(Errno::ENOENT),
        }
    }

    fn gpu_properties(&self, node: usize, device: &Device) -> String {
        let chip = device.chip;
        let numbers: &[(&str, u64)] = &[
            ("cpu_cores_count", 0),
            ("simd_count", chip.simd_count.into()),
            ("mem_banks_count", 1),
            ("caches_count", chip.caches.len() as u64),
            ("io_links_count", 1),
            ("p2p_links_count", self.devices.len() as u64 - 1),
            ("cpu_core_id_base", 0),
            ("simd_id_base", simd_id_base(node).into()),
            ("max_waves_per_simd", chip.max_waves_per_simd.into()),
            ("lds_size_in_kb", chip.lds_kib.into()),
            ("gds_size_in_kb", 0),
            ("num_gws", chip.num_gws.into()),
            ("wave_front_size", chip.wave_size.into()),
            ("array_count", chip.array_count.into()),
            ("simd_arrays_per_engine", chip.simd_arrays_per_engine.into()),
            ("cu_per_simd_array", chip.cu_per_simd_array.into()),
            ("simd_per_cu", chip.simd_per_cu.into()),
            ("max_slots_scratch_cu", chip.max_slots_scratch_cu.into()),
            ("gfx_target_version", chip.gfx_target_version.into()),
            ("vendor_id", VENDOR.into()),
            ("device_id", chip.device_id.into()),
            // Bus number in the high byte: one bus a GPU.
            ("location_id", (node as u64) << 8),
            ("domain", 0),
            ("drm_render_minor", device.minor.into()),
            ("hive_id", 0),
            ("num_sdma_engines", chip.sdma[0].into()),
            ("num_sdma_xgmi_engines", chip.sdma[1].into()),
            ("num_sdma_queues_per_engine", chip.sdma[2].into()),
            ("num_cp_queues", chip.num_cp_queues.into()),
            ("max_engine_clk_fcompute", chip.max_engine_clk.into()),
            ("local_mem_size", 0),
            ("fw_version", chip.fw_version.into()),
            ("capability", chip.capability.into()),
            ("debug_prop", chip.debug_prop),
            ("sdma_fw_version", chip.sdma_fw_version.into()),
            ("unique_id", u64::from(device.gpu_id)),
            ("num_xcc", chip.num_xcc.into()),
            ("max_engine_clk_ccompute", 3000),
        ];
        numbers.iter().fold(Properties::default(), |text, (name, value)| text.line(name, value)).0
    }
}

/// Properties that a CPU node has as zero, in KFD's order.
const NODE_ZEROES: &[&str] = &[
    "cpu_core_id_base",
    "simd_id_base",
    "max_waves_per_simd",
    "lds_size_in_kb",
    "gds_size_in_kb",
    "num_gws",
    "wave_front_size",
    "array_count",
    "simd_arrays_per_engine",
    "cu_per_simd_array",
    "simd_per_cu",
    "max_slots_scratch_cu",
    "gfx_target_version",
    "vendor_id",
    "device_id",
    "location_id",
    "domain",
    "drm_render_minor",
    "hive_id",
    "num_sdma_engines",
    "num_sdma_xgmi_engines",
    "num_sdma_queues_per_engine",
    "num_cp_queues",
];

fn index_below(text: &str, count: usize) -> Result<usize, Errno> {
    let index: usize = text.parse().map_err(|_| Errno::ENOENT)?;
    if index < count { Ok(index) } else { Err(Errno::ENOENT) }
}

fn simd_id_base(node: usize) -> u32 {
    GPU_ID_BASE + (node as u32) * 0x1000
}

fn mem_bank(heap: u32, bytes: u64, width: u32, clock: u32) -> String {
    let text = Properties::default().line("heap_type", heap).line("size_in_bytes", bytes);
    text.line("flags", 0).line("width", width).line("mem_clk_max", clock).0
}

fn io_link(from: usize, to: usize) -> String {
    let text = Properties::default().line("type", LINK_PCIE).line("version_major", 0);
    let text = text.line("version_minor", 0).line("node_from", from).line("node_to", to);
    let text = text.line("weight", LINK_WEIGHT).line("min_latency", 0).line("max_latency", 0);
    let text = text.line("min_bandwidth", 0).line("max_bandwidth", 0);
    text.line("recommended_transfer_size", 0).line("flags", LINK_FLAGS).0
}

fn cache_record(chip: &Chip, cache: &Cache, first_processor: u32) -> String {
    let units = if cache.shared_by == 0 { chip.compute_units() } else { cache.shared_by };
    let siblings = vec!["1"; units as usize].join(",");
    let text = Properties::default().line("processor_id_low", first_processor).line("level", cache.level);
    let text = text.line("size", cache.size_kib).line("cache_line_size", cache.line);
    let text = text.line("cache_lines_per_tag", 1).line("association", 16).line("latency", 0);
    text.line("type", cache.kind).line("sibling_map", siblings).0
}
