//! The real device without hardware: its files laid out in a folder, missing, forbidden, or with nonsense in them.

#![allow(unsafe_code, reason = "one test gives up root's rights on a thread of its own")]

mod fake;

use std::fs;
use std::path::Path;

use kfd_sys::{Errno, Kfd as _};
use thunk_rs::dev::{KernelDevice, Paths};
use thunk_rs::topology::HeapType;
use thunk_rs::{DeviceChoice, Error, NodeId, OpenOptions, Thunk, Topology};

fn lay_out(gpus: usize) -> (tempfile::TempDir, Paths) {
    let root = tempfile::tempdir().unwrap();
    let paths = Paths {
        kfd: root.path().join("kfd"),
        dri: root.path().join("dri"),
        topology: root.path().join("topology"),
    };
    fs::write(&paths.kfd, "").unwrap();
    for (path, text) in fake::tree(gpus) {
        write(&paths, &path, &text);
    }
    (root, paths)
}

fn write(paths: &Paths, path: &str, text: impl AsRef<[u8]>) {
    let path = paths.topology.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(paths: &Paths) -> Result<Topology, Error> {
    Topology::read(&KernelDevice::open(paths.clone())?)
}

fn options(paths: &Paths, device: DeviceChoice) -> OpenOptions {
    OpenOptions { device: Some(device), paths: Some(paths.clone()), quiet: Some(true), ..Default::default() }
}

#[test]
fn a_tree_is_read_whole() {
    let (_root, paths) = lay_out(2);
    let topology = read(&paths).unwrap();
    assert_eq!((topology.generation, topology.system.platform_rev, topology.nodes.len()), (1, 2, 3));
    let host = topology.cpus().next().unwrap();
    assert_eq!((host.id, host.gpu_id, host.name.as_str()), (NodeId(0), 0, ""));
    assert_eq!((host.system_bytes(), host.vram_bytes()), (16_777_216_000, 0));
    assert_eq!(host.gfx_version(), None);

    let gpu = topology.gpus().next().unwrap();
    assert_eq!((gpu.id, gpu.gpu_id, gpu.name.as_str()), (NodeId(1), fake::GPU_IDS[0], "aldebaran"));
    assert_eq!(gpu.gfx_version().unwrap().to_string(), "gfx90a");
    assert_eq!((gpu.compute_units(), gpu.vram_bytes()), (110, 68_702_699_520));
    assert_eq!(gpu.mem_banks[0].heap_type, HeapType::FRAME_BUFFER_PUBLIC);
    assert_eq!(gpu.properties.unique_id, 13_830_554_455_654_793_216);
    assert_eq!((gpu.caches.len(), gpu.caches[1].size, gpu.caches[1].r#type), (2, 8192, 9));
    assert_eq!(gpu.caches[0].sibling_map, [1, 0, 0, 0]);
    assert_eq!((gpu.io_links[0].r#type, gpu.io_links[0].node_to), (2, 0));
    assert!(gpu.atomics_to(NodeId(0)));
    assert_eq!(topology.node(NodeId(2)).unwrap().gpu_id, fake::GPU_IDS[1]);
}

#[test]
fn nonsense_is_named_with_file_and_line() {
    for (path, text, says) in [
        ("generation_id", "one", "topology/generation_id, line 1: no 32-bit number in `one`"),
        ("nodes/1/gpu_id", "", "topology/nodes/1/gpu_id, line 1: no 32-bit number in ``"),
        (
            "nodes/1/properties",
            "simd_count 4\nwave_front_size",
            "topology/nodes/1/properties, line 2: no value in `wave_front_size`",
        ),
        (
            "nodes/1/properties",
            "simd_count 99999999999",
            "topology/nodes/1/properties, line 1: a value that is too large in `simd_count 99999999999`",
        ),
        (
            "nodes/1/properties",
            "caches_count 4000000000",
            "topology: node 1: caches has a count of 4000000000",
        ),
        (
            "nodes/1/properties",
            "caches_count 3",
            "topology/nodes/1/caches/2/properties: ENOENT (no such file or directory)",
        ),
        (
            "nodes/1/caches/1/properties",
            "\nsibling_map 1,b",
            "topology/nodes/1/caches/1/properties, line 2: no list of numbers in `sibling_map 1,b`",
        ),
        (
            "nodes/0/mem_banks/0/properties",
            "heap_type system",
            "topology/nodes/0/mem_banks/0/properties, line 1: no number in `heap_type system`",
        ),
    ] {
        let (_root, paths) = lay_out(1);
        write(&paths, path, text);
        assert_eq!(read(&paths).unwrap_err().to_string(), says);
    }
    let (_root, paths) = lay_out(1);
    write(&paths, "nodes/1/name", [0xff, 0xfe]);
    assert_eq!(read(&paths).unwrap_err().to_string(), "topology/nodes/1/name: EINVAL (invalid argument)");
}

#[test]
fn a_missing_tree_is_named() {
    let (_root, paths) = lay_out(1);
    fs::remove_dir_all(&paths.topology).unwrap();
    let error = Thunk::open(&options(&paths, DeviceChoice::Kfd)).unwrap_err();
    assert_eq!(error.to_string(), "topology/generation_id: ENOENT (no such file or directory)");
}

#[test]
fn a_missing_device_is_named_with_errno_and_path() {
    let (_root, mut paths) = lay_out(1);
    paths.kfd = paths.kfd.with_file_name("no-kfd");
    let error = Thunk::open(&options(&paths, DeviceChoice::Kfd)).unwrap_err();
    assert_eq!(error.errno(), Some(Errno::ENOENT));
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("{}: ENOENT (no such file or directory)", paths.kfd.display())),
        "{text}"
    );
    assert!(text.contains("ROCRS_DEVICE=emu"), "{text}");
}

#[test]
fn a_forbidden_device_is_named_with_the_way_out() {
    use std::os::unix::fs::PermissionsExt as _;
    let (root, paths) = lay_out(1);
    fs::set_permissions(&paths.kfd, fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let kfd = paths.kfd.clone();
    // Root may open anything, so this thread looks at files as somebody else.
    let thread = std::thread::spawn(move || {
        // SAFETY: changes the identity for file access of this thread alone, which ends right after.
        unsafe { libc::setfsuid(65534) };
        if fs::File::open(&paths.kfd).is_ok() {
            return None; // the file is ours, and we are not root
        }
        Some(Thunk::open(&options(&paths, DeviceChoice::Kfd)).unwrap_err())
    });
    if let Some(error) = thread.join().unwrap() {
        assert_eq!(error.errno(), Some(Errno::EACCES));
        let text = error.to_string();
        assert!(text.starts_with(&format!("{}: EACCES (permission denied)", kfd.display())), "{text}");
        assert!(text.contains("render"), "{text}");
    }
}

#[test]
fn a_device_without_gpu_is_no_device() {
    let (_root, paths) = lay_out(0);
    let error = Thunk::open(&options(&paths, DeviceChoice::Kfd)).unwrap_err();
    assert_eq!(error, Error::NoGpu { device: paths.kfd.display().to_string() });
}

#[test]
fn a_file_that_is_no_kfd_answers_no_ioctl() {
    let (_root, paths) = lay_out(1);
    let error = Thunk::open(&options(&paths, DeviceChoice::Kfd)).unwrap_err();
    assert_eq!(error.to_string(), "AMDKFD_IOC_GET_VERSION (interface 0.0): ENOTTY (unknown ioctl)");
    // `auto` does not turn away from hardware that is there and does not work.
    let auto = Thunk::open(&options(&paths, DeviceChoice::Auto)).unwrap_err();
    assert_eq!(auto, error);
}

#[test]
fn requests_that_would_reach_beyond_the_argument_are_refused() {
    let (_root, paths) = lay_out(1);
    let device = KernelDevice::open(paths).unwrap();
    let request = kfd_sys::ioctl::request(kfd_sys::Direction::ReadWrite, 1, 16);
    assert_eq!(device.ioctl(request, &mut [0; 8]), Err(Errno::EINVAL));
    assert_eq!(device.ioctl(0xc028_6405, &mut [0; 64]), Err(Errno::ENOTTY));
    assert_eq!(device.open_render_node(128), Err(Errno::ENOENT));
    assert_eq!(device.read_topology("nodes/9/gpu_id"), Err(Errno::ENOENT));
    assert!(!Path::new(&device.name()).is_relative());
}

#[test]
fn a_tree_that_changes_is_read_again() {
    use kfd_sys::{DeviceFile, Kfd, Prot};
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Its generation goes up with each reading, `changes` times.
    struct Restless {
        inner: std::sync::Arc<fake::Fake>,
        changes: u32,
        reads: AtomicU32,
    }
    impl Kfd for Restless {
        fn name(&self) -> String {
            self.inner.name()
        }
        fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
            self.inner.ioctl(request, arg)
        }
        fn open_render_node(&self, minor: u32) -> Result<i32, Errno> {
            self.inner.open_render_node(minor)
        }
        unsafe fn mmap(&self, _: DeviceFile, _: u64, _: u64, _: Prot, _: u64) -> Result<(), Errno> {
            Err(Errno::ENODEV)
        }
        fn read_topology(&self, path: &str) -> Result<String, Errno> {
            if path == "generation_id" {
                let generation = self.reads.fetch_add(1, Ordering::Relaxed).min(self.changes);
                return Ok(format!("{generation}\n"));
            }
            self.inner.read_topology(path)
        }
    }
    let restless = |changes| Restless { inner: fake::Fake::new(1), changes, reads: AtomicU32::new(0) };
    assert_eq!(Topology::read(&restless(2)).unwrap().generation, 2);
    assert_eq!(
        Topology::read(&restless(u32::MAX)).unwrap_err(),
        Error::TopologyUnstable { tries: 5, last: 5 }
    );
}
