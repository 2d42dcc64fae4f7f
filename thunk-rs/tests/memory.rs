//! Opening, and memory: the calls that are made, in libhsakmt's order, and that all is given back whatever fails.

mod fake;

use std::sync::atomic::Ordering;

use fake::{Fake, GPU_IDS};
use kfd_sys::aperture::{CachePolicy, SetMemoryPolicyArgs};
use kfd_sys::memory::{AllocFlags, AllocMemoryOfGpuArgs, MapMemoryToGpuArgs};
use kfd_sys::{DeviceFile, Errno};
use thunk_rs::{AllocRequest, Error, GpuAccess, MemoryKind, NodeId, Thunk};

const HOST: NodeId = NodeId(0);
const GPU: NodeId = NodeId(1);
const GPU2: NodeId = NodeId(2);

#[test]
fn opening_makes_the_calls_of_a_real_run() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    assert_eq!(
        fake.take_log(),
        ["GET_VERSION", "GET_PROCESS_APERTURES_NEW", "ACQUIRE_VM", "SET_MEMORY_POLICY"]
    );
    let policy: SetMemoryPolicyArgs = fake.last();
    assert_eq!(policy.alternate_aperture_base, 0x100_0000);
    assert_eq!(policy.alternate_aperture_size, 0x7fff_ff00_0000);
    assert_eq!(policy.default_policy, CachePolicy::NONCOHERENT);
    assert_eq!(policy.alternate_policy, CachePolicy::COHERENT);
    assert_eq!(thunk.apertures(GPU).unwrap().scratch.start, 0x2_0000_0000_0000);
    assert_eq!(thunk.apertures(HOST), Err(Error::NotAGpu(HOST)));
    assert_eq!(thunk.version(), (1, 14));
}

#[test]
fn another_major_version_is_refused() {
    let error = Thunk::new(Fake::with(1, (2, 0))).unwrap_err();
    assert_eq!(error.to_string(), "a fake: speaks KFD interface 2.0; 1 is needed");
}

#[test]
fn an_ioctl_that_fails_is_named_with_its_arguments() {
    let fake = Fake::new(1);
    fake.fail("ACQUIRE_VM", 1, Errno::EBUSY);
    let error = Thunk::new(fake).unwrap_err();
    assert_eq!(error.to_string(), "AMDKFD_IOC_ACQUIRE_VM (gpu 51110, renderD128): EBUSY (busy)");
    assert_eq!(error.errno(), Some(Errno::EBUSY));
}

#[test]
fn a_call_that_a_signal_interrupts_is_made_again() {
    let fake = Fake::new(1);
    fake.fail("GET_VERSION", 1, Errno::EINTR);
    Thunk::new(fake.clone()).unwrap();
    assert_eq!(fake.take_log()[..2], ["GET_VERSION", "GET_VERSION"]);
}

#[test]
fn vram_is_mapped_at_one_address_for_host_and_gpu() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    fake.take_log();
    let memory = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, GPU, 5000).executable()).unwrap();
    let args: AllocMemoryOfGpuArgs = fake.last();
    assert_eq!((args.flags, args.gpu_id, args.size), (0xf000_0001, GPU_IDS[0], 8192));
    assert_eq!((args.va_addr, args.handle), (memory.va(), memory.handle()));
    assert_eq!(
        fake.state.lock().mmaps,
        [(DeviceFile::Render(128), args.mmap_offset, memory.va(), memory.size())]
    );
    assert_eq!(memory.mapped_to(), [GPU]);

    memory.write(4096, b"hello").unwrap();
    let mut back = [0; 5];
    memory.read(4096, &mut back).unwrap();
    assert_eq!(&back, b"hello");
    memory.atomic_u64(8).unwrap().store(7, Ordering::Relaxed);
    assert_eq!(memory.atomic_u32(8).unwrap().load(Ordering::Relaxed), 7);
    assert!(memory.atomic_u64(4).unwrap_err().to_string().contains("not aligned"));
    assert!(memory.atomic_u64(8192).unwrap_err().to_string().contains("outside"));
    assert!(memory.write(8190, b"xyz").is_err());
    assert!(memory.read(u64::MAX, &mut back).is_err());

    drop(memory);
    assert_eq!(
        fake.take_log(),
        ["ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU", "UNMAP_MEMORY_FROM_GPU", "FREE_MEMORY_OF_GPU"]
    );
    fake.assert_empty();
}

#[test]
fn vram_that_the_host_does_not_reach_is_not_given_to_it() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let memory = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, GPU, 4096).device_only()).unwrap();
    assert!(!fake.last::<AllocMemoryOfGpuArgs>().alloc_flags().contains(AllocFlags::PUBLIC));
    assert!(fake.state.lock().mmaps.is_empty());
    assert_eq!(memory.host_ptr(), None);
    assert!(memory.write(0, b"x").unwrap_err().to_string().contains("no access"));
}

#[test]
fn host_memory_is_user_pointers_for_all_gpus() {
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    for (kind, flags) in [(MemoryKind::SystemFine, 0x9400_0004), (MemoryKind::SystemCoarse, 0x9000_0004)] {
        let memory = thunk.allocate(&AllocRequest::new(kind, HOST, 64)).unwrap();
        let block = fake.state.lock().blocks[&memory.handle()];
        assert_eq!(block.flags, flags);
        assert_eq!(memory.mapped_to(), [GPU, GPU2]);
        memory.write(0, &[1; 64]).unwrap();
    }
    fake.assert_empty();
}

#[test]
fn alignment_is_what_was_asked_for_or_what_page_tables_like() {
    let thunk = Thunk::new(Fake::new(1)).unwrap();
    for kind in [MemoryKind::Vram, MemoryKind::SystemFine, MemoryKind::Gtt] {
        for (size, alignment, natural) in [(1, 0, 4096), (3 << 20, 0, 2 << 20), (4096, 1 << 24, 1 << 24)] {
            let memory = thunk.allocate(&AllocRequest::new(kind, GPU, size).aligned(alignment)).unwrap();
            assert_eq!(memory.va() % natural, 0, "{kind:?} {size} {alignment}");
        }
    }
    for request in [
        AllocRequest::new(MemoryKind::Vram, GPU, 0),
        AllocRequest::new(MemoryKind::Vram, GPU, u64::MAX),
        AllocRequest::new(MemoryKind::Vram, GPU, 1 << 62),
        AllocRequest::new(MemoryKind::Vram, GPU, 4096).aligned(12),
        AllocRequest::new(MemoryKind::Vram, HOST, 4096),
        AllocRequest::new(MemoryKind::Vram, NodeId(9), 4096),
    ] {
        thunk.allocate(&request).expect_err(&format!("{request:?}"));
    }
}

#[test]
fn mapping_to_more_gpus_and_to_fewer() {
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let request = AllocRequest::new(MemoryKind::Vram, GPU, 4096);
    let memory = thunk.allocate(&request).unwrap();
    memory.map(&[GPU, GPU2, GPU2]).unwrap();
    assert_eq!(fake.last::<MapMemoryToGpuArgs>().n_devices, 1, "only what is missing is mapped");
    assert_eq!(memory.mapped_to(), [GPU, GPU2]);
    memory.unmap(&[GPU]).unwrap();
    memory.unmap(&[GPU]).unwrap();
    assert_eq!(memory.mapped_to(), [GPU2]);
    assert_eq!(memory.map(&[HOST]), Err(Error::NotAGpu(HOST)));
    thunk.free(memory).unwrap();
    fake.assert_empty();

    let nobody = thunk.allocate(&request.clone().access(GpuAccess::None)).unwrap();
    assert_eq!(nobody.mapped_to(), []);
    drop(nobody);
    let both = thunk.allocate(&request.access(GpuAccess::Nodes(vec![GPU2, GPU]))).unwrap();
    assert_eq!(both.mapped_to(), [GPU2, GPU]);
}

#[test]
fn a_mapping_that_stops_half_way_is_undone_half_way() {
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    fake.state.lock().map_at_most = Some(1);
    let error = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, HOST, 4096)).unwrap_err();
    assert!(error.is_out_of_memory());
    assert!(error.to_string().contains("1 done"), "{error}");
    fake.assert_empty();
}

#[test]
fn whatever_fails_nothing_stays() {
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    for name in ["ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU"] {
        for kind in [MemoryKind::Vram, MemoryKind::SystemCoarse, MemoryKind::Gtt] {
            fake.fail(name, 1, Errno::ENOMEM);
            let error = thunk.allocate(&AllocRequest::new(kind, GPU, 4096)).unwrap_err();
            assert!(error.is_out_of_memory() && error.to_string().contains(name), "{error}");
            fake.assert_empty();
        }
    }
    // What cannot be freed is said by `free`.
    let memory = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, GPU, 4096)).unwrap();
    fake.fail("FREE_MEMORY_OF_GPU", 1, Errno::EBUSY);
    assert_eq!(thunk.free(memory).unwrap_err().errno(), Some(Errno::EBUSY));
}

#[test]
fn memory_of_the_program_is_registered_in_whole_pages() {
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let mut bytes = vec![3u8; 3 * 4096];
    let address = bytes.as_ptr() as u64 + 4096;
    let memory = thunk.register_userptr(address, 100, MemoryKind::SystemCoarse).unwrap();
    let args: AllocMemoryOfGpuArgs = fake.last();
    assert_eq!(args.va_addr, address & !4095);
    assert_eq!(fake.state.lock().blocks[&memory.handle()].flags, 0x9000_0004);
    assert_eq!(memory.mapped_to(), [GPU, GPU2]);
    assert!(memory.va() <= address && address + 100 <= memory.va() + memory.size());
    drop(memory);
    // Still there, and still the caller's.
    bytes.fill(4);
    assert_eq!(bytes[4096], 4);
    fake.assert_empty();

    assert!(thunk.register_userptr(address, 0, MemoryKind::SystemFine).is_err());
    assert!(thunk.register_userptr(0, 10, MemoryKind::SystemFine).is_err());
    assert!(thunk.register_userptr(u64::MAX - 5, 10, MemoryKind::SystemFine).is_err());
    assert!(thunk.register_userptr(address, 10, MemoryKind::Vram).is_err());
}

#[test]
fn the_context_lives_as_long_as_what_came_from_it() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let memory = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, GPU, 4096)).unwrap();
    drop(thunk);
    memory.write(0, b"still here").unwrap();
    drop(memory);
    fake.assert_empty();
}

#[test]
fn the_hdp_page_is_registers() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let page = thunk.hdp_flush_page(GPU).unwrap();
    assert_eq!(fake.last::<AllocMemoryOfGpuArgs>().flags, 0x9400_0010);
    assert_eq!(fake.state.lock().mmaps[0].0, DeviceFile::Kfd);
    page.atomic_u32(0).unwrap().store(1, Ordering::Relaxed);
    assert!(page.write(0, b"x").is_err());
}
