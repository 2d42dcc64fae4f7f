//! Memory that goes from one process to another by a handle. Two devices of one test process stand for two processes.

mod common;

use amdgpu_emu::chips;
use common::{Buffer, GTT, Rig, VRAM, release, reserve};
use kfd_sys::memory::{FreeMemoryOfGpuArgs, GetAvailableMemoryArgs};
use kfd_sys::share::{IpcExportHandleArgs, IpcImportHandleArgs};
use kfd_sys::{DeviceFile, Errno, KfdExt as _};
use nix::sys::mman::ProtFlags;

fn import(rig: &Rig, share_handle: [u32; 4], va: u64) -> Result<IpcImportHandleArgs, Errno> {
    let mut args =
        IpcImportHandleArgs { va_addr: va, share_handle, gpu_id: rig.gpu_id, ..Default::default() };
    rig.gpu.call(&mut args).map(|()| args)
}

#[test]
fn memory_is_shared_by_handle() {
    let (giver, taker) = (Rig::new(&chips::GFX90A), Rig::new(&chips::GFX908));
    for (flags, size) in [(VRAM, 1 << 20), (GTT, 8192)] {
        let _other = giver.allocate(4096, flags);
        let own = giver.allocate(size, flags);
        own.set(5, 0x1234);
        let mut export =
            IpcExportHandleArgs { handle: own.handle, gpu_id: giver.gpu_id, ..Default::default() };
        giver.gpu.call(&mut export).unwrap();
        let va = reserve(size, ProtFlags::PROT_NONE);
        let args = import(&taker, export.share_handle, va).unwrap();
        taker.mmap(DeviceFile::Render(taker.minor), va, size, args.mmap_offset).unwrap();
        assert_eq!(taker.map(args.handle), Ok(1));
        let theirs = Buffer { va, size, handle: args.handle };
        assert_eq!(theirs.get(5), 0x1234);
        theirs.set(size / 4 - 1, 77);
        assert_eq!(own.get(size / 4 - 1), 77);
        // Given back by the taker, it is the giver's as before.
        taker.unmap(args.handle).unwrap();
        taker.gpu.call(&mut FreeMemoryOfGpuArgs { handle: args.handle }).unwrap();
        assert_eq!((own.get(5), own.get(size / 4 - 1)), (0x1234, 77));
    }
}

fn export(rig: &Rig, handle: u64) -> Result<[u32; 4], Errno> {
    let mut args = IpcExportHandleArgs { handle, gpu_id: rig.gpu_id, ..Default::default() };
    rig.gpu.call(&mut args).map(|()| args.share_handle)
}

fn free(rig: &Rig, buffer: &Buffer) {
    assert_eq!(rig.unmap(buffer.handle), Ok(1));
    rig.gpu.call(&mut FreeMemoryOfGpuArgs { handle: buffer.handle }).unwrap();
}

fn available(rig: &Rig) -> u64 {
    let mut args = GetAvailableMemoryArgs { gpu_id: rig.gpu_id, ..Default::default() };
    rig.gpu.call(&mut args).unwrap();
    args.available
}

#[test]
fn memory_that_was_taken_in_outlives_its_giver() {
    const SIZE: u64 = 1 << 16;
    let (giver, taker) = (Rig::new(&chips::GFX90A), Rig::new(&chips::GFX90A));
    let before = available(&giver);
    let own = giver.allocate(SIZE, VRAM);
    own.set(5, 0x1234);
    let handle = export(&giver, own.handle).unwrap();
    assert_eq!(export(&giver, own.handle), Ok(handle), "the same each time");
    let va = reserve(SIZE, ProtFlags::PROT_NONE);
    let args = import(&taker, handle, va).unwrap();
    taker.mmap(DeviceFile::Render(taker.minor), va, SIZE, args.mmap_offset).unwrap();
    assert_eq!(taker.map(args.handle), Ok(1));
    let theirs = Buffer { va, size: SIZE, handle: args.handle };
    free(&giver, &own);
    assert_eq!(theirs.get(5), 0x1234, "freed by the giver, and still the taker's");
    assert_eq!(available(&giver), before - SIZE, "it is in use");
    // What the giver gets now is other memory.
    let next = giver.allocate(SIZE, VRAM);
    next.set(5, 99);
    assert_eq!((theirs.get(5), next.get(6)), (0x1234, 0));
    free(&giver, &next);
    // The handle is dead: the memory may be another's by the time that it is used.
    let elsewhere = reserve(SIZE, ProtFlags::PROT_NONE);
    assert_eq!(import(&taker, handle, elsewhere).map(|args| args.handle), Err(Errno::EINVAL));
    // Once the taker has freed it and unmapped it, nobody has it.
    free(&taker, &theirs);
    assert_eq!((theirs.get(5), available(&giver)), (0x1234, before - SIZE), "it is mapped for the host");
    release(va, SIZE);
    assert_eq!(available(&giver), before);
    let again = giver.allocate(SIZE, VRAM);
    assert_eq!(again.get(5), 0, "it reads as zero when it is given out again");
}

#[test]
fn a_handle_is_of_one_memory_and_not_of_the_next_at_its_place() {
    let (giver, taker) = (Rig::new(&chips::GFX90A), Rig::new(&chips::GFX90A));
    let va = reserve(8192, ProtFlags::PROT_NONE);
    let (first, other) = (giver.allocate(4096, VRAM), giver.allocate(4096, VRAM));
    let old = export(&giver, first.handle).unwrap();
    assert_ne!(export(&giver, other.handle), Ok(old));
    free(&giver, &first);
    let second = giver.allocate(4096, VRAM);
    let new = export(&giver, second.handle).unwrap();
    assert_eq!(import(&taker, old, va).map(|args| args.handle), Err(Errno::EINVAL));
    assert!(import(&taker, new, va).is_ok());
}

#[test]
fn wrong_handles_are_refused() {
    let rig = Rig::new(&chips::GFX90A);
    let va = reserve(4096, ProtFlags::PROT_NONE);
    let mut unknown = IpcExportHandleArgs { handle: 77, gpu_id: rig.gpu_id, ..Default::default() };
    assert_eq!(rig.gpu.call(&mut unknown), Err(Errno::EINVAL));
    let buffer = rig.allocate(4096, VRAM);
    let mut export = IpcExportHandleArgs { handle: buffer.handle, gpu_id: rig.gpu_id, ..Default::default() };
    rig.gpu.call(&mut export).unwrap();
    let good = export.share_handle;
    let [pid, file, place, number] = good;
    for wrong in [
        [0; 4],
        [pid, 1, place, number],
        [u32::MAX, file, place, number],
        // Standard input, a record that there is not, and another number than the record's.
        [pid, file & !0xf_ffff, place, number],
        [pid, file, u32::MAX, number],
        [pid, file, place, number.wrapping_add(1)],
        [pid, file, place, 0],
        [pid, file, place + 1, 0],
    ] {
        assert_eq!(import(&rig, wrong, va).map(|args| args.handle), Err(Errno::EINVAL), "{wrong:x?}");
    }
    assert_eq!(import(&rig, good, 0x1000).map(|args| args.handle), Err(Errno::EINVAL), "a reserved address");
    assert!(import(&rig, good, va).is_ok());
}
