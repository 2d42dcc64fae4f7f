//! What code objects v2 have in place of later ones' parts: `amd_kernel_code_t`, the 256 bytes before a kernel's code, and
//! notes that name the processor. Answers to the header `amd_hsa_kernel_code.h` of ROCr and to "Code Object V2" of LLVM's
//! AMDGPU guide.

use crate::bytes::{array, i64_at, slice, u16_at, u32_at, u64_at};
use crate::note::{ISA_VERSION_V2, isa_version};
use crate::{CodeObject, Error, Isa, Rsrc1, Rsrc2, Symbol, SymbolKind};

/// Processor versions of notes that stand for a processor with XNACK on, or with error correction, and that processor.
const OLD_VERSIONS: [((u32, u32, u32), &str); 4] =
    [((9, 0, 1), "gfx900"), ((9, 0, 3), "gfx902"), ((9, 0, 5), "gfx904"), ((9, 0, 7), "gfx906")];

/// What a code object v2 says of a kernel to the hardware and the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelCode {
    /// Major and minor version of the structure.
    pub version: (u32, u32),
    /// 1 for AMDGPU.
    pub machine_kind: u16,
    /// Major, minor and stepping of the processor, as the code object's ISA note has them.
    pub machine_version: (u16, u16, u16),
    /// From the structure's address to the first instruction, in bytes.
    pub entry_offset: i64,
    /// `compute_pgm_rsrc1`.
    pub rsrc1: Rsrc1,
    /// `compute_pgm_rsrc2`.
    pub rsrc2: Rsrc2,
    /// `code_properties`: bits 0 to 6 are those of [`crate::KernelCodeProperties`].
    pub code_properties: u32,
    /// Bytes of scratch of a work-item.
    pub workitem_private_segment_byte_size: u32,
    /// Bytes of LDS of a work-group.
    pub workgroup_group_segment_byte_size: u32,
    /// Bytes of GDS.
    pub gds_segment_byte_size: u32,
    /// Bytes of kernel arguments.
    pub kernarg_segment_byte_size: u64,
    /// SGPRs of a wave.
    pub wavefront_sgpr_count: u16,
    /// VGPRs of a work-item.
    pub workitem_vgpr_count: u16,
    /// Alignment of the kernel arguments in bytes; 0 if the file's power of two fits no number.
    pub kernarg_segment_alignment: u32,
    /// Lanes of a wave; 0 if the file's power of two fits no number.
    pub wavefront_size: u32,
}

impl KernelCode {
    /// Its size.
    pub const SIZE: usize = 256;

    /// Reads it from its first 256 bytes; `offset` is their place in the file, for errors.
    pub fn parse(bytes: &[u8], offset: u64) -> Result<KernelCode, Error> {
        const WHAT: &str = "amd_kernel_code_t";
        let need = KernelCode::SIZE as u64;
        let have = offset.saturating_add(bytes.len() as u64);
        let bytes =
            slice(bytes, WHAT, 0, need).map_err(|_| Error::Truncated { what: WHAT, offset, need, have })?;
        let power = |at| -> Result<u32, Error> {
            let [exponent] = array(bytes, WHAT, at)?;
            Ok(1u32.checked_shl(exponent.into()).unwrap_or(0))
        };
        Ok(KernelCode {
            version: (u32_at(bytes, WHAT, 0)?, u32_at(bytes, WHAT, 4)?),
            machine_kind: u16_at(bytes, WHAT, 8)?,
            machine_version: (u16_at(bytes, WHAT, 10)?, u16_at(bytes, WHAT, 12)?, u16_at(bytes, WHAT, 14)?),
            entry_offset: i64_at(bytes, WHAT, 16)?,
            rsrc1: Rsrc1(u32_at(bytes, WHAT, 48)?),
            rsrc2: Rsrc2(u32_at(bytes, WHAT, 52)?),
            code_properties: u32_at(bytes, WHAT, 56)?,
            workitem_private_segment_byte_size: u32_at(bytes, WHAT, 60)?,
            workgroup_group_segment_byte_size: u32_at(bytes, WHAT, 64)?,
            gds_segment_byte_size: u32_at(bytes, WHAT, 68)?,
            kernarg_segment_byte_size: u64_at(bytes, WHAT, 72)?,
            wavefront_sgpr_count: u16_at(bytes, WHAT, 84)?,
            workitem_vgpr_count: u16_at(bytes, WHAT, 86)?,
            kernarg_segment_alignment: power(100)?,
            wavefront_size: power(103)?,
        })
    }
}

impl CodeObject<'_> {
    /// The structure that a kernel symbol of a code object v2 points at; `None` for symbols of other kinds.
    pub fn kernel_code(&self, symbol: &Symbol<'_>) -> Result<Option<KernelCode>, Error> {
        if symbol.kind != SymbolKind::AMDGPU_HSA_KERNEL {
            return Ok(None);
        }
        let (bytes, offset) = self.symbol_bytes("amd_kernel_code_t", symbol, KernelCode::SIZE as u64)?;
        KernelCode::parse(bytes, offset).map(Some)
    }

    /// The processor that the ISA note names: compilers from before LLVM 6 wrote none to `e_flags`.
    pub(crate) fn isa_of_note(&self) -> Result<Option<&'static Isa>, Error> {
        for note in self.notes() {
            let note = note?;
            if (note.owner, note.kind) == ISA_VERSION_V2 {
                let version = isa_version(&note)?;
                let old = OLD_VERSIONS.iter().find(|(old, _)| *old == version);
                let (major, minor, stepping) = version;
                let number = |value: u32| u8::try_from(value).ok();
                let isa = match (old, number(major), number(minor), number(stepping)) {
                    (Some((_, name)), ..) => Isa::by_name(name),
                    (None, Some(major), Some(minor), Some(stepping)) => Isa::all()
                        .iter()
                        .find(|isa| !isa.is_generic && isa.version == (major, minor, stepping)),
                    _ => None,
                };
                return Ok(isa);
            }
        }
        Ok(None)
    }
}
