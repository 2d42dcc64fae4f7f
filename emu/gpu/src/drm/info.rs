//! `DRM_IOCTL_AMDGPU_INFO` (`amdgpu_info_ioctl()` of `amdgpu_kms.c`): what the device is, and how much memory it has.

use kfd_sys::Errno;

use super::{long, put, word};
use crate::chips::Chip;
use crate::kfd::{Device, Process, host_memory};

/// Version of the driver's interface, as `DRM_IOCTL_VERSION` has it.
pub(super) const DRIVER_MAJOR: u32 = 3;
pub(super) const DRIVER_MINOR: u32 = 54;

/// `AMDGPU_INFO_*`
const ACCEL_WORKING: u32 = 0x00;
const HW_IP_INFO: u32 = 0x02;
const HW_IP_COUNT: u32 = 0x03;
const TIMESTAMP: u32 = 0x05;
const FW_VERSION: u32 = 0x0e;
const VRAM_USAGE: u32 = 0x10;
const GTT_USAGE: u32 = 0x11;
const VRAM_GTT: u32 = 0x14;
const READ_MMR_REG: u32 = 0x15;
const DEV_INFO: u32 = 0x16;
const VIS_VRAM_USAGE: u32 = 0x17;
const MEMORY: u32 = 0x19;

/// `AMDGPU_VRAM_TYPE_HBM`
const VRAM_HBM: u32 = 6;
/// Kilohertz of the GPU's reference clock.
const REFERENCE_CLOCK: u32 = 100_000;
/// Most registers of one read.
const MAX_REGISTERS: u32 = 128;

/// An answer, built by offset.
struct Answer(Vec<u8>);

impl Answer {
    fn new(bytes: usize) -> Answer {
        Answer(vec![0; bytes])
    }

    fn word(mut self, offset: usize, value: u32) -> Answer {
        put(&mut self.0, offset, &value.to_le_bytes());
        self
    }

    fn long(mut self, offset: usize, value: u64) -> Answer {
        put(&mut self.0, offset, &value.to_le_bytes());
        self
    }
}

/// `struct drm_amdgpu_info`: where the answer goes, how much room there is, the question.
pub(super) fn info(process: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let (pointer, room) = (long(arg, 0), word(arg, 8));
    if pointer == 0 || room == 0 {
        return Err(Errno::EINVAL);
    }
    let answer = match word(arg, 12) {
        ACCEL_WORKING => Answer::new(4).word(0, 1),
        // Rings for command submission: none, compute goes through KFD.
        HW_IP_INFO => Answer::new(32),
        HW_IP_COUNT => Answer::new(4),
        TIMESTAMP => Answer::new(8).long(0, crate::clock::gpu_ticks()),
        FW_VERSION => Answer::new(8).word(0, device.chip.fw_version),
        VRAM_USAGE | VIS_VRAM_USAGE => Answer::new(8).long(0, used(device)),
        GTT_USAGE => Answer::new(8),
        VRAM_GTT => vram_gtt(device),
        MEMORY => memory(device),
        READ_MMR_REG => {
            let count = word(arg, 20);
            if count == 0 || count > MAX_REGISTERS {
                return Err(Errno::EINVAL);
            }
            // Registers of tiling: no images, no tiling.
            Answer::new(count as usize * 4)
        }
        DEV_INFO => device_info(device.chip),
        _ => return Err(Errno::EINVAL),
    };
    process.user.write(pointer, &answer.0[..answer.0.len().min(room as usize)])
}

fn used(device: &Device) -> u64 {
    device.chip.vram.min(host_memory()).saturating_sub(device.available())
}

/// `struct drm_amdgpu_info_vram_gtt`
fn vram_gtt(device: &Device) -> Answer {
    Answer::new(24).long(0, device.chip.vram).long(8, device.chip.vram).long(16, host_memory())
}

/// `struct drm_amdgpu_memory_info`: VRAM, the part of it that the CPU sees, GTT; each as total, usable, used, largest.
fn memory(device: &Device) -> Answer {
    let vram = device.chip.vram;
    [(0, vram, used(device)), (32, vram, used(device)), (64, host_memory(), 0)].into_iter().fold(
        Answer::new(96),
        |answer, (at, total, used)| {
            let usable = total - total / 64;
            answer.long(at, total).long(at + 8, usable).long(at + 16, used).long(at + 24, usable / 4 * 3)
        },
    )
}

/// `struct drm_amdgpu_info_device`
fn device_info(chip: &Chip) -> Answer {
    let engines = chip.array_count / chip.simd_arrays_per_engine.max(1);
    let per_array = (chip.compute_units() / chip.array_count.max(1)).min(32);
    let bitmap = ((1u64 << per_array) - 1) as u32;
    let mut answer = Answer::new(368)
        .word(0, chip.device_id)
        .word(8, chip.external_rev)
        .word(12, chip.pci_revision)
        .word(16, chip.family)
        .word(20, engines)
        .word(24, chip.simd_arrays_per_engine)
        .word(28, REFERENCE_CLOCK)
        .long(32, u64::from(chip.max_engine_clk) * 1000)
        .long(40, u64::from(chip.mem_clk) * 1000)
        .word(48, chip.compute_units())
        .word(128, 8)
        // Addresses of GPU virtual memory: below the hole, and above it.
        .long(144, 2 << 20)
        .long(152, 0x8000_0000_0000)
        .word(160, 4096)
        .word(164, 2 << 20)
        .word(168, 4096)
        .word(176, VRAM_HBM)
        .word(180, chip.mem_width)
        .word(240, chip.wave_size)
        .word(244, 256)
        .word(248, chip.cu_per_simd_array)
        .word(252, 16)
        .word(256, 32)
        .word(264, 32)
        .long(336, 0xffff_8000_0000_0000)
        .long(344, 0xffff_ffff_ffe0_0000);
    // cu_bitmap[4][4], by engine and array.
    for array in 0..chip.array_count.min(16) {
        let (engine, within) =
            (array / chip.simd_arrays_per_engine.max(1), array % chip.simd_arrays_per_engine.max(1));
        answer = answer.word(56 + ((engine % 4) * 4 + within + engine / 4) as usize * 4, bitmap);
    }
    answer
}
