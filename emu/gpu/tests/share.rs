//! Memory that goes from one process to another by a handle. Two devices of one test process stand for two processes.

mod common;

use amdgpu_emu::chips;
use common::{Buffer, GTT, Rig, VRAM, reserve};
use kfd_sys::memory::FreeMemoryOfGpuArgs;
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
    let [pid, file, start, length] = good;
    for wrong in [
        [0; 4],
        [pid, 1, start, length],
        [u32::MAX, file, start, length],
        // Standard input, and a part that is not in the file.
        [pid, file & !0xf_ffff, start, length],
        [pid, file, u32::MAX, length],
        [pid, file, start, 0],
    ] {
        assert_eq!(import(&rig, wrong, va).map(|args| args.handle), Err(Errno::EINVAL), "{wrong:x?}");
    }
    assert_eq!(import(&rig, good, 0x1000).map(|args| args.handle), Err(Errno::EINVAL), "a reserved address");
    assert!(import(&rig, good, va).is_ok());
}
