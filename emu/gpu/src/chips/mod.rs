//! Chips: what one GPU is, as data. Values of the topology follow what KFD prints for the real card.
//!
//! A new chip is one new file here and one line in [`ALL`]. What its generation does is asked of `amd_codeobj` (wave
//! launch) and `amdgpu_isa` (instructions), by name. Code asks for a named property; nothing compares gfx numbers.

mod gfx900;
mod gfx906;
mod gfx908;
mod gfx90a;
mod gfx942;
mod gfx950;

pub use gfx90a::GFX90A;
pub use gfx900::GFX900;
pub use gfx906::GFX906;
pub use gfx908::GFX908;
pub use gfx942::GFX942;
pub use gfx950::GFX950;

/// Every chip that can be emulated.
pub static ALL: &[&Chip] = &[&GFX90A, &GFX942, &GFX950, &GFX908, &GFX906, &GFX900];

/// The chip with that processor name (`"gfx90a"`); target features after a `:` are ignored.
pub fn by_name(name: &str) -> Option<&'static Chip> {
    let processor = name.split(':').next().unwrap_or(name);
    ALL.iter().copied().find(|chip| chip.name == processor)
}

/// The processor names of [`ALL`], in the order in which they are preferred.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|chip| chip.name)
}

/// Numbers of blocks (`soc15_hw_ip.h`): the graphics and compute core, the first SDMA engine, the bus interface.
pub(crate) const GC: u32 = 11;
/// See [`GC`].
pub(crate) const SDMA0: u32 = 42;
/// See [`GC`].
pub(crate) const NBIF: u32 = 108;

/// `AMDGPU_FAMILY_AI`: all dedicated GPUs of gfx9.
pub(crate) const FAMILY_AI: u32 = 141;

/// One cache of the GPU as the topology lists it.
#[derive(Debug)]
pub struct Cache {
    /// 1, 2 or 3.
    pub level: u32,
    /// Size in KiB.
    pub size_kib: u32,
    /// Line in bytes.
    pub line: u32,
    /// `type` bits of the cache record: 9 = GPU data, 10 = GPU instruction.
    pub kind: u32,
    /// How many compute units share one such cache; 0 = all of them.
    pub shared_by: u32,
}

/// One GPU model.
#[derive(Debug)]
pub struct Chip {
    /// Processor name as in a target ID.
    pub name: &'static str,
    /// `name` file of the topology node.
    pub marketing: &'static str,
    /// major·10000 + minor·100 + step.
    pub gfx_target_version: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// SIMDs of the whole chip.
    pub simd_count: u32,
    /// SIMDs in one compute unit.
    pub simd_per_cu: u32,
    /// Waves that one SIMD holds.
    pub max_waves_per_simd: u32,
    /// LDS of one work-group at most, in KiB.
    pub lds_kib: u32,
    /// Shader arrays.
    pub array_count: u32,
    /// Shader arrays in one engine.
    pub simd_arrays_per_engine: u32,
    /// Compute units in one array.
    pub cu_per_simd_array: u32,
    /// Scratch slots of one compute unit.
    pub max_slots_scratch_cu: u32,
    /// Global wave sync resources.
    pub num_gws: u32,
    /// PCI device ID.
    pub device_id: u32,
    /// PCI revision: with the device ID it tells libdrm the marketing name.
    pub pci_revision: u32,
    /// Versions of the blocks that the driver found on the chip, by the block's number: major, minor, revision. Chips
    /// before gfx940 have no list of their own.
    pub ip_blocks: &'static [(u32, [u32; 3])],
    /// Family of the driver (`AMDGPU_FAMILY_*` of `amdgpu_drm.h`).
    pub family: u32,
    /// Revision within the family, as `drm_amdgpu_info_device` has it.
    pub external_rev: u32,
    /// SDMA engines, XGMI engines, queues of one engine.
    pub sdma: [u32; 3],
    /// Compute queues.
    pub num_cp_queues: u32,
    /// Highest engine clock in MHz.
    pub max_engine_clk: u32,
    /// Firmware version of the command processor.
    pub fw_version: u32,
    /// That firmware lets runtimes take scratch memory back from a queue that runs (`AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM`). ROCr
    /// from 6.2 on takes it for given by the version: 177 of gfx942, 24 of gfx950.
    pub reclaims_scratch: bool,
    /// Firmware version of SDMA.
    pub sdma_fw_version: u32,
    /// `capability` word.
    pub capability: u32,
    /// `debug_prop` word.
    pub debug_prop: u64,
    /// Accelerator complexes.
    pub num_xcc: u32,
    /// Bytes of VRAM.
    pub vram: u64,
    /// Memory bus width in bits.
    pub mem_width: u32,
    /// Memory clock in MHz.
    pub mem_clk: u32,
    /// Caches.
    pub caches: &'static [Cache],
    /// XNACK can be switched per process.
    pub xnack_selectable: bool,
    /// Float atomics work in the cache alone: those on fine-grained memory, which is not cached, leave it as it is and give 0
    /// (HIP's documentation of `unsafeAtomicAdd`; its tests expect it of gfx90a).
    pub drops_float_atomics: bool,
}

impl Chip {
    /// Compute units of the whole chip.
    pub const fn compute_units(&self) -> u32 {
        self.simd_count / self.simd_per_cu
    }

    /// Bytes of LDS that a work-group may have.
    pub const fn lds_bytes(&self) -> u32 {
        self.lds_kib * 1024
    }
}
