//! Every file by which user space finds the devices, as a tree of text and links: KFD's topology, DRM's and PCI's
//! folders in sysfs, the module, the device files (`kfd_topology.c`, `drm_sysfs.c`, `amdgpu_drv.c`).
//!
//! A tree on disk and a prefix on paths are all that a foreign process needs to see the devices.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::sysfs::host_cpus;
use super::{Device, Process, host_memory};
use crate::EmulatedGpu;

/// Where KFD's topology is.
pub(crate) const TOPOLOGY: &str = "/sys/devices/virtual/kfd/kfd/topology";
/// Character devices: DRM's major number, and one of those that the kernel gives out as they come, for KFD.
pub const DRM_MAJOR: u32 = 226;
/// See [`DRM_MAJOR`].
pub const KFD_MAJOR: u32 = 235;
/// Render nodes are numbered from here; the card of render node `128 + n` is `n`.
pub const FIRST_RENDER_MINOR: u32 = super::FIRST_MINOR;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file with this text.
    File(String),
    /// A symbolic link.
    Link(String),
    /// A folder with nothing in it.
    Folder,
}

/// All files, by absolute path. Folders are where a path has parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(pub BTreeMap<String, Entry>);

impl Tree {
    fn file(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.0.insert(path.into(), Entry::File(text.into()));
    }

    fn link(&mut self, path: impl Into<String>, to: impl Into<String>) {
        self.0.insert(path.into(), Entry::Link(to.into()));
    }

    /// Writes the tree below `root`.
    pub fn write(&self, root: &Path) -> io::Result<()> {
        for (path, entry) in &self.0 {
            let at = root.join(path.trim_start_matches('/'));
            if let Some(parent) = at.parent() {
                fs::create_dir_all(parent)?;
            }
            match entry {
                Entry::File(text) => {
                    fs::write(&at, text)?;
                    if path.starts_with("/dev/") {
                        fs::set_permissions(&at, fs::Permissions::from_mode(0o666))?;
                    }
                }
                Entry::Link(to) => symlink(to, &at)?,
                Entry::Folder => fs::create_dir_all(&at)?,
            }
        }
        Ok(())
    }
}

/// Processors as sysfs has them.
pub const PROCESSORS: &str = "/sys/devices/system/cpu";
/// A file that a host whose processors can be read has: `libhsakmt` gives up a CPU node whose caches it cannot read, and
/// all GPUs with it.
pub const FIRST_CACHE: &str = "/sys/devices/system/cpu/cpu0/cache/index0/level";

/// What the tree must know of the machine it is made on.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// `/proc/modules`, to which the driver is added.
    pub modules: String,
    /// There is no [`FIRST_CACHE`], as in a container without sysfs: the tree has [`PROCESSORS`].
    pub lacks_processors: bool,
}

impl EmulatedGpu {
    /// The tree.
    pub fn tree(&self, host: &Host) -> Tree {
        let mut tree = Tree::default();
        topology(&self.process, &mut tree);
        tree.file("/dev/kfd", "");
        tree.file("/sys/devices/virtual/kfd/kfd/dev", format!("{KFD_MAJOR}:0\n"));
        tree.file(
            "/sys/devices/virtual/kfd/kfd/uevent",
            format!("MAJOR={KFD_MAJOR}\nMINOR=0\nDEVNAME=kfd\n"),
        );
        tree.link("/sys/class/kfd/kfd", "../../devices/virtual/kfd/kfd");
        for (index, device) in self.process.devices.iter().enumerate() {
            pci(device, index, &mut tree);
        }
        for (name, text) in [("initstate", "live\n"), ("refcnt", "1\n"), ("taint", "\n")] {
            tree.file(format!("/sys/module/amdgpu/{name}"), text);
        }
        tree.0.insert("/sys/module/amdgpu/holders".to_owned(), Entry::Folder);
        let mut all = String::from("amdgpu 9850880 1 - Live 0x0000000000000000\n");
        all.extend(
            host.modules.lines().filter(|line| !line.starts_with("amdgpu ")).map(|line| format!("{line}\n")),
        );
        tree.file("/proc/modules", all);
        if host.lacks_processors {
            processors(&mut tree);
        }
        tree
    }

    /// A file of the topology that changes while the device runs, by its absolute path, as it is now.
    pub fn changing_file(&self, path: &str) -> Option<String> {
        let below = path.strip_prefix(TOPOLOGY)?;
        if below.ends_with("/used_memory") { self.process.read_topology(below).ok() } else { None }
    }
}

/// The text files of the topology, found by the counts in the properties of each node.
fn topology(process: &Process, tree: &mut Tree) {
    let mut add = |path: String| {
        if let Ok(text) = process.read_topology(&path) {
            tree.file(format!("{TOPOLOGY}/{path}"), text);
        }
    };
    add("generation_id".into());
    add("system_properties".into());
    for node in 0..=process.devices.len() {
        let of_node = |rest: &str| format!("nodes/{node}/{rest}");
        for name in ["gpu_id", "name", "properties", "mem_banks/0/used_memory"] {
            add(of_node(name));
        }
        let properties = process.read_topology(&of_node("properties")).unwrap_or_default();
        for folder in ["mem_banks", "caches", "io_links", "p2p_links"] {
            let count = format!("{folder}_count ");
            let count = properties.lines().find_map(|line| line.strip_prefix(&count)?.parse().ok());
            for index in 0..count.unwrap_or(0u32) {
                add(of_node(&format!("{folder}/{index}/properties")));
            }
        }
    }
}

/// As many processors as the CPU node has cores, each with a first-level cache.
fn processors(tree: &mut Tree) {
    let count = host_cpus();
    for name in ["possible", "present", "online"] {
        tree.file(format!("{PROCESSORS}/{name}"), format!("0-{}\n", count - 1));
    }
    for cpu in 0..count {
        // Groups of 32 bits in hexadecimal, the highest first (`cpumap_print_to_pagebuf()`).
        let mut map = format!("{:08x}", 1u32 << (cpu % 32));
        (0..cpu / 32).for_each(|_| map.push_str(",00000000"));
        for (name, text) in [
            ("level", "1"),
            ("type", "Data"),
            ("size", "32K"),
            ("coherency_line_size", "64"),
            ("ways_of_associativity", "8"),
            ("physical_line_partition", "1"),
            ("shared_cpu_list", &cpu.to_string()),
            ("shared_cpu_map", &map),
        ] {
            tree.file(format!("{PROCESSORS}/cpu{cpu}/cache/index0/{name}"), format!("{text}\n"));
        }
    }
}

/// The PCI function of a GPU, with its card and render node.
fn pci(device: &Device, index: usize, tree: &mut Tree) {
    let chip = device.chip;
    // As `location_id` of the topology has it: one bus a GPU, from 1 up.
    let address = format!("0000:{:02x}:00.0", index + 1);
    let home = format!("/sys/devices/pci0000:00/{address}");
    let vram = chip.vram;
    for (name, text) in [
        ("vendor", "0x1002".to_owned()),
        ("device", format!("{:#06x}", chip.device_id)),
        ("subsystem_vendor", "0x1002".to_owned()),
        ("subsystem_device", "0x0b0c".to_owned()),
        ("revision", format!("{:#04x}", chip.pci_revision)),
        ("class", "0x038000".to_owned()),
        ("numa_node", "0".to_owned()),
        ("current_link_speed", "16.0 GT/s PCIe".to_owned()),
        ("current_link_width", "16".to_owned()),
        ("max_link_speed", "16.0 GT/s PCIe".to_owned()),
        ("max_link_width", "16".to_owned()),
        ("unique_id", format!("{:016x}", device.gpu_id)),
        ("power_dpm_force_performance_level", "auto".to_owned()),
        ("gpu_busy_percent", "0".to_owned()),
        ("mem_info_vram_total", vram.to_string()),
        ("mem_info_vram_used", "0".to_owned()),
        ("mem_info_vis_vram_total", vram.to_string()),
        ("mem_info_gtt_total", host_memory().to_string()),
        ("mem_info_gtt_used", "0".to_owned()),
    ] {
        tree.file(format!("{home}/{name}"), text + "\n");
    }
    tree.file(
        format!("{home}/uevent"),
        format!(
            "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=1002:{:04X}\nPCI_SUBSYS_ID=1002:0B0C\nPCI_SLOT_NAME={address}\n",
            chip.device_id
        ),
    );
    for (block, [major, minor, revision]) in chip.ip_blocks {
        let instance = format!("{home}/ip_discovery/die/0/{block}/0");
        for (name, value) in [("major", major), ("minor", minor), ("revision", revision)] {
            tree.file(format!("{instance}/{name}"), format!("{value}\n"));
        }
    }
    tree.link(format!("{home}/driver"), "../../../bus/pci/drivers/amdgpu");
    tree.link(format!("{home}/subsystem"), "../../../bus/pci");
    tree.link(format!("/sys/bus/pci/devices/{address}"), format!("../../../devices/pci0000:00/{address}"));
    let to_home = format!("../../../../devices/pci0000:00/{address}");
    tree.link(format!("/sys/bus/pci/drivers/amdgpu/{address}"), to_home);
    for (name, minor) in [
        (format!("card{}", device.minor - FIRST_RENDER_MINOR), device.minor - FIRST_RENDER_MINOR),
        (format!("renderD{}", device.minor), device.minor),
    ] {
        let node = format!("{home}/drm/{name}");
        tree.file(format!("/dev/dri/{name}"), "");
        tree.file(format!("{node}/dev"), format!("{DRM_MAJOR}:{minor}\n"));
        tree.file(
            format!("{node}/uevent"),
            format!("MAJOR={DRM_MAJOR}\nMINOR={minor}\nDEVNAME=dri/{name}\nDEVTYPE=drm_minor\n"),
        );
        tree.link(format!("{node}/device"), format!("../../../{address}"));
        tree.link(format!("{node}/subsystem"), "../../../../../class/drm");
        let to_node = format!("../../devices/pci0000:00/{address}/drm/{name}");
        tree.link(format!("/sys/class/drm/{name}"), to_node.clone());
        tree.link(format!("/sys/dev/char/{DRM_MAJOR}:{minor}"), to_node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_there_where_the_host_has_none() {
        let mut tree = Tree::default();
        processors(&mut tree);
        let text = |rest: &str| match tree.0.get(&format!("{PROCESSORS}/{rest}")) {
            Some(Entry::File(text)) => text.as_str(),
            other => panic!("{rest}: {other:?}"),
        };
        let last = host_cpus() - 1;
        assert_eq!(text("online"), format!("0-{last}\n"));
        assert_eq!(text("cpu0/cache/index0/shared_cpu_map"), "00000001\n");
        assert_eq!(text(&format!("cpu{last}/cache/index0/shared_cpu_list")), format!("{last}\n"));
        assert_eq!(text(&format!("cpu{last}/cache/index0/level")), "1\n");
    }
}
