//! Queues: what the kernel is told, doorbells, and that all is given back whatever fails.

mod fake;

use std::sync::atomic::Ordering;

use fake::{Fake, GPU_IDS};
use kfd_sys::memory::AllocFlags;
use kfd_sys::queue::{CreateQueueArgs, QueueType, UpdateQueueArgs};
use kfd_sys::{DeviceFile, Errno};
use thunk_rs::{
    AllocRequest, Error, Memory, MemoryKind, NodeId, QueueKind, QueuePriority, QueueRequest, Thunk,
};

const GPU: NodeId = NodeId(1);

fn ring(thunk: &Thunk) -> (Memory, QueueRequest) {
    let memory = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, GPU, 8192).executable()).unwrap();
    let request = QueueRequest::aql(GPU, memory.va(), 4096, memory.va() + 4096, memory.va() + 4104);
    (memory, request)
}

#[test]
fn an_aql_queue_is_created_as_in_a_real_run() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let (memory, mut request) = ring(&thunk);
    request.error_payload_va = 0x1234_5678;
    request.error_event_id = 9;
    fake.take_log();
    let queue = thunk.create_queue(&request).unwrap();
    assert_eq!(
        fake.take_log(),
        [
            "ALLOC_MEMORY_OF_GPU", // end-of-pipe buffer
            "MAP_MEMORY_TO_GPU",
            "ALLOC_MEMORY_OF_GPU", // save area
            "MAP_MEMORY_TO_GPU",
            "CREATE_QUEUE",
            "ALLOC_MEMORY_OF_GPU", // doorbells
            "MAP_MEMORY_TO_GPU",
        ]
    );
    let args: CreateQueueArgs = fake.last();
    assert_eq!(args.queue_type, QueueType::COMPUTE_AQL);
    assert_eq!((args.ring_base_address, args.ring_size), (memory.va(), 4096));
    assert_eq!((args.queue_percentage, args.queue_priority, args.gpu_id), (100, 7, GPU_IDS[0]));
    assert_eq!(args.eop_buffer_size, 4096);
    assert_eq!((args.ctx_save_restore_size, args.ctl_stack_size), (0x400_f000, 0x9000));
    let flags_at = |va: u64| fake.state.lock().blocks.values().find(|b| b.va_addr == va).unwrap().flags;
    assert_eq!(flags_at(args.eop_buffer_address), 0xd000_0001);
    assert_eq!(flags_at(args.ctx_save_restore_address), 0xd400_0004);

    // User space fills the second half of the save area's header.
    let (va, sizes) = queue.save_area().unwrap();
    assert_eq!((va, sizes.total), (args.ctx_save_restore_address, 0x402_f000));
    let header = std::fs::File::open("/proc/self/mem").unwrap();
    let mut words = [0; 40];
    std::os::unix::fs::FileExt::read_exact_at(&header, &mut words, va).unwrap();
    assert_eq!(words[16..20], 0x400_f000u32.to_le_bytes());
    assert_eq!(words[20..24], 0x2_0000u32.to_le_bytes());
    assert_eq!(words[24..32], 0x1234_5678u64.to_le_bytes());
    assert_eq!(words[32..36], 9u32.to_le_bytes());

    drop(queue);
    assert_eq!(
        fake.take_log(),
        [
            "DESTROY_QUEUE",
            "UNMAP_MEMORY_FROM_GPU",
            "FREE_MEMORY_OF_GPU",
            "UNMAP_MEMORY_FROM_GPU",
            "FREE_MEMORY_OF_GPU"
        ]
    );
    drop((memory, thunk));
    fake.assert_empty();
}

#[test]
fn queues_of_a_gpu_share_its_doorbells() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let (_memory, request) = ring(&thunk);
    let first = thunk.create_queue(&request).unwrap();
    let second = thunk.create_queue(&request).unwrap();
    let slices: Vec<_> =
        fake.state.lock().mmaps.iter().copied().filter(|(file, ..)| *file == DeviceFile::Kfd).collect();
    let [(_, offset, va, length)] = slices[..] else { panic!("{slices:?}") };
    assert_eq!((offset & 0x1fff, length, va % 0x2000), (0, 0x2000, 0));
    assert_eq!((first.doorbell_va(), second.doorbell_va()), (va + 24, va + 32));
    let flags = fake.state.lock().blocks.values().find(|b| b.va_addr == va).unwrap().flags;
    assert_eq!(flags, (AllocFlags::DOORBELL.bits()) | 0x9400_0000);

    first.ring(5);
    second.ring(0x1_0000_0006);
    let mem = std::fs::File::open("/proc/self/mem").unwrap();
    let mut words = [0; 16];
    std::os::unix::fs::FileExt::read_exact_at(&mem, &mut words, va + 24).unwrap();
    assert_eq!(words[..8], 5u64.to_le_bytes());
    assert_eq!(words[8..], 0x1_0000_0006u64.to_le_bytes());
    assert_eq!(fake.state.lock().hints, [GPU_IDS[0]; 2]);
}

#[test]
fn sdma_queues_have_no_save_area() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let (memory, request) = ring(&thunk);
    let sdma = QueueRequest::sdma(GPU, request.ring_va, 4096, request.read_ptr_va, request.write_ptr_va);
    let queue = thunk.create_queue(&sdma).unwrap();
    let args: CreateQueueArgs = fake.last();
    assert_eq!((args.queue_type, args.queue_priority), (QueueType::SDMA, 15));
    assert_eq!((args.eop_buffer_address, args.ctx_save_restore_address), (0, 0));
    assert!(queue.save_area().is_none());
    memory.atomic_u64(0).unwrap().store(1, Ordering::Relaxed);

    let pm4 = QueueRequest { kind: QueueKind::Pm4, ..request };
    let _queue = thunk.create_queue(&pm4).unwrap();
    assert_eq!(fake.last::<CreateQueueArgs>().queue_type, QueueType::COMPUTE);
}

#[test]
fn share_and_mask_can_change() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let (_memory, request) = ring(&thunk);
    let mut queue = thunk.create_queue(&request).unwrap();
    queue.update(0, QueuePriority::High).unwrap();
    let args: UpdateQueueArgs = fake.last();
    assert_eq!((args.queue_percentage, args.queue_priority, args.ring_size), (0, 11, 4096));
    assert_eq!(queue.share(), (0, QueuePriority::High));
    queue.set_cu_mask(&[0xf, 0]).unwrap();
    assert!(queue.set_cu_mask(&[]).is_err());
}

#[test]
fn rings_that_cannot_be_are_refused() {
    let thunk = Thunk::new(Fake::new(1)).unwrap();
    let (_memory, request) = ring(&thunk);
    for ring_bytes in [0, 512, 3000, 1 << 32, u64::MAX] {
        let error = thunk.create_queue(&QueueRequest { ring_bytes, ..request.clone() }).unwrap_err();
        assert!(matches!(error, Error::Request { .. }), "{error}");
    }
    let host = QueueRequest { node: NodeId(0), ..request };
    assert_eq!(thunk.create_queue(&host).unwrap_err(), Error::NotAGpu(NodeId(0)));
}

#[test]
fn a_chip_without_numbers_has_memory_but_no_queues() {
    let fake = Fake::new(1);
    {
        let mut files = fake.files.lock();
        let properties = files.get_mut("nodes/1/properties").unwrap();
        *properties = properties.replace("gfx_target_version 90010", "gfx_target_version 130012");
    }
    let thunk = Thunk::new(fake).unwrap();
    let (_memory, request) = ring(&thunk);
    let error = thunk.create_queue(&request).unwrap_err();
    assert!(error.to_string().starts_with("node 1: gfx130c is not known here"), "{error}");
}

#[test]
fn whatever_fails_nothing_stays() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let (memory, request) = ring(&thunk);
    let count = || {
        let state = fake.state.lock();
        (state.blocks.len(), state.mapped.len())
    };
    let before = count();
    let steps = ["ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU"]
        .into_iter()
        .flat_map(|name| [(name, 1), (name, 2), (name, 3)]);
    for (name, nth) in steps.chain([("CREATE_QUEUE", 1)]) {
        fake.fail(name, nth, Errno::ENOMEM);
        let error = thunk.create_queue(&request).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(fake.state.lock().queues.is_empty(), "{name} {nth}");
        assert_eq!(count(), before, "{name} {nth}");
    }
    // And it works afterwards.
    drop(thunk.create_queue(&request).unwrap());
    drop((memory, thunk));
    fake.assert_empty();
}

#[test]
fn buffers_of_a_queue_that_could_not_be_destroyed_stay() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let (_memory, request) = ring(&thunk);
    let queue = thunk.create_queue(&request).unwrap();
    let before = fake.state.lock().blocks.len();
    fake.fail("DESTROY_QUEUE", 1, Errno::EIO);
    assert_eq!(thunk.destroy_queue(queue).unwrap_err().errno(), Some(Errno::EIO));
    assert_eq!(fake.state.lock().blocks.len(), before, "the hardware may still write to them");
}
