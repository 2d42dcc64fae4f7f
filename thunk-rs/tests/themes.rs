//! The themes of libhsakmt beyond memory, queues and events of one's own, on the emulated device: memory by address,
//! memory that leaves and enters, ranges of ordinary memory, what a debugger asks.

#![cfg(feature = "emu")]

use std::os::fd::AsRawFd as _;

use kfd_sys::Errno;
use kfd_sys::memory::AllocFlags;
use kfd_sys::svm::SvmFlags;
use kfd_sys::trap::{QUEUE_INVALID, exception};
use thunk_rs::svm::{Location, RangeAccess, RangeAttribute};
use thunk_rs::{
    AllocRequest, DeviceChoice, GpuAccess, MemoryKind, MemoryTable, NodeId, OpenOptions, Origin,
    QueuePriority, QueueRequest, TableError, Thunk,
};

const GPU: NodeId = NodeId(1);

fn open(chips: &[&str]) -> Thunk {
    let device = DeviceChoice::Emu(chips.iter().map(|chip| (*chip).to_owned()).collect());
    Thunk::open(&OpenOptions { device: Some(device), quiet: Some(true), ..Default::default() }).unwrap()
}

fn errno<T: std::fmt::Debug>(result: Result<T, thunk_rs::Error>) -> Option<Errno> {
    result.unwrap_err().errno()
}

#[test]
fn a_table_finds_memory_by_address() {
    let thunk = open(&["gfx90a", "gfx90a"]);
    let mut table = MemoryTable::new(thunk.clone());
    let request = AllocRequest::new(MemoryKind::Vram, GPU, 0x3000).access(GpuAccess::None);
    let va = table.allocate(&request, GPU, 0x41).unwrap();
    assert_eq!(table.containing(va + 0x2fff).unwrap().gpu_address(), va);
    assert!(table.containing(va + 0x3000).is_none() && table.at(va + 0x1000).is_none());
    // To the nodes that it is registered to, or to all.
    assert_eq!(table.map(va, 0x3000), Ok(None));
    assert_eq!(table.at(va).unwrap().mapped_nodes(), [1, 2]);
    assert_eq!(table.free(va), Err(TableError::Mapped(va)));
    table.map_to(va, 0x3000, &[NodeId(2)]).unwrap();
    assert_eq!(table.at(va).unwrap().mapped_nodes(), [2]);
    table.register(va, 0x3000, &[NodeId(2)], MemoryKind::SystemCoarse).unwrap();
    assert_eq!(table.map_to(va, 0x3000, &[GPU]), Err(TableError::NotForNode(va, GPU)));
    assert_eq!(table.register(va, 0x3000, &[GPU], MemoryKind::SystemCoarse), Err(TableError::OtherNodes(va)));
    table.deregister(va).unwrap();
    assert_eq!(table.deregister(va), Err(TableError::NotRegistered(va)));
    table.unmap(va).unwrap();
    table.set_user_data(va, 7).unwrap();
    assert_eq!((table.at(va).unwrap().user_data(), table.at(va).unwrap().caller_flags()), (7, 0x41));
    table.free(va).unwrap();
    assert!(table.is_empty());

    // The program's own memory is counted, and GPUs see it elsewhere.
    let own = vec![1u8; 0x4000];
    let (at, size) = (own.as_ptr() as u64 + 0x123, 0x2000);
    table.register(at, size, &[], MemoryKind::SystemFine).unwrap();
    table.register(at, size, &[], MemoryKind::SystemFine).unwrap();
    let seen = table.map(at, size).unwrap().unwrap();
    assert_eq!((seen % 4096, table.map(at, size).unwrap()), (at % 4096, Some(seen)));
    assert_eq!(table.containing(at + 5).unwrap().host_address(), Some(at));
    table.unmap(at).unwrap();
    assert_eq!(table.at(at).unwrap().mapped_nodes(), [1, 2]);
    table.unmap(at).unwrap();
    table.deregister(at).unwrap();
    assert_eq!(table.at(at).unwrap().memory().origin(), Origin::User);
    table.deregister(at).unwrap();
    assert!(table.is_empty());

    // A GPU has one scratch, whose parts have memory while they are mapped.
    let scratch = table.allocate_scratch(GPU, 0x20000, None).unwrap();
    assert_eq!(table.allocate_scratch(GPU, 0x20000, None), Err(TableError::ScratchTaken(GPU)));
    table.map(scratch + 0x10000, 0x10000).unwrap();
    assert!(table.map(scratch + 0x10000, 0x20000).is_err());
    table.unmap(scratch + 0x10000).unwrap();
    table.free(scratch + 5).unwrap();
    assert!(table.is_empty());
}

#[test]
fn memory_lies_where_it_is_asked_to_lie_and_is_seen_twice() {
    let thunk = open(&["gfx90a"]);
    let mut request = AllocRequest::new(MemoryKind::Gtt, GPU, 0x2000);
    request.seen_twice = true;
    let ring = thunk.allocate(&request).unwrap();
    ring.write(0x10, b"once").unwrap();
    let mut twice = [0; 4];
    ring.read(0x2010, &mut twice).unwrap();
    assert_eq!((&twice, ring.size()), (b"once", 0x4000));
    let va = ring.va();
    thunk.free(ring).unwrap();
    let mut request = AllocRequest::new(MemoryKind::SystemFine, GPU, 0x2000);
    request.fixed_address = Some(va);
    let fixed = thunk.allocate(&request).unwrap();
    assert_eq!(fixed.va(), va);
    assert!(thunk.allocate(&request).is_err(), "the place is taken");
}

#[test]
fn a_dmabuf_keeps_memory_alive_and_lets_it_in_again() {
    let thunk = open(&["gfx90a"]);
    let before = thunk.available_memory(GPU).unwrap();
    let memory = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, GPU, 0x8000)).unwrap();
    memory.write(0x1000, b"shared").unwrap();
    let dmabuf = memory.export_dmabuf().unwrap();
    let info = thunk.dmabuf_info(dmabuf.as_raw_fd()).unwrap();
    assert_eq!((info.size, thunk.node_of_dmabuf(&info), info.metadata.len()), (0x8000, Some(GPU), 0));
    assert!(info.flags.contains(AllocFlags::VRAM));
    thunk.free(memory).unwrap();
    assert!(thunk.available_memory(GPU).unwrap() <= before - 0x8000, "the dma-buf holds it");

    let imported = thunk.import_dmabuf(dmabuf.as_raw_fd(), &info).unwrap();
    imported.map(&[GPU]).unwrap();
    assert_eq!((imported.origin(), imported.size()), (Origin::Dmabuf, 0x8000));
    drop(dmabuf);
    // For the host by way of a handle.
    let handle = imported.share(0).unwrap();
    let again = thunk.open_shared(&handle).unwrap();
    let mut text = [0; 6];
    again.read(0x1000, &mut text).unwrap();
    assert_eq!(&text, b"shared");
    drop(again);
    drop(imported);
    assert_eq!(thunk.available_memory(GPU).unwrap(), before);

    // What is no dma-buf of ours.
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    assert_eq!(errno(thunk.dmabuf_info(file.as_raw_fd())), Some(Errno::EINVAL));
    assert_eq!(errno(thunk.dmabuf_info(1 << 20)), Some(Errno::EBADF));
    let own = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, GPU, 4096)).unwrap();
    assert_eq!(errno(own.export_dmabuf()), Some(Errno::EPERM));
}

#[test]
fn ranges_of_ordinary_memory_get_attributes_and_mappings() {
    let thunk = open(&["gfx90a"]);
    let memory = vec![0u8; 0x20000];
    let start = (memory.as_ptr() as u64).next_multiple_of(0x1000);
    let indices = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, GPU, 4096)).unwrap();
    let request = QueueRequest::aql(GPU, start, 0x4000, indices.va(), indices.va() + 64);
    assert_eq!(errno(thunk.create_queue(&request).map(drop)), Some(Errno::EINVAL), "no GPU reaches it yet");

    use RangeAttribute as A;
    let ask = [
        A::Access(GPU, RangeAccess::Yes),
        A::PreferredLocation(Location::Host),
        A::SetFlags(SvmFlags::empty()),
        A::ClearFlags(SvmFlags::empty()),
        A::Granularity(0),
    ];
    let told = thunk.range_attributes(start, 0x8000, &ask).unwrap();
    assert_eq!(told[0], A::Access(GPU, RangeAccess::None));
    assert_eq!(told[1], A::PreferredLocation(Location::Undefined));
    assert_eq!(told[2], A::SetFlags(SvmFlags::HOST_ACCESS | SvmFlags::COHERENT));
    assert_eq!(told[4], A::Granularity(9));

    let set = [
        A::Access(GPU, RangeAccess::Yes),
        A::PreferredLocation(Location::Gpu(GPU)),
        A::SetFlags(SvmFlags::GPU_EXEC),
        A::Granularity(4),
    ];
    thunk.set_range_attributes(start, 0x8000, &set).unwrap();
    let told = thunk.range_attributes(start + 0x1000, 0x2000, &ask).unwrap();
    assert_eq!(told[..2], set[..2]);
    assert_eq!(told[4], A::Granularity(4));
    drop(thunk.create_queue(&request).unwrap());

    // One page of it for reading only: neither that page nor the whole is for a ring any more.
    thunk.set_range_attributes(start + 0x1000, 0x1000, &[A::SetFlags(SvmFlags::GPU_RO)]).unwrap();
    let told = thunk.range_attributes(start, 0x8000, &ask).unwrap();
    assert_eq!(told[2], A::SetFlags(SvmFlags::HOST_ACCESS | SvmFlags::COHERENT | SvmFlags::GPU_EXEC));
    assert!(thunk.create_queue(&request).is_err());
    // And without access.
    thunk.set_range_attributes(start, 0x8000, &[A::Access(GPU, RangeAccess::None)]).unwrap();
    thunk.set_range_attributes(start + 0x1000, 0x1000, &[A::ClearFlags(SvmFlags::GPU_RO)]).unwrap();
    assert!(thunk.create_queue(&request).is_err());

    assert_eq!(errno(thunk.set_range_attributes(start + 1, 0x1000, &set)), Some(Errno::EINVAL));
    assert_eq!(errno(thunk.set_range_attributes(0x10000, 0x1000, &set)), Some(Errno::EFAULT));
}

#[test]
fn a_debugger_sees_queues_and_takes_them_off_the_hardware() {
    let thunk = open(&["gfx90a"]);
    let debugger = thunk.debugger(std::process::id()).unwrap();
    assert_eq!(errno(debugger.queues(0)), Some(Errno::EINVAL), "not before it began");
    let notify = std::fs::File::open("/dev/null").unwrap();
    thunk.runtime_enable(0x1234, true).unwrap();
    let runtime = debugger.enable(0, notify.as_raw_fd()).unwrap();
    assert_eq!((runtime.r_debug, runtime.runtime_state, runtime.ttmp_setup), (0x1234, 1, 1));
    assert!(debugger.enable(0, notify.as_raw_fd()).is_err(), "once is enough");

    let devices = debugger.devices(0).unwrap();
    let node = thunk.topology().gpus().next().unwrap();
    assert_eq!(devices.len(), 1);
    assert_eq!(devices[0].gpu_id, node.gpu_id);
    assert_eq!(devices[0].gfx_target_version, node.properties.gfx_target_version);
    assert_eq!(devices[0].simd_count, node.properties.simd_count);

    let ring = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, GPU, 0x4000)).unwrap();
    let indices = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, GPU, 4096)).unwrap();
    let request = QueueRequest::aql(GPU, ring.va(), 0x4000, indices.va(), indices.va() + 64);
    let mut queue = thunk.create_queue(&request).unwrap();
    let new = exception::mask(exception::QUEUE_NEW);
    let mut ids = [queue.id(), 77];
    debugger.suspend_queues(&mut ids, 0, 0).unwrap();
    assert_eq!(ids, [queue.id(), 77].map(|id| id | QUEUE_INVALID), "the debugger must know it first");
    let queues = debugger.queues(new).unwrap();
    assert_eq!(queues.len(), 1);
    assert_eq!(queues[0].exception_status, new);
    assert_eq!((queues[0].queue_id, queues[0].ring_base_address), (queue.id(), ring.va()));
    assert_eq!(queues[0].ctx_save_restore_address, queue.save_area().unwrap().0);

    assert!(queue.wave_state().is_err(), "it is on the hardware");
    let mut ids = [queue.id(), 77];
    debugger.suspend_queues(&mut ids, 0, 0).unwrap();
    assert_eq!(ids, [queue.id(), 77 | QUEUE_INVALID]);
    let state = queue.wave_state().unwrap();
    assert_eq!((state.control_stack_bytes, state.wave_bytes), (0, 0));
    assert_eq!(state.control_stack, state.waves);
    debugger.resume_queues(&mut ids[..1]).unwrap();
    assert!(queue.wave_state().is_err());
    queue.update(0, QueuePriority::Normal).unwrap();
    queue.wave_state().unwrap();

    assert_eq!(errno(debugger.set_wave_launch_mode(1)), Some(Errno::EOPNOTSUPP));
    assert_eq!(errno(thunk.debugger(1).unwrap().devices(0)), Some(Errno(libc::ESRCH)));
    debugger.disable().unwrap();
    assert!(debugger.devices(0).is_err());
}

#[test]
fn what_is_asked_of_a_gpu_as_a_whole() {
    let thunk = open(&["gfx90a"]);
    let events = thunk.smi_events(GPU).unwrap();
    events.choose(&[kfd_sys::smi::SmiEvent::VMFAULT]).unwrap();
    assert_eq!(events.read().unwrap(), None);
    let tiles = thunk.tile_config(GPU, 40, 40).unwrap();
    assert!(tiles.tiles.is_empty() && tiles.macro_tiles.is_empty());
    // The out-of-tree driver's calls are not upstream's.
    assert_eq!(errno(thunk.spm_acquire(GPU)), Some(Errno::ENOTTY));
    assert_eq!(errno(thunk.pc_sampling_ways(GPU)), Some(Errno::ENOTTY));
    assert!(!thunk.supports_debugging(), "the topology says that waves cannot be trapped");
}
