//! What comes before the kernel of a cooperative launch: a kernel that sets the GPU's global wave sync up, so that
//! `grid.sync()` knows how many work-groups have to come. AMDGPUUsage, "Kernel Descriptor"; Vega ISA, `DS_GWS_INIT`.

use crate::device::Device;
use crate::error::{Result, report, reported};
use crate::ffi;
use amd_codeobj::{KernelDescriptor, TargetId};
use hip_sys::hipError_t;
use rocr_rs::{KernelDispatchPacket, Memory, PoolKind};

/// The code, for generations whose waves all have 64 lanes. Its one argument goes to the first counter.
const CODE: [u32; 10] = [
    0xc002_0000, // s_load_dword s0, s[0:1], 0x0
    0x0000_0000,
    0xbf8c_c07f, // s_waitcnt lgkmcnt(0)
    0x7e00_0200, // v_mov_b32_e32 v0, s0
    0xbefc_0080, // s_mov_b32 m0, 0
    0xbf80_0000, // s_nop 0
    0xd933_0000, // ds_gws_init v0 gds
    0x0000_0000,
    0xbf8c_0070, // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xbf81_0000, // s_endpgm
];
/// Where the code lies behind its descriptor: code begins at multiples of 256.
const ENTRY: usize = 256;
const _: () = assert!(KernelDescriptor::SIZE <= ENTRY);
/// Bytes of its arguments.
pub const KERNARG_BYTES: usize = 4;

/// `FLOAT_DENORM_MODE_16_64` both ways, `ENABLE_DX10_CLAMP`, `ENABLE_IEEE_MODE`: what compilers set.
const RSRC1: u32 = 3 << 18 | 1 << 21 | 1 << 23;
/// Two user SGPRs.
const RSRC2: u32 = 2 << 1;
/// `ENABLE_SGPR_KERNARG_SEGMENT_PTR`.
const PROPERTIES: u16 = 1 << 3;

/// The kernel in a device's memory.
pub struct WaveSyncSetup {
    memory: Memory,
}

/// Descriptor and code.
fn image() -> Vec<u8> {
    let mut image = vec![0; ENTRY];
    image[8..12].copy_from_slice(&(KERNARG_BYTES as u32).to_le_bytes());
    image[16..24].copy_from_slice(&(ENTRY as u64).to_le_bytes());
    image[48..52].copy_from_slice(&RSRC1.to_le_bytes());
    image[52..56].copy_from_slice(&RSRC2.to_le_bytes());
    image[56..58].copy_from_slice(&PROPERTIES.to_le_bytes());
    image.extend(CODE.iter().flat_map(|word| word.to_le_bytes()));
    image
}

impl WaveSyncSetup {
    /// Puts the kernel into the memory of a device. `hipErrorLaunchFailure` if code of its generation is not known here.
    pub fn new(device: &Device) -> Result<WaveSyncSetup> {
        let agent = &device.agent;
        let isa = agent.target_id().and_then(TargetId::isa);
        if isa.is_none_or(|isa| isa.generation.wave32) {
            report(format_args!(
                "cooperative launch: how {} lets work-groups meet is known of gfx9 only",
                agent.isa_name()
            ));
            return Err(hipError_t::LAUNCH_FAILURE);
        }
        let image = image();
        let memory = agent
            .pool(PoolKind::CoarseGrained)
            .allocate(image.len())
            .map_err(|error| reported("code of a cooperative launch", &error))?
            .of_runtime();
        ffi::write_bytes(memory.va(), &image);
        Ok(WaveSyncSetup { memory })
    }

    /// The packet that has a kernel's `groups` work-groups meet, with `kernarg` for [`KERNARG_BYTES`] bytes.
    pub fn packet(&self, kernarg: u64, groups: u32) -> KernelDispatchPacket {
        ffi::write_bytes(kernarg, &groups.saturating_sub(1).to_le_bytes());
        KernelDispatchPacket {
            setup: 1,
            workgroup_size_x: 1,
            workgroup_size_y: 1,
            workgroup_size_z: 1,
            grid_size_x: 1,
            grid_size_y: 1,
            grid_size_z: 1,
            kernel_object: self.memory.va(),
            kernarg_address: kernarg,
            ..KernelDispatchPacket::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amd_codeobj::Isa;

    #[test]
    fn the_descriptor_fits_every_chip_of_waves_of_64_lanes() {
        let image = image();
        for name in ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950"] {
            let generation = Isa::by_name(name).unwrap().generation;
            assert!(!generation.wave32);
            let descriptor = KernelDescriptor::parse(&image).unwrap();
            descriptor.check(generation).unwrap();
            assert_eq!(descriptor.entry(0x1000), Some(0x1000 + ENTRY as u64));
            assert!(descriptor.vgprs(generation) >= 1);
        }
    }
}
