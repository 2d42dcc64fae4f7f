//! The device from the ioctl side: version, topology, memory and events, with good and bad arguments.

mod common;

use amdgpu_emu::{EmulatedGpu, Options, chips};
use common::{GTT, Rig, VRAM, addr_of, reserve};
use kfd_sys::aperture::{
    AcquireVmArgs, GetProcessAperturesNewArgs, ProcessDeviceApertures, SetXnackModeArgs,
};
use kfd_sys::clock::GetClockCountersArgs;
use kfd_sys::event::{
    DestroyEventArgs, EventData, EventType, SIGNAL_EVENT_LIMIT, SetEventArgs, WaitEventsArgs, WaitResult,
};
use kfd_sys::memory::{
    AllocFlags, FreeMemoryOfGpuArgs, GetAvailableMemoryArgs, MapMemoryToGpuArgs, UnmapMemoryFromGpuArgs,
};
use kfd_sys::queue::{CreateQueueArgs, DestroyQueueArgs, QueueType};
use kfd_sys::version::GetVersionArgs;
use kfd_sys::{DeviceFile, Errno, Kfd, KfdExt as _, ioctl};
use nix::sys::mman::ProtFlags;
use proptest::prelude::*;

fn properties(gpu: &EmulatedGpu, path: &str) -> std::collections::HashMap<String, u64> {
    let text = gpu.read_topology(path).unwrap();
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        })
        .collect()
}

#[test]
fn version_and_unknown_ioctls() {
    let gpu = EmulatedGpu::new(&[&chips::GFX90A], Options::default());
    let mut version = GetVersionArgs::default();
    gpu.call(&mut version).unwrap();
    assert_eq!(version.major_version, 1);
    assert!(version.minor_version >= 15);
    let request = ioctl::request(ioctl::Direction::ReadWrite, 0x7f, 8);
    assert_eq!(gpu.ioctl(request, &mut [0; 8]), Err(Errno::ENOTTY));
    assert_eq!(gpu.ioctl(0x8008_4c01, &mut [0; 8]), Err(Errno::ENOTTY), "another driver's letter");
    // Half of the struct: the device writes no more than was sent.
    let mut half = [0xff; 4];
    gpu.ioctl(ioctl::request(ioctl::Direction::Read, 1, 4), &mut half).unwrap();
    assert_eq!(half, 1u32.to_le_bytes());
}

#[test]
fn topology_of_two_gpus() {
    let gpu = EmulatedGpu::new(&[&chips::GFX90A, &chips::GFX942], Options::default());
    for node in 0..3 {
        let node_properties = properties(&gpu, &format!("nodes/{node}/properties"));
        for (count, folder) in [
            ("mem_banks", "mem_banks"),
            ("caches", "caches"),
            ("io_links", "io_links"),
            ("p2p_links", "p2p_links"),
        ] {
            let n = node_properties[&format!("{count}_count")];
            for index in 0..n {
                assert!(!properties(&gpu, &format!("nodes/{node}/{folder}/{index}/properties")).is_empty());
            }
            let beyond = format!("nodes/{node}/{folder}/{n}/properties");
            assert_eq!(gpu.read_topology(&beyond), Err(Errno::ENOENT), "{beyond}");
        }
    }
    let second = properties(&gpu, "nodes/2/properties");
    assert_eq!(second["gfx_target_version"], 90402);
    assert_eq!(second["simd_count"], 1216);
    assert_eq!(second["drm_render_minor"], 129);
    assert_eq!(second["capability"] >> 12 & 3, 2, "doorbells of 64 bits");
    assert_eq!(properties(&gpu, "nodes/1/p2p_links/0/properties")["node_to"], 2);
    assert_eq!(properties(&gpu, "nodes/2/p2p_links/0/properties")["node_to"], 1);
    assert_ne!(gpu.read_topology("nodes/1/gpu_id"), gpu.read_topology("nodes/2/gpu_id"));
    for path in ["nodes/3/properties", "nodes/x/properties", "", "nodes", "nodes/1/caches/-1/properties"] {
        assert_eq!(gpu.read_topology(path), Err(Errno::ENOENT), "{path}");
    }
}

#[test]
fn all_chips_run_their_generation() {
    for chip in chips::ALL {
        let gpu = EmulatedGpu::new(&[chip], Options::default());
        let node = properties(&gpu, "nodes/1/properties");
        let isa = amd_codeobj::Isa::by_name(chip.name).expect("a known processor");
        assert_eq!(node["gfx_target_version"], u64::from(isa.gfx_target_version()));
        assert_eq!(node["lds_size_in_kb"] << 10, u64::from(isa.generation.max_lds), "{}", chip.name);
        assert!(amdgpu_isa::gens::by_processor(chip.name).is_some());
        let level = |cache: u64| properties(&gpu, &format!("nodes/1/caches/{cache}/properties"))["level"];
        let levels: std::collections::BTreeSet<u64> = (0..node["caches_count"]).map(level).collect();
        assert!(levels.is_superset(&[1, 2].into()), "{}: caches of the levels {levels:?}", chip.name);
        assert!(
            u64::from(chip.compute_units()) <= node["array_count"] * node["cu_per_simd_array"],
            "{}",
            chip.name
        );
    }
}

#[test]
fn apertures_clocks_and_xnack() {
    let rig = Rig::new(&chips::GFX942);
    let mut found = [ProcessDeviceApertures::default(); 4];
    let mut args = GetProcessAperturesNewArgs {
        kfd_process_device_apertures_ptr: std::ptr::from_mut(&mut found).expose_provenance() as u64,
        num_of_nodes: 4,
        pad: 0,
    };
    rig.gpu.call(&mut args).unwrap();
    assert_eq!((args.num_of_nodes, found[0].gpu_id), (1, rig.gpu_id));
    assert_eq!(found[0].lds_base, 1 << 48);
    args.kfd_process_device_apertures_ptr = 8;
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EFAULT));

    let read = |gpu_id| {
        let mut args = GetClockCountersArgs { gpu_id, ..Default::default() };
        rig.gpu.call(&mut args).map(|()| args)
    };
    let (first, second) = (read(rig.gpu_id).unwrap(), read(rig.gpu_id).unwrap());
    assert!(first.gpu_clock_counter > 0 && second.gpu_clock_counter >= first.gpu_clock_counter);
    assert_eq!(first.cpu_clock_counter / 10, first.gpu_clock_counter);
    assert_eq!(read(0).unwrap().gpu_clock_counter, 0);
    assert_eq!(read(1).unwrap_err(), Errno::EINVAL);

    let mut xnack = SetXnackModeArgs { xnack_enabled: -1 };
    rig.gpu.call(&mut xnack).unwrap();
    assert_eq!(xnack.xnack_enabled, 0);
}

#[test]
fn memory_round_trip() {
    let rig = Rig::new(&chips::GFX90A);
    let available = || {
        let mut args = GetAvailableMemoryArgs { gpu_id: rig.gpu_id, ..Default::default() };
        rig.gpu.call(&mut args).unwrap();
        args.available
    };
    let before = available();
    let buffer = rig.allocate(1 << 20, VRAM);
    assert_eq!(available(), before - (1 << 20));
    buffer.set(5, 9);
    assert_eq!(buffer.get(5), 9);
    assert_eq!(rig.map(buffer.handle), Ok(1), "mapping twice is no error");
    let mut free = FreeMemoryOfGpuArgs { handle: buffer.handle };
    assert_eq!(rig.gpu.call(&mut free), Err(Errno::EBUSY), "still mapped");
    assert_eq!(rig.unmap(buffer.handle), Ok(1));
    assert_eq!(rig.unmap(buffer.handle), Ok(1));
    rig.gpu.call(&mut free).unwrap();
    assert_eq!(rig.gpu.call(&mut free), Err(Errno::EINVAL), "freed twice");
    assert_eq!(rig.map(buffer.handle), Err(Errno::EINVAL));
    assert_eq!(available(), before);
}

#[test]
fn bad_memory_arguments() {
    let rig = Rig::new(&chips::GFX90A);
    let va = reserve(1 << 20, ProtFlags::PROT_NONE);
    let user = reserve(1 << 20, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE);
    let readable = reserve(1 << 20, ProtFlags::PROT_READ);
    let userptr = AllocFlags::USERPTR | AllocFlags::WRITABLE;
    for (what, va, size, flags, user_address, errno) in [
        ("no size", va, 0, VRAM, 0, Errno::EINVAL),
        ("unaligned address", va + 8, 4096, VRAM, 0, Errno::EINVAL),
        ("size that wraps", va, u64::MAX - 100, VRAM, 0, Errno::EINVAL),
        ("reserved address", 0x1000, 4096, VRAM, 0, Errno::EINVAL),
        ("address beyond", 1 << 47, 4096, VRAM, 0, Errno::EINVAL),
        ("its end beyond", (1 << 47) - 4096, 8192, VRAM, 0, Errno::EINVAL),
        ("address far beyond", 1 << 49, 4096, VRAM, 0, Errno::EINVAL),
        ("wraps", u64::MAX - 4095, 8192, VRAM, 0, Errno::EINVAL),
        ("too large", 1 << 40, 1 << 45, VRAM, 0, Errno::ENOMEM),
        ("no type", va, 4096, AllocFlags::WRITABLE, 0, Errno::EINVAL),
        ("two types", va, 4096, VRAM | AllocFlags::GTT, 0, Errno::EINVAL),
        ("doorbell size", va, 4096, AllocFlags::DOORBELL, 0, Errno::EINVAL),
        ("mmio size", va, 8192, AllocFlags::MMIO_REMAP, 0, Errno::EINVAL),
        ("null user pointer", va, 4096, userptr, 0, Errno::EINVAL),
        ("bad user pointer", va, 4096, userptr, 0x10_0000_0000_0000, Errno::EFAULT),
        ("protected user pointer", va, 4096, userptr, va, Errno::EFAULT),
        ("read-only user pointer", va, 4096, userptr, readable, Errno::EFAULT),
    ] {
        assert_eq!(rig.try_alloc(va, size, flags, user_address).unwrap_err(), errno, "{what}");
    }
    let (handle, _) = rig.try_alloc(user, 1 << 20, userptr, user).unwrap();
    assert_eq!(rig.map(handle), Ok(1));
    let (overlapping, _) = rig.try_alloc(user + 4096, 4096, VRAM, 0).unwrap();
    assert_eq!(rig.map(overlapping), Err(Errno::EINVAL), "the address is taken");

    let ids = [rig.gpu_id, 1];
    let mut args =
        MapMemoryToGpuArgs { handle, device_ids_array_ptr: addr_of(&ids), n_devices: 2, n_success: 0 };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EINVAL), "the second GPU does not exist");
    assert_eq!(args.n_success, 1);
    args = MapMemoryToGpuArgs { handle, device_ids_array_ptr: 64, n_devices: 1, n_success: 0 };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EFAULT));
    args =
        MapMemoryToGpuArgs { handle, device_ids_array_ptr: addr_of(&ids), n_devices: u32::MAX, n_success: 0 };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EINVAL));
    let mut args =
        UnmapMemoryFromGpuArgs { handle, device_ids_array_ptr: addr_of(&ids), n_devices: 1, n_success: 2 };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EINVAL), "more done than there are");

    // All VRAM is within reach of the host; what is not PUBLIC may be moved out of it, and never is.
    let private = AllocFlags::VRAM | AllocFlags::WRITABLE;
    let (_, offset) = rig.try_alloc(va, 4096, private, 0).unwrap();
    assert_eq!(rig.mmap(DeviceFile::Render(rig.minor), va, 4096, offset), Ok(()));
    let (_, offset) = rig.try_alloc(va, 4096, GTT, 0).unwrap();
    assert_eq!(rig.mmap(DeviceFile::Render(rig.minor), va, 8192, offset), Err(Errno::EINVAL));
    assert_eq!(rig.mmap(DeviceFile::Render(7), va, 4096, offset), Err(Errno::ENODEV));
    assert_eq!(rig.mmap(DeviceFile::Kfd, va, 4096, 0x1234_5678 << 14), Err(Errno::EINVAL));
    assert_eq!(rig.mmap(DeviceFile::Render(rig.minor), va, 4096, offset), Ok(()));
}

#[test]
fn nothing_works_before_the_page_table_is_acquired() {
    let gpu = EmulatedGpu::new(&[&chips::GFX90A], Options::default());
    let gpu_id = gpu.read_topology("nodes/1/gpu_id").unwrap().trim().parse().unwrap();
    let mut args = kfd_sys::memory::AllocMemoryOfGpuArgs {
        va_addr: 1 << 32,
        size: 4096,
        gpu_id,
        flags: VRAM.bits(),
        ..Default::default()
    };
    assert_eq!(gpu.call(&mut args), Err(Errno::ENODEV));
    assert_eq!(gpu.call(&mut AcquireVmArgs { drm_fd: 1, gpu_id }), Err(Errno::EINVAL));
    assert_eq!(gpu.open_render_node(127), Err(Errno::ENOENT));
    let mut args = DestroyQueueArgs { queue_id: 0, pad: 0 };
    assert_eq!(gpu.call(&mut args), Err(Errno::EINVAL));
    let file = gpu.open_render_node(128).unwrap();
    let mut acquire = AcquireVmArgs { drm_fd: file.cast_unsigned(), gpu_id };
    assert_eq!(gpu.call(&mut acquire), Ok(()));
    let mut args = CreateQueueArgs {
        gpu_id,
        queue_type: QueueType::COMPUTE_AQL,
        ring_size: 4096,
        ring_base_address: 1 << 32,
        ..Default::default()
    };
    assert_eq!(gpu.call(&mut args), Err(Errno::EINVAL), "the ring is not mapped");
    args.queue_type = QueueType::SDMA;
    assert_eq!(gpu.call(&mut args), Err(Errno::EINVAL));
}

#[test]
fn events_through_the_boundary() {
    let rig = Rig::new(&chips::GFX90A);
    let page = rig.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8, GTT);
    let memory = rig.create_event(EventType::MEMORY, page.handle);
    let signal = rig.create_event(EventType::SIGNAL, 0);
    assert_eq!(page.get64(0), u64::MAX, "slots start unsignalled");
    assert_eq!(rig.wait_event(signal, 0).0, WaitResult::TIMEOUT);
    rig.gpu.call(&mut SetEventArgs { event_id: signal, pad: 0 }).unwrap();
    let (result, data) = rig.wait_event(signal, 1000);
    assert_eq!((result, data.signal().last_event_age), (WaitResult::COMPLETE, 2));
    assert_eq!(rig.wait_event(signal, 1).0, WaitResult::TIMEOUT, "auto reset");
    assert_eq!(rig.gpu.call(&mut SetEventArgs { event_id: memory, pad: 0 }), Err(Errno::EINVAL));

    let mut args = WaitEventsArgs { events_ptr: 8, num_events: 1, ..Default::default() };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EFAULT));
    args.num_events = u32::MAX;
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EINVAL));
    let data = [EventData::new(4000)];
    let mut args = WaitEventsArgs { events_ptr: addr_of(&data), num_events: 1, ..Default::default() };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EINVAL));

    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let data = [EventData::new(memory)];
            let mut args = WaitEventsArgs {
                events_ptr: addr_of(&data),
                num_events: 1,
                timeout: u32::MAX,
                ..Default::default()
            };
            rig.gpu.call(&mut args)
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        rig.gpu.call(&mut DestroyEventArgs { event_id: memory, pad: 0 }).unwrap();
        assert_eq!(waiter.join().unwrap(), Err(Errno::EIO));
    });
}

/// Numbers that make ioctls find something now and then.
fn word(gpu_id: u32, va: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(u64::MAX),
        0u64..16,
        Just(u64::from(gpu_id)),
        Just(u64::from(gpu_id) << 32 | u64::from(gpu_id)),
        Just(u64::from(gpu_id) << 32 | 1),
        Just(va),
        (0u32..64).prop_map(|bit| 1 << bit),
        any::<u64>(),
    ]
}

#[test]
fn random_requests_never_crash() {
    let rig = Rig::new(&chips::GFX90A);
    let va = reserve(1 << 20, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE);
    let strategy = (0u32..0x90, 0usize..128, prop::collection::vec(word(rig.gpu_id, va), 16));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..Default::default()
    });
    runner
        .run(&strategy, |(nr, size, words)| {
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            if nr == ioctl::number::WAIT_EVENTS {
                // Any timeout is legal, and the test has not that long.
                bytes[16..20].fill(0);
            }
            let request = ioctl::request(ioctl::Direction::ReadWrite, nr, size);
            let _ = rig.gpu.ioctl(request, &mut bytes[..size]);
            Ok(())
        })
        .unwrap();
    let mut version = GetVersionArgs::default();
    rig.gpu.call(&mut version).unwrap();
}
