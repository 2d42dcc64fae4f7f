//! What chips are called: by their makers (libhsakmt's table) and by their sellers (libdrm's `amdgpu.ids`).

use std::fs;
use std::path::Path;

use super::Node;

/// Where libdrm keeps names by PCI device and revision.
const IDS: &str = "/usr/share/libdrm/amdgpu.ids";

/// What the makers call it, by `gfx_target_version`.
const CHIPS: &[(u32, &str)] = &[
    (90_000, "Vega10"),
    (90_002, "Raven"),
    (90_004, "Vega12"),
    (90_006, "Vega20"),
    (90_008, "Arcturus"),
    (90_010, "Aldebaran"),
    (90_012, "Renoir"),
];

impl Node {
    /// What the makers call the chip: `Aldebaran`, or `GFX` and its version where they gave it no name.
    pub fn chip_name(&self) -> Option<String> {
        let gfx = self.gfx_version()?;
        let named = CHIPS.iter().find(|(version, _)| *version == self.properties.gfx_target_version);
        Some(match named {
            Some((_, name)) => (*name).to_owned(),
            None => format!("GFX{:02x}{:02x}{:02x}", gfx.major, gfx.minor, gfx.stepping),
        })
    }

    /// What the GPU is sold as, where libdrm's list has it. The revision is sysfs's; without it the first line will do.
    pub fn marketing_name(&self) -> Option<String> {
        let minor = self.properties.drm_render_minor;
        let revision = fs::read_to_string(format!("/sys/class/drm/renderD{minor}/device/revision")).ok();
        let revision =
            revision.and_then(|text| u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok());
        find(&fs::read_to_string(Path::new(IDS)).ok()?, self.properties.device_id, revision)
    }
}

/// Lines are `DEVICE,\tREVISION,\tNAME`.
fn find(list: &str, device: u32, revision: Option<u32>) -> Option<String> {
    list.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = line.splitn(3, ',').map(str::trim);
        let (of, its, name) = (fields.next()?, fields.next()?, fields.next()?);
        let hex = |text| u32::from_str_radix(text, 16).ok();
        let fits = hex(of)? == device && revision.is_none_or(|wanted| hex(its) == Some(wanted));
        fits.then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_device_and_revision() {
        let list = "# List\n1.0.0\n7408,\t00,\tOne\n7408,\t01,\tTwo, of two\n";
        assert_eq!(find(list, 0x7408, Some(1)).as_deref(), Some("Two, of two"));
        assert_eq!(find(list, 0x7408, None).as_deref(), Some("One"));
        assert_eq!(find(list, 0x7408, Some(2)), None);
    }
}
