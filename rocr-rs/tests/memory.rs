//! Agents, memory pools, what is known of an address, copies.

mod common;

use std::sync::atomic::Ordering;

use common::{CHIPS, emulated};
use rocr_rs::{AgentKind, Error, MemoryOrigin, OpenOptions, PoolKind, Runtime, Status};

#[test]
fn agents_say_what_they_are() {
    for (chip, compute_units, xccs, lds) in
        [("gfx90a", 110, 1, 65_536), ("gfx942", 304, 8, 65_536), ("gfx950", 256, 8, 163_840)]
    {
        let (runtime, gpu) = emulated(chip);
        let p = gpu.properties();
        assert_eq!((gpu.kind(), gpu.name()), (AgentKind::Gpu, chip));
        assert_eq!(gpu.isa_name(), format!("amdgcn-amd-amdhsa--{chip}:sramecc+:xnack-"));
        assert_eq!((p.compute_units, p.xcc_count, p.lds_bytes), (compute_units, xccs, lds));
        assert_eq!((p.wavefront_size, p.simds_per_cu, p.max_waves_per_cu), (64, 4, 32));
        assert!(p.memory_bytes > 1 << 30 && p.host_visible_memory && p.host_atomics);
        assert!(p.max_clock_mhz > 0 && p.cache_bytes[1] > 0 && p.vendor_id == 0x1002);
        let cpu = runtime.cpu_agent();
        assert_eq!((cpu.kind(), cpu.target_id()), (AgentKind::Cpu, None));
        assert!(runtime.device_name().contains(chip));
        let (free, total) = gpu.available_memory().unwrap();
        assert!(free <= total && total == p.memory_bytes);
        let now = runtime.timestamp();
        assert!(runtime.timestamp() >= now && now > 0);
    }
}

#[test]
fn two_gpus_and_two_runtimes_live_side_by_side() {
    let options = OpenOptions { device: Some("emu:gfx90a,gfx942".into()), ..OpenOptions::default() };
    let runtime = Runtime::open(&options).unwrap();
    let names: Vec<_> = runtime.gpu_agents().iter().map(|agent| agent.name().to_owned()).collect();
    assert_eq!(names, CHIPS);
    let (other, agent) = emulated("gfx90a");
    let memory = agent.pool(PoolKind::CoarseGrained).allocate(4096).unwrap();
    assert!(other.memory_info(memory.va()).is_some());
    assert!(runtime.memory_info(memory.va()).is_none());
    let shared = runtime.gpu_agents()[0].pool(PoolKind::CoarseGrained).allocate(4096).unwrap();
    shared.allow_access(&runtime.agents()).unwrap();
}

#[test]
fn pools_give_zeroed_host_visible_memory() {
    let (runtime, gpu) = emulated("gfx90a");
    for agent in [gpu.clone(), runtime.cpu_agent()] {
        for kind in [PoolKind::CoarseGrained, PoolKind::FineGrained, PoolKind::Kernarg] {
            let pool = agent.pool(kind);
            assert!(pool.size() > 0);
            let memory = pool.allocate(10_000).unwrap();
            assert_eq!((memory.size(), memory.va() % 4096), (10_000, 0));
            let mut bytes = [1; 100];
            memory.read(9_900, &mut bytes).unwrap();
            assert_eq!(bytes, [0; 100]);
            memory.write(50, b"seen").unwrap();
            let mut seen = [0; 4];
            memory.read(50, &mut seen).unwrap();
            assert_eq!(&seen, b"seen");
            assert!(memory.write(1 << 20, b"outside").is_err());
            memory.atomic_u64(8).unwrap().fetch_add(3, Ordering::SeqCst);
            assert!(memory.atomic_u64(9).is_err());

            let info = runtime.memory_info(memory.va() + 9_999).unwrap();
            assert_eq!((info.base, info.origin), (memory.va(), MemoryOrigin::Pool(kind)));
            assert_eq!(info.owner, agent);
            assert_eq!(info.system, agent.kind() == AgentKind::Cpu || kind == PoolKind::Kernarg);
            let va = memory.va();
            drop(memory);
            assert!(runtime.memory_info(va).is_none());
        }
    }
}

#[test]
fn memory_can_be_freed_by_address_once() {
    let (runtime, gpu) = emulated("gfx90a");
    let va = gpu.pool(PoolKind::CoarseGrained).allocate(64).unwrap().into_va();
    assert!(runtime.memory_info(va).is_some());
    runtime.free(va).unwrap();
    assert!(runtime.memory_info(va).is_none());
    let error = runtime.free(va).unwrap_err();
    assert!(matches!(error, Error::UnknownAddress { .. }));
    assert_eq!(error.status(), Status::ERROR_INVALID_ALLOCATION);
}

#[test]
fn memory_that_is_held_is_not_freed_by_address() {
    let (runtime, gpu) = emulated("gfx90a");
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(64).unwrap();
    assert!(runtime.free(memory.va()).is_err());
    memory.write(0, &[1]).unwrap();
}

#[test]
fn host_memory_can_be_locked() {
    let (runtime, _) = emulated("gfx90a");
    let mut bytes = vec![0_u8; 3 * 4096];
    let va = bytes.as_mut_ptr() as u64;
    let locked = runtime.lock(va, bytes.len()).unwrap();
    let info = runtime.memory_info(va).unwrap();
    assert_eq!((info.origin, info.system), (MemoryOrigin::Locked, true));
    drop(locked);
    assert!(runtime.memory_info(va).is_none());
}

#[test]
fn impossible_sizes_are_errors() {
    let (_runtime, gpu) = emulated("gfx90a");
    let pool = gpu.pool(PoolKind::CoarseGrained);
    for bytes in [0, usize::MAX, 1 << 46] {
        let error = pool.allocate(bytes).unwrap_err();
        assert_eq!(error.status(), Status::ERROR_OUT_OF_RESOURCES, "{error}");
    }
}

#[test]
fn a_device_that_does_not_exist_is_an_error() {
    for device in ["emu:gfx1", "nonsense", "emu:"] {
        let options = OpenOptions { device: Some(device.into()), ..OpenOptions::default() };
        assert!(Runtime::open(&options).is_err(), "{device}");
    }
}
