//! Buffer objects of the render node, and memory as a dma-buf.

mod common;

use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::fd::AsRawFd as _;

use amdgpu_emu::chips;
use common::{Buffer, Queue, Rig, VRAM, addr_of, barrier, release, reserve, signal_value, wait_for};
use hsa_sys::PacketType;
use kfd_sys::event::{EventType, WaitResult};
use kfd_sys::memory::FreeMemoryOfGpuArgs;
use kfd_sys::share::{ExportDmabufArgs, GetDmabufInfoArgs, ImportDmabufArgs};
use kfd_sys::{DeviceFile, Errno, KfdExt as _};
use nix::sys::mman::ProtFlags;

const SIZE: u64 = 1 << 16;
/// Domains, operations and rights of pages, as `amdgpu_drm.h` has them.
const VRAM_DOMAIN: u64 = 4;
const MAP: u64 = 1;
const UNMAP: u64 = 2;
const CLEAR: u64 = 3;
const REPLACE: u64 = 4;
const WRITEABLE: u64 = 4;

/// `_IOWR('d', nr, words)`: an argument of 64-bit words.
fn call<const N: usize>(rig: &Rig, nr: u32, mut words: [u64; N]) -> Result<[u64; N], Errno> {
    let request = 3 << 30 | (8 * N as u32) << 16 | u32::from(b'd') << 8 | nr;
    let at = std::ptr::from_mut(&mut words).expose_provenance() as u64;
    rig.gpu.render_ioctl(rig.minor, request, at).map(|()| words)
}

fn create(rig: &Rig, bytes: u64, domain: u64) -> Result<u64, Errno> {
    call(rig, 0x40, [bytes, 4096, domain, 0]).map(|words| words[0])
}

fn map(rig: &Rig, handle: u64, operation: u64, va: u64, offset: u64, bytes: u64) -> Result<(), Errno> {
    call(rig, 0x48, [handle, operation | WRITEABLE << 32, va, offset, bytes]).map(drop)
}

fn close(rig: &Rig, handle: u64) -> Result<(), Errno> {
    call(rig, 0x09, [handle]).map(drop)
}

/// Maps an object for the host.
fn host(rig: &Rig, handle: u64, bytes: u64) -> Buffer {
    let va = reserve(bytes, ProtFlags::PROT_NONE);
    let [offset] = call(rig, 0x41, [handle]).unwrap();
    rig.mmap(DeviceFile::Render(rig.minor), va, bytes, offset).unwrap();
    Buffer { va, size: bytes, handle }
}

#[test]
fn objects_are_made_mapped_and_closed() {
    let rig = Rig::new(&chips::GFX90A);
    let before = rig.gpu.holdings();
    let handle = create(&rig, SIZE, VRAM_DOMAIN).unwrap();
    let memory = host(&rig, handle, SIZE);
    // The GPU has it at an address of its own, from the second page on.
    let va = 0x70_0000_0000;
    assert_eq!(map(&rig, handle, MAP, va, 4096, SIZE - 4096), Ok(()));
    memory.set64(512 + 1, 1);
    let queue = Queue::new(&rig);
    let mut packet = barrier(PacketType::BARRIER_AND, &[], None);
    packet[56..].copy_from_slice(&va.to_le_bytes());
    queue.submit(&packet);
    let second = Buffer { va: memory.va + 4096, size: SIZE - 4096, handle };
    wait_for("the signal in it", || signal_value(&second) == 0);
    let info = [const { std::cell::Cell::new(0u64) }; 4];
    assert!(call(&rig, 0x50, [handle, addr_of(&info)]).is_ok());
    assert_eq!((info[0].get(), info[2].get()), (SIZE, VRAM_DOMAIN));
    assert_eq!(call(&rig, 0x47, [handle, 0]).map(|words| words[0] as u32), Ok(0), "never busy");

    for (what, errno, result) in [
        ("no bytes", Errno::EINVAL, create(&rig, 0, 4).map(drop)),
        ("no domain", Errno::EINVAL, create(&rig, 4096, 0).map(drop)),
        ("a domain that is not here", Errno::EINVAL, create(&rig, 4096, 8).map(drop)),
        ("too many bytes", Errno::ENOMEM, create(&rig, 1 << 45, 4).map(drop)),
        ("no such object", Errno::ENOENT, map(&rig, 77, MAP, va, 0, 4096)),
        ("no such object to map", Errno::ENOENT, call(&rig, 0x41, [77]).map(drop)),
        ("none to close", Errno::EINVAL, close(&rig, 77)),
        ("taken", Errno::EINVAL, map(&rig, handle, MAP, va + 4096, 0, 4096)),
        ("not aligned", Errno::EINVAL, map(&rig, handle, MAP, va + (1 << 20) + 8, 0, 4096)),
        ("low", Errno::EINVAL, map(&rig, handle, MAP, 4096, 0, 4096)),
        ("high", Errno::EINVAL, map(&rig, handle, MAP, (1 << 47) - 4096, 0, 8192)),
        ("wraps", Errno::EINVAL, map(&rig, handle, MAP, u64::MAX - 4095, 0, 8192)),
        ("beyond its end", Errno::EINVAL, map(&rig, handle, MAP, va + (1 << 20), 4096, SIZE)),
        ("nothing there", Errno::EINVAL, map(&rig, handle, UNMAP, va + (1 << 20), 0, 4096)),
        ("another size", Errno::EINVAL, map(&rig, handle, UNMAP, va, 0, 4096)),
        ("an operation that is not here", Errno::EINVAL, map(&rig, handle, 5, va, 0, 4096)),
    ] {
        assert_eq!(result, Err(errno), "{what}");
    }
    // Unmapped, it is a fault.
    let event = rig.create_event(EventType::MEMORY, 0);
    assert_eq!(map(&rig, handle, UNMAP, va, 4096, SIZE - 4096), Ok(()));
    queue.submit(&packet);
    let (result, data) = rig.wait_event(event, 10_000);
    assert_eq!((result, data.memory_exception().va), (WaitResult::COMPLETE, va));
    // What is still mapped when an object is closed goes with it.
    assert_eq!(map(&rig, handle, MAP, va, 0, SIZE), Ok(()));
    let (held, mapped) = (rig.gpu.holdings(), before.mapped + 4);
    assert_eq!((held.buffers, held.vram, held.mapped), (1, SIZE, mapped));
    assert_eq!(close(&rig, handle), Ok(()));
    let held = rig.gpu.holdings();
    assert_eq!((held.buffers, held.vram, held.mapped), (0, 0, mapped - 1));
}

#[test]
fn ranges_are_cleared_and_replaced() {
    let rig = Rig::new(&chips::GFX90A);
    let (first, second) =
        (create(&rig, SIZE, VRAM_DOMAIN).unwrap(), create(&rig, SIZE, VRAM_DOMAIN).unwrap());
    let (a, b) = (host(&rig, first, SIZE), host(&rig, second, SIZE));
    for page in 0..16 {
        a.set64(page * 512, 0xa00 + page);
        b.set64(page * 512, 0xb00 + page);
    }
    let va = 0x70_0000_0000;
    let queue = Queue::new(&rig);
    let result = rig.allocate(4096, common::GTT);
    // What the GPU finds in a page: PM4's COPY_DATA, memory to memory, in an indirect buffer.
    let seen = |page: u64| {
        let (from, done) = (va + page * 4096, queue.signal(1));
        let ib = rig.allocate(4096, common::GTT);
        let copy = [
            1 | 5 << 8 | 1 << 16,
            from as u32,
            (from >> 32) as u32,
            result.va as u32,
            (result.va >> 32) as u32,
        ];
        for (index, word) in (0..).zip([&[0xc004_4000], &copy[..]].concat()) {
            ib.set(index, word);
        }
        let mut packet = [0; 64];
        packet[2] = 1;
        for (at, word) in [(4, 0xc002_3f00), (8, ib.va as u32), (12, (ib.va >> 32) as u32), (16, 6)] {
            packet[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
        }
        packet[56..].copy_from_slice(&done.va.to_le_bytes());
        queue.submit(&packet);
        wait_for("the copy", || signal_value(&done) == 0);
        result.get64(0)
    };
    assert_eq!(map(&rig, first, MAP, va, 0, SIZE), Ok(()));
    let one = rig.gpu.holdings().mapped;
    // Part of the other in its middle: it has two ends left.
    assert_eq!(map(&rig, second, REPLACE, va + 4 * 4096, 4096, 3 * 4096), Ok(()));
    assert_eq!(rig.gpu.holdings().mapped, one + 2);
    assert_eq!([0, 3, 4, 6, 7, 15].map(seen), [0xa00, 0xa03, 0xb01, 0xb03, 0xa07, 0xa0f]);
    // Over an end of each, by the first.
    assert_eq!(map(&rig, first, REPLACE, va + 6 * 4096, 0, 2 * 4096), Ok(()));
    assert_eq!([5, 6, 7, 8].map(seen), [0xb02, 0xa00, 0xa01, 0xa08]);
    // A handle is not looked at when a range is cleared; what is not there need not be.
    assert_eq!(map(&rig, 0, CLEAR, va + 2 * 4096, 0, 1 << 30), Ok(()));
    assert_eq!(seen(1), 0xa01);
    assert_eq!(map(&rig, first, UNMAP, va + 4 * 4096, 0, 0), Err(Errno::EINVAL), "gone");
    assert_eq!(map(&rig, 0, CLEAR, va + 2 * 4096, 0, 1 << 20), Ok(()));
    assert_eq!(map(&rig, first, MAP, va + 2 * 4096, 2 * 4096, 4096), Ok(()));
    assert_eq!(seen(2), 0xa02);
    // What an end is unmapped by is its own address.
    assert_eq!(map(&rig, first, UNMAP, va, 0, 2 * 4096), Ok(()));
    for (what, errno, result) in [
        ("no object", Errno::ENOENT, map(&rig, 77, REPLACE, va, 0, 4096)),
        ("no bytes", Errno::EINVAL, map(&rig, first, REPLACE, va, 0, 0)),
        ("beyond its end", Errno::EINVAL, map(&rig, first, REPLACE, va, SIZE, 4096)),
        ("KFD's memory replaced", Errno::EINVAL, map(&rig, first, REPLACE, result.va, 0, 4096)),
        ("KFD's memory cleared", Errno::EINVAL, map(&rig, 0, CLEAR, result.va, 0, 4096)),
    ] {
        assert_eq!(result, Err(errno), "{what}");
    }
    assert_eq!(seen(2), 0xa02);
    assert_eq!((close(&rig, first), close(&rig, second)), (Ok(()), Ok(())));
    assert_eq!(rig.gpu.holdings().buffers, 0);
}

#[test]
fn a_dma_buf_keeps_memory_and_gives_it_to_others() {
    let (giver, taker) = (Rig::new(&chips::GFX90A), Rig::new(&chips::GFX90A));
    let before = giver.gpu.holdings();
    let own = giver.allocate(SIZE, VRAM);
    own.set(3, 0x1234);
    let mut export = ExportDmabufArgs { handle: own.handle, flags: 0x8_0000, dmabuf_fd: 0 };
    giver.gpu.call(&mut export).unwrap();
    let mut file = common::adopt(export.dmabuf_fd.cast_signed());
    // What libdrm asks for the size. Nobody may take it for the memory itself.
    assert_eq!(file.seek(SeekFrom::End(0)).unwrap(), SIZE);
    assert!(file.write_all(b"x").is_err());
    let mut info = GetDmabufInfoArgs { dmabuf_fd: export.dmabuf_fd, ..Default::default() };
    giver.gpu.call(&mut info).unwrap();
    assert_eq!((info.size, info.gpu_id), (SIZE, giver.gpu_id));

    // Taken in by the render node, twice the same, and mapped elsewhere.
    let descriptor = u64::from(export.dmabuf_fd);
    let import = |rig: &Rig| call(rig, 0x2e, [0, descriptor]).map(|words| words[0] & 0xffff_ffff);
    let handle = import(&giver).unwrap();
    assert_eq!(import(&giver), Ok(handle));
    let again = host(&giver, handle, SIZE);
    assert_eq!(again.get(3), 0x1234);
    // Taken in by another process's KFD and by its render node.
    let va = reserve(SIZE, ProtFlags::PROT_NONE);
    let mut args = ImportDmabufArgs {
        va_addr: va,
        gpu_id: taker.gpu_id,
        dmabuf_fd: export.dmabuf_fd,
        ..Default::default()
    };
    taker.gpu.call(&mut args).unwrap();
    assert_eq!(taker.map(args.handle), Ok(1));
    let theirs = import(&taker).unwrap();
    let shown = host(&taker, theirs, SIZE);
    assert_eq!(shown.get(3), 0x1234);

    // Freed by its owner: all others have it, and the descriptor still gives it.
    assert_eq!(giver.unmap(own.handle), Ok(1));
    giver.gpu.call(&mut FreeMemoryOfGpuArgs { handle: own.handle }).unwrap();
    release(own.va, SIZE);
    let other = giver.allocate(SIZE, VRAM);
    other.set(3, 99);
    assert_eq!((again.get(3), shown.get(3)), (0x1234, 0x1234));
    assert_eq!(close(&taker, theirs), Ok(()));
    let theirs = import(&taker).unwrap();
    // A dma-buf of a buffer object is one of the same memory.
    let words = call(&taker, 0x2d, [theirs | 0x8_0000 << 32, 0]).unwrap();
    let second = common::adopt(words[1] as i32);
    assert_eq!(call(&giver, 0x2e, [0, second.as_raw_fd() as u64]).map(drop), Ok(()));

    // One after another lets go.
    assert_eq!(giver.gpu.holdings().vram, before.vram + 2 * SIZE);
    for handle in 1..=2 {
        assert_eq!(close(&giver, handle), Ok(()));
    }
    assert_eq!(close(&taker, theirs), Ok(()));
    assert_eq!(taker.unmap(args.handle), Ok(1));
    taker.gpu.call(&mut FreeMemoryOfGpuArgs { handle: args.handle }).unwrap();
    release(again.va, SIZE);
    release(shown.va, SIZE);
    drop(second);
    assert_eq!((taker.gpu.holdings().buffers, taker.gpu.holdings().exports), (0, 0));
    assert_eq!(giver.gpu.holdings().vram, before.vram + 2 * SIZE, "the descriptor is open");
    drop(file);
    assert_eq!(giver.gpu.holdings().vram, before.vram + SIZE);
    assert_eq!(giver.gpu.holdings().exports, 0);

    let mut args = ImportDmabufArgs { va_addr: va, gpu_id: giver.gpu_id, dmabuf_fd: 0, handle: 0 };
    assert_eq!(giver.gpu.call(&mut args), Err(Errno::EINVAL), "standard input");
    args.dmabuf_fd = 9999;
    assert_eq!(giver.gpu.call(&mut args), Err(Errno::EBADF));
}

/// How runtimes make memory that they map where they like, a part at a time: it is KFD's, with a number for its address.
#[test]
fn memory_without_an_address_is_mapped_by_the_render_node() {
    let rig = Rig::new(&chips::GFX942);
    let before = rig.gpu.holdings();
    let (number, _) = rig.try_alloc(1 << 48, SIZE, VRAM, 0).unwrap();
    assert_eq!(rig.map(number), Err(Errno::EINVAL), "KFD cannot map it");
    let mut export = ExportDmabufArgs { handle: number, flags: 0, dmabuf_fd: 0 };
    rig.gpu.call(&mut export).unwrap();
    let file = common::adopt(export.dmabuf_fd.cast_signed());
    let handle = call(&rig, 0x2e, [0, u64::from(export.dmabuf_fd)]).unwrap()[0] & 0xffff_ffff;
    drop(file);
    // Two parts of it at two places, for the GPU and for the host.
    let va = reserve(2 * SIZE, ProtFlags::PROT_NONE);
    let [offset] = call(&rig, 0x41, [handle]).unwrap();
    let half = SIZE / 2;
    for (at, part) in [(va, half), (va + SIZE, 0)] {
        assert_eq!(map(&rig, handle, MAP, at, part, half), Ok(()));
        rig.mmap(DeviceFile::Render(rig.minor), at, half, offset + part).unwrap();
    }
    let (upper, lower) = (Buffer { va, size: half, handle }, Buffer { va: va + SIZE, size: half, handle });
    lower.set64(1, 1);
    let queue = Queue::new(&rig);
    queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&lower)));
    wait_for("the signal in the lower half", || signal_value(&lower) == 0);
    upper.set(0, 7);
    assert_eq!(lower.get(0), 0);
    assert_eq!(host(&rig, handle, SIZE).get(half / 4), 7, "the upper half is the second");
    rig.gpu.call(&mut FreeMemoryOfGpuArgs { handle: number }).unwrap();
    assert_eq!((upper.get(0), rig.gpu.holdings().vram), (7, before.vram + SIZE));
    assert_eq!(close(&rig, handle), Ok(()));
    assert_eq!(rig.gpu.holdings().exports, 0);
}
