//! Ranges of the program's memory: attributes as `kfd_svm.c` answers for them, and mappings.

mod common;

use amdgpu_emu::{EmulatedGpu, Options, chips};
use common::{Buffer, GTT, Queue, Rig, barrier, reserve, signal_value, wait_for};
use hsa_sys::PacketType;
use kfd_sys::aperture::{AcquireVmArgs, SetXnackModeArgs};
use kfd_sys::event::{EventType, WaitResult};
use kfd_sys::svm::{LOCATION_UNDEFINED, SvmAttrType as A, SvmAttribute, SvmFlags, SvmOp};
use kfd_sys::{Errno, Kfd as _, KfdExt as _};
use nix::sys::mman::ProtFlags;

const PAGE: u64 = 4096;

fn call(
    rig: &Rig,
    op: SvmOp,
    start: u64,
    size: u64,
    attributes: &[(A, u32)],
) -> Result<Vec<(A, u32)>, Errno> {
    let mut all: Vec<_> = attributes.iter().map(|&(r#type, value)| SvmAttribute { r#type, value }).collect();
    kfd_sys::svm::call(&*rig.gpu, start, size, op, &mut all)?;
    Ok(all.iter().map(|attribute| (attribute.r#type, attribute.value)).collect())
}

fn set(rig: &Rig, start: u64, size: u64, attributes: &[(A, u32)]) -> Result<(), Errno> {
    call(rig, SvmOp::SET_ATTR, start, size, attributes).map(drop)
}

fn get(rig: &Rig, start: u64, size: u64, attributes: &[(A, u32)]) -> Result<Vec<(A, u32)>, Errno> {
    call(rig, SvmOp::GET_ATTR, start, size, attributes)
}

fn own(pages: u64) -> u64 {
    reserve(pages * PAGE, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE)
}

#[test]
fn attributes_hold_for_all_of_a_range() {
    let rig = Rig::new(&chips::GFX90A);
    let (gpu, at) = (rig.gpu_id, own(16));
    let ask = [
        (A::ACCESS, gpu),
        (A::PREFERRED_LOC, 0),
        (A::PREFETCH_LOC, 0),
        (A::SET_FLAGS, 0),
        (A::CLR_FLAGS, 0),
        (A::GRANULARITY, 0),
    ];
    let told = |start: u64, pages: u64| get(&rig, at + start * PAGE, pages * PAGE, &ask).unwrap();
    let usual = SvmFlags::HOST_ACCESS | SvmFlags::COHERENT;
    let values = |told: &[(A, u32)]| -> Vec<u32> { told[1..].iter().map(|(_, value)| *value).collect() };
    let first = told(0, 16);
    assert_eq!(first[0], (A::NO_ACCESS, gpu));
    assert_eq!(values(&first), [LOCATION_UNDEFINED, LOCATION_UNDEFINED, usual.bits(), !usual.bits(), 9]);

    set(&rig, at, 4 * PAGE, &[(A::ACCESS, gpu), (A::PREFERRED_LOC, gpu), (A::PREFETCH_LOC, gpu)]).unwrap();
    set(
        &rig,
        at + 4 * PAGE,
        4 * PAGE,
        &[
            (A::ACCESS_IN_PLACE, gpu),
            (A::PREFERRED_LOC, gpu),
            (A::PREFETCH_LOC, 0),
            (A::SET_FLAGS, SvmFlags::GPU_EXEC.bits()),
            (A::GRANULARITY, 200),
        ],
    )
    .unwrap();
    assert_eq!(told(1, 2)[..3], [(A::ACCESS, gpu), (A::PREFERRED_LOC, gpu), (A::PREFETCH_LOC, gpu)]);
    assert_eq!(told(5, 1)[0], (A::ACCESS_IN_PLACE, gpu));
    assert_eq!(values(&told(4, 4))[4], 63);
    // Both: one kind of access would have to hold for all, and one location.
    let both = told(0, 8);
    assert_eq!(
        both[..3],
        [(A::NO_ACCESS, gpu), (A::PREFERRED_LOC, gpu), (A::PREFETCH_LOC, LOCATION_UNDEFINED)]
    );
    assert_eq!(values(&both)[2..], [usual.bits(), !(usual | SvmFlags::GPU_EXEC).bits(), 9]);
    // Memory between ranges is not asked.
    set(&rig, at + 12 * PAGE, PAGE, &[(A::ACCESS, gpu), (A::PREFERRED_LOC, 0)]).unwrap();
    assert_eq!(told(8, 8)[..2], [(A::ACCESS, gpu), (A::PREFERRED_LOC, 0)]);

    let taken = rig.allocate(PAGE, GTT);
    for (what, errno, result) in [
        ("an answer asked for", Errno::EINVAL, get(&rig, at, PAGE, &[(A::ACCESS_IN_PLACE, gpu)]).map(drop)),
        ("another answer", Errno::EINVAL, get(&rig, at, PAGE, &[(A::NO_ACCESS, gpu)]).map(drop)),
        ("no such GPU", Errno::EINVAL, get(&rig, at, PAGE, &[(A::ACCESS, 5)]).map(drop)),
        ("no such attribute", Errno::EINVAL, get(&rig, at, PAGE, &[(A(99), 0)]).map(drop)),
        ("nothing there", Errno::EFAULT, get(&rig, 0x10000, PAGE, &ask).map(drop)),
        ("a buffer object there", Errno::EADDRINUSE, get(&rig, taken.va, PAGE, &ask).map(drop)),
        ("a buffer object to set", Errno::EADDRINUSE, set(&rig, taken.va, PAGE, &[(A::GRANULARITY, 1)])),
        ("prefetch to nowhere", Errno::EINVAL, set(&rig, at, PAGE, &[(A::PREFETCH_LOC, LOCATION_UNDEFINED)])),
        ("no such GPU to prefer", Errno::EINVAL, set(&rig, at, PAGE, &[(A::PREFERRED_LOC, 5)])),
        ("no bytes", Errno::EINVAL, set(&rig, at, 0, &[])),
    ] {
        assert_eq!(result, Err(errno), "{what}");
    }
    set(&rig, at, PAGE, &[(A::PREFERRED_LOC, LOCATION_UNDEFINED)]).unwrap();
    assert_eq!(values(&told(0, 4))[0], LOCATION_UNDEFINED);
}

/// Counts a signal in a page down.
fn reach(queue: &Queue<'_>, va: u64) {
    let page = Buffer { va, size: PAGE, handle: 0 };
    page.set64(0, 1);
    page.set64(1, 1);
    let mut packet = barrier(PacketType::BARRIER_AND, &[], None);
    packet[56..].copy_from_slice(&va.to_le_bytes());
    queue.submit(&packet);
    wait_for("the page", || signal_value(&page) == 0);
}

#[test]
fn a_change_of_one_range_leaves_the_others() {
    let rig = Rig::new(&chips::GFX942);
    let event = rig.create_event(EventType::MEMORY, 0);
    let (gpu, first, second) = (rig.gpu_id, own(4), own(4));
    let queue = Queue::new(&rig);
    set(&rig, first, 4 * PAGE, &[(A::ACCESS, gpu)]).unwrap();
    set(&rig, second, 4 * PAGE, &[(A::ACCESS_IN_PLACE, gpu)]).unwrap();
    let mapped = rig.gpu.holdings().mapped;
    [first, second, second + 3 * PAGE].into_iter().for_each(|va| reach(&queue, va));
    // One page for reading only: three ranges where one was.
    set(&rig, first + PAGE, PAGE, &[(A::SET_FLAGS, SvmFlags::GPU_RO.bits())]).unwrap();
    assert_eq!(rig.gpu.holdings().mapped, mapped + 2);
    [first, first + 2 * PAGE, second, second + 3 * PAGE].into_iter().for_each(|va| reach(&queue, va));
    set(&rig, second, PAGE, &[(A::NO_ACCESS, gpu)]).unwrap();
    [first, second + PAGE].into_iter().for_each(|va| reach(&queue, va));
    let mut packet = barrier(PacketType::BARRIER_AND, &[], None);
    packet[56..].copy_from_slice(&second.to_le_bytes());
    queue.submit(&packet);
    let (result, data) = rig.wait_event(event, 10_000);
    assert_eq!((result, data.memory_exception().va), (WaitResult::COMPLETE, second));
}

#[test]
fn with_xnack_every_gpu_reaches_all_memory() {
    let rig = Rig::new(&chips::GFX90A);
    rig.gpu.call(&mut SetXnackModeArgs { xnack_enabled: 1 }).unwrap();
    let at = own(4);
    let told = get(&rig, at, PAGE, &[(A::ACCESS, rig.gpu_id)]).unwrap();
    assert_eq!(told, [(A::ACCESS, rig.gpu_id)]);
    set(&rig, at, 4 * PAGE, &[(A::PREFETCH_LOC, rig.gpu_id)]).unwrap();
    let queue = Queue::new(&rig);
    reach(&queue, at + PAGE);
    set(&rig, at, PAGE, &[(A::NO_ACCESS, rig.gpu_id)]).unwrap();
    assert_eq!(get(&rig, at, 2 * PAGE, &[(A::ACCESS, rig.gpu_id)]).unwrap(), [(A::NO_ACCESS, rig.gpu_id)]);
}

/// One GPU of two has its page table: access of the other is refused, and nothing else suffers.
#[test]
fn a_gpu_without_a_page_table_gets_no_access() {
    let gpu = EmulatedGpu::new(&[&chips::GFX90A, &chips::GFX90A], Options::default());
    let id = |node: u32| -> u32 {
        gpu.read_topology(&format!("nodes/{node}/gpu_id")).unwrap().trim().parse().unwrap()
    };
    let (first, second) = (id(1), id(2));
    let file = gpu.open_render_node(128).unwrap();
    gpu.call(&mut AcquireVmArgs { drm_fd: file.cast_unsigned(), gpu_id: first }).unwrap();
    let set = |start: u64, gpu_id: u32| {
        let mut attributes = [SvmAttribute { r#type: A::ACCESS, value: gpu_id }];
        kfd_sys::svm::call(&*gpu, start, PAGE, SvmOp::SET_ATTR, &mut attributes)
    };
    let (one, other) = (own(1), own(1));
    set(one, first).unwrap();
    assert!(set(one, second).is_err());
    set(other, first).expect("another range");
    set(one, first).expect("the same range");
    let mut ask = [SvmAttribute { r#type: A::ACCESS, value: first }];
    kfd_sys::svm::call(&*gpu, one, PAGE, SvmOp::GET_ATTR, &mut ask).unwrap();
    assert_eq!(ask[0].r#type, A::ACCESS);
}
