//! The processors: one row for each `EF_AMDGPU_MACH` value, with its name, version, generation and target features.
//! Answers to "AMDGPU `EF_AMDGPU_MACH` Values" and "AMDGPU Processors" of LLVM's AMDGPU guide.

use core::fmt;

use crate::Generation;
use crate::generation::rows::{
    GFX6, GFX7, GFX8, GFX9, GFX10, GFX10_3, GFX11, GFX11_LARGE, GFX12, GFX13, GFX90A, GFX125, GFX908, GFX940,
    GFX950,
};

/// The MACH field of a code object's `e_flags`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mach(pub u8);

impl fmt::Display for Mach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Isa::by_mach(*self) {
            Some(isa) => f.write_str(isa.name),
            None => write!(f, "EF_AMDGPU_MACH {:#04x}", self.0),
        }
    }
}

/// A processor that code can be compiled for: a chip, or a generic target that stands for a family of chips.
#[derive(Debug, PartialEq, Eq)]
pub struct Isa {
    /// The MACH value of its code objects.
    pub mach: Mach,
    /// Its name, "gfx90a" or "gfx9-generic".
    pub name: &'static str,
    /// Major, minor and stepping; the stepping of gfx90a is 10. For a generic target, those of its least member.
    pub version: (u8, u8, u8),
    /// What it shares with its kin.
    pub generation: &'static Generation,
    /// The `sramecc` target feature exists.
    pub supports_sramecc: bool,
    /// The `xnack` target feature exists.
    pub supports_xnack: bool,
    /// The generic target whose code this chip also runs.
    pub generic: Option<&'static str>,
    /// This row is a generic target itself.
    pub is_generic: bool,
}

impl Isa {
    /// The row of a MACH value.
    pub fn by_mach(mach: Mach) -> Option<&'static Isa> {
        ISAS.binary_search_by_key(&mach, |isa| isa.mach).ok().map(|index| &ISAS[index])
    }

    /// The row of a processor name, without features.
    pub fn by_name(name: &str) -> Option<&'static Isa> {
        ISAS.iter().find(|isa| isa.name == name)
    }

    /// The chip of KFD's `gfx_target_version` (90010 is gfx90a), never a generic target.
    pub fn by_gfx_target_version(version: u32) -> Option<&'static Isa> {
        ISAS.iter().find(|isa| !isa.is_generic && isa.gfx_target_version() == version)
    }

    /// Every processor that is known, by MACH value.
    pub fn all() -> &'static [Isa] {
        &ISAS
    }

    /// KFD's `gfx_target_version`: major * 10000 + minor * 100 + stepping.
    pub const fn gfx_target_version(&self) -> u32 {
        let (major, minor, stepping) = self.version;
        major as u32 * 10_000 + minor as u32 * 100 + stepping as u32
    }
}

/// Target features of a row: sramecc, xnack.
type Features = (bool, bool);
const X: Features = (false, true);
const SX: Features = (true, true);
const NONE: Features = (false, false);

const fn isa(
    mach: u8,
    name: &'static str,
    version: (u8, u8, u8),
    generation: &'static Generation,
    features: Features,
    generic: Option<&'static str>,
    is_generic: bool,
) -> Isa {
    let (supports_sramecc, supports_xnack) = features;
    Isa { mach: Mach(mach), name, version, generation, supports_sramecc, supports_xnack, generic, is_generic }
}

#[rustfmt::skip]
static ISAS: [Isa; 63] = [
    isa(0x20, "gfx600", (6, 0, 0), &GFX6, NONE, None, false),
    isa(0x21, "gfx601", (6, 0, 1), &GFX6, NONE, None, false),
    isa(0x22, "gfx700", (7, 0, 0), &GFX7, NONE, None, false),
    isa(0x23, "gfx701", (7, 0, 1), &GFX7, NONE, None, false),
    isa(0x24, "gfx702", (7, 0, 2), &GFX7, NONE, None, false),
    isa(0x25, "gfx703", (7, 0, 3), &GFX7, NONE, None, false),
    isa(0x26, "gfx704", (7, 0, 4), &GFX7, NONE, None, false),
    isa(0x28, "gfx801", (8, 0, 1), &GFX8, X, None, false),
    isa(0x29, "gfx802", (8, 0, 2), &GFX8, NONE, None, false),
    isa(0x2a, "gfx803", (8, 0, 3), &GFX8, NONE, None, false),
    isa(0x2b, "gfx810", (8, 1, 0), &GFX8, X, None, false),
    isa(0x2c, "gfx900", (9, 0, 0), &GFX9, X, Some("gfx9-generic"), false),
    isa(0x2d, "gfx902", (9, 0, 2), &GFX9, X, Some("gfx9-generic"), false),
    isa(0x2e, "gfx904", (9, 0, 4), &GFX9, X, Some("gfx9-generic"), false),
    isa(0x2f, "gfx906", (9, 0, 6), &GFX9, SX, Some("gfx9-generic"), false),
    isa(0x30, "gfx908", (9, 0, 8), &GFX908, SX, None, false),
    isa(0x31, "gfx909", (9, 0, 9), &GFX9, X, Some("gfx9-generic"), false),
    isa(0x32, "gfx90c", (9, 0, 12), &GFX9, X, Some("gfx9-generic"), false),
    isa(0x33, "gfx1010", (10, 1, 0), &GFX10, X, Some("gfx10-1-generic"), false),
    isa(0x34, "gfx1011", (10, 1, 1), &GFX10, X, Some("gfx10-1-generic"), false),
    isa(0x35, "gfx1012", (10, 1, 2), &GFX10, X, Some("gfx10-1-generic"), false),
    isa(0x36, "gfx1030", (10, 3, 0), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x37, "gfx1031", (10, 3, 1), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x38, "gfx1032", (10, 3, 2), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x39, "gfx1033", (10, 3, 3), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x3a, "gfx602", (6, 0, 2), &GFX6, NONE, None, false),
    isa(0x3b, "gfx705", (7, 0, 5), &GFX7, NONE, None, false),
    isa(0x3c, "gfx805", (8, 0, 5), &GFX8, NONE, None, false),
    isa(0x3d, "gfx1035", (10, 3, 5), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x3e, "gfx1034", (10, 3, 4), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x3f, "gfx90a", (9, 0, 10), &GFX90A, SX, None, false),
    isa(0x40, "gfx940", (9, 4, 0), &GFX940, SX, None, false),
    isa(0x41, "gfx1100", (11, 0, 0), &GFX11_LARGE, NONE, Some("gfx11-generic"), false),
    isa(0x42, "gfx1013", (10, 1, 3), &GFX10, X, Some("gfx10-1-generic"), false),
    isa(0x43, "gfx1150", (11, 5, 0), &GFX11, NONE, Some("gfx11-generic"), false),
    isa(0x44, "gfx1103", (11, 0, 3), &GFX11, NONE, Some("gfx11-generic"), false),
    isa(0x45, "gfx1036", (10, 3, 6), &GFX10_3, NONE, Some("gfx10-3-generic"), false),
    isa(0x46, "gfx1101", (11, 0, 1), &GFX11_LARGE, NONE, Some("gfx11-generic"), false),
    isa(0x47, "gfx1102", (11, 0, 2), &GFX11, NONE, Some("gfx11-generic"), false),
    isa(0x48, "gfx1200", (12, 0, 0), &GFX12, NONE, Some("gfx12-generic"), false),
    isa(0x49, "gfx1250", (12, 5, 0), &GFX125, SX, Some("gfx12-5-generic"), false),
    isa(0x4a, "gfx1151", (11, 5, 1), &GFX11_LARGE, NONE, Some("gfx11-generic"), false),
    isa(0x4b, "gfx941", (9, 4, 1), &GFX940, SX, None, false),
    isa(0x4c, "gfx942", (9, 4, 2), &GFX940, SX, Some("gfx9-4-generic"), false),
    isa(0x4e, "gfx1201", (12, 0, 1), &GFX12, NONE, Some("gfx12-generic"), false),
    isa(0x4f, "gfx950", (9, 5, 0), &GFX950, SX, Some("gfx9-4-generic"), false),
    isa(0x50, "gfx1310", (13, 1, 0), &GFX13, NONE, Some("gfx13-generic"), false),
    isa(0x51, "gfx9-generic", (9, 0, 0), &GFX9, X, None, true),
    isa(0x52, "gfx10-1-generic", (10, 1, 0), &GFX10, X, None, true),
    isa(0x53, "gfx10-3-generic", (10, 3, 0), &GFX10_3, NONE, None, true),
    isa(0x54, "gfx11-generic", (11, 0, 3), &GFX11, NONE, None, true),
    isa(0x55, "gfx1152", (11, 5, 2), &GFX11, NONE, Some("gfx11-generic"), false),
    isa(0x57, "gfx1154", (11, 5, 4), &GFX11, NONE, Some("gfx11-generic"), false),
    isa(0x58, "gfx1153", (11, 5, 3), &GFX11, NONE, Some("gfx11-generic"), false),
    isa(0x59, "gfx12-generic", (12, 0, 0), &GFX12, NONE, None, true),
    isa(0x5a, "gfx1251", (12, 5, 1), &GFX125, SX, Some("gfx12-5-generic"), false),
    isa(0x5b, "gfx12-5-generic", (12, 5, 0), &GFX125, SX, None, true),
    isa(0x5c, "gfx1172", (11, 7, 2), &GFX11, NONE, Some("gfx11-7-generic"), false),
    isa(0x5d, "gfx1170", (11, 7, 0), &GFX11, NONE, Some("gfx11-7-generic"), false),
    isa(0x5e, "gfx1171", (11, 7, 1), &GFX11, NONE, Some("gfx11-7-generic"), false),
    isa(0x5f, "gfx9-4-generic", (9, 4, 0), &GFX940, SX, None, true),
    isa(0x62, "gfx11-7-generic", (11, 7, 0), &GFX11, NONE, None, true),
    isa(0x63, "gfx13-generic", (13, 1, 0), &GFX13, NONE, None, true),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_unique() {
        assert!(ISAS.windows(2).all(|pair| pair[0].mach < pair[1].mach));
        for isa in &ISAS {
            assert_eq!(Isa::by_name(isa.name), Some(isa));
            assert_eq!(Isa::by_mach(isa.mach), Some(isa));
            if !isa.is_generic {
                assert_eq!(Isa::by_gfx_target_version(isa.gfx_target_version()), Some(isa));
            }
        }
    }

    #[test]
    fn generic_targets_exist_and_share_their_members_features() {
        for isa in &ISAS {
            let Some(generic) = isa.generic else { continue };
            let generic = Isa::by_name(generic).unwrap();
            assert!(generic.is_generic, "{}", isa.name);
            assert_eq!(generic.version.0, isa.version.0);
        }
    }

    #[test]
    fn versions_follow_from_names() {
        for isa in ISAS.iter().filter(|isa| !isa.is_generic) {
            let (major, minor, stepping) = isa.version;
            assert_eq!(isa.name, format!("gfx{major}{minor}{stepping:x}"));
        }
        assert_eq!(Isa::by_gfx_target_version(90010).unwrap().name, "gfx90a");
        assert_eq!(Isa::by_gfx_target_version(90402).unwrap().name, "gfx942");
    }
}
