//! Which paths are the device's. Everything else is somebody else's, and is not even looked at closely.

use amdgpu_emu::tree::{FIRST_CACHE, FIRST_RENDER_MINOR, PROCESSORS};

use crate::files::Kind;

/// Whose a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Not ours.
    Elsewhere,
    /// A device file.
    Device(Kind),
    /// A file or folder of the tree.
    Tree,
}

/// Folders and files that are in the tree whole.
const WHOLE: &[&[u8]] = &[
    b"/dev/dri",
    b"/sys/devices/virtual/kfd",
    b"/sys/class/kfd",
    b"/sys/class/drm",
    b"/sys/module/amdgpu",
    b"/sys/bus/pci/drivers/amdgpu",
    b"/proc/modules",
];
/// Folders of PCI functions: those of the emulated GPUs are bus 1, 2 and so on.
const FUNCTIONS: &[&[u8]] = &[b"/sys/bus/pci/devices/0000:", b"/sys/devices/pci0000:00/0000:"];
/// DRM's device numbers.
const CHARACTER: &[u8] = b"/sys/dev/char/226:";

/// Is `path` the file `base` or below the folder `base`?
fn within(path: &[u8], base: &[u8]) -> bool {
    path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// A number as the kernel writes it: digits alone.
fn number(text: &[u8], radix: u32) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.chars().all(|c| c.is_digit(radix));
    u32::from_str_radix(text, radix).ok().filter(|_| digits)
}

/// The device file at a path.
fn device(path: &[u8]) -> Option<Kind> {
    if path == b"/dev/kfd" {
        return Some(Kind::Kfd);
    }
    let name = path.strip_prefix(b"/dev/dri/")?;
    let (text, minors) = match name.strip_prefix(b"renderD") {
        Some(text) => (text, FIRST_RENDER_MINOR..2 * FIRST_RENDER_MINOR),
        None => (name.strip_prefix(b"card")?, 0..FIRST_RENDER_MINOR),
    };
    let plain = text == b"0" || !text.starts_with(b"0");
    number(text, 10).filter(|minor| plain && minors.contains(minor)).map(Kind::Drm)
}

/// Whose path it is, on a machine with `gpus()` emulated GPUs that may lack a file of the host's. Both are asked for
/// only where they count.
pub fn of(path: &[u8], gpus: impl Fn() -> usize, lacks: impl Fn(&str) -> bool) -> Place {
    let candidate = [b"/dev/".as_slice(), b"/sys/", b"/proc/m"].iter().any(|start| path.starts_with(start));
    if !candidate {
        return Place::Elsewhere;
    }
    if let Some(kind) = device(path) {
        return Place::Device(kind);
    }
    let function = |base: &&[u8]| {
        let rest = path.strip_prefix(*base).filter(|rest| rest.len() >= 7 && within(&rest[2..], b":00.0"));
        let bus = rest.and_then(|rest| number(&rest[..2], 16));
        bus.is_some_and(|bus| bus >= 1 && bus as usize <= gpus())
    };
    let ours = WHOLE.iter().any(|base| within(path, base))
        || path.starts_with(CHARACTER)
        || FUNCTIONS.iter().any(function)
        || within(path, PROCESSORS.as_bytes()) && lacks(FIRST_CACHE);
    if ours { Place::Tree } else { Place::Elsewhere }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_has_its_paths_and_no_others() {
        let at = |path: &str| of(path.as_bytes(), || 2, |_| false);
        for (path, kind) in [
            ("/dev/kfd", Kind::Kfd),
            ("/dev/dri/renderD128", Kind::Drm(128)),
            ("/dev/dri/card1", Kind::Drm(1)),
        ] {
            assert_eq!(at(path), Place::Device(kind), "{path}");
        }
        for path in [
            "/dev/dri",
            "/dev/dri/",
            "/dev/dri/by-path",
            // No such names: a card's number on a render node, and the other way round.
            "/dev/dri/renderD0",
            "/dev/dri/renderD1",
            "/dev/dri/card128",
            "/dev/dri/card129",
            "/dev/dri/card00",
            "/dev/dri/card+1",
            "/dev/dri/renderD",
            "/sys/devices/virtual/kfd/kfd/topology/nodes/1/properties",
            "/sys/class/kfd",
            "/sys/module/amdgpu/initstate",
            "/sys/dev/char/226:128/device/drm",
            "/proc/modules",
            "/sys/bus/pci/devices/0000:02:00.0/vendor",
            "/sys/devices/pci0000:00/0000:01:00.0",
        ] {
            assert_eq!(at(path), Place::Tree, "{path}");
        }
        for path in [
            "",
            "kfd",
            "/dev/kfd2",
            "/dev/null",
            "/dev/dri2",
            "/sys",
            "/sys/class/net",
            "/sys/devices/virtual/kfdx",
            "/proc/meminfo",
            "/proc/modules2",
            "/sys/bus/pci/devices/0000:03:00.0",
            "/sys/bus/pci/devices/0000:00:00.0",
            "/sys/bus/pci/devices/0000:01:00.1",
            "/sys/bus/pci/devices/0000:+1:00.0",
            "/sys/bus/pci/devices/0000:",
            "/srv/dev/kfd",
            "/sys/devices/system/cpu/online",
        ] {
            assert_eq!(at(path), Place::Elsewhere, "{path}");
        }
        let bare = |path: &str| of(path.as_bytes(), || 2, |_| true);
        assert_eq!(bare("/sys/devices/system/cpu"), Place::Tree);
        assert_eq!(bare("/sys/devices/system/cpu/cpu0/cache"), Place::Tree);
        assert_eq!(bare("/sys/devices/system/node/node0"), Place::Elsewhere);
    }
}
