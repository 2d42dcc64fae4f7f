//! Memory that leaves or enters the process: as a dma-buf, or by a handle of AMD's out-of-tree driver (IPC).

use std::os::fd::{OwnedFd, RawFd};

use kfd_sys::DeviceFile;
use kfd_sys::memory::AllocFlags;
use kfd_sys::share::{
    ExportDmabufArgs, GetDmabufInfoArgs, ImportDmabufArgs, IpcExportHandleArgs, IpcImportHandleArgs,
};

use super::{Block, LARGE_PAGE, Memory, MemoryKind, Origin, PAGE, Reservation};
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// Room for an exporter's metadata, at first.
const METADATA_BYTES: usize = 64;
/// Images of other drivers are laid out for this alignment.
const IMAGE_ALIGNMENT: u64 = 256 << 10;

/// A handle by which another process can open memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedHandle {
    /// The kernel's 128 bits.
    pub words: [u32; 4],
    /// KFD's number of the GPU that the memory belongs to.
    pub gpu_id: u32,
    /// Bytes.
    pub size: u64,
}

/// Words 4 and 5 of a handle say which part of the address space the memory is in: here always the one there is.
const APERTURE: [u32; 2] = [1, 0];

impl SharedHandle {
    /// The handle as libhsakmt and ROCr pass it between processes (`HsaSharedMemoryHandle`). `None` for more pages than
    /// it has room for.
    pub fn to_words(&self) -> Option<[u32; 8]> {
        let pages = u32::try_from(self.size / PAGE).ok()?;
        let [a, b, c, d] = self.words;
        Some([a, b, c, d, APERTURE[0], APERTURE[1], pages, self.gpu_id])
    }

    /// The handle that those words are.
    pub fn from_words(words: [u32; 8]) -> SharedHandle {
        let [a, b, c, d, _, _, pages, gpu_id] = words;
        SharedHandle { words: [a, b, c, d], gpu_id, size: u64::from(pages) * PAGE }
    }
}

/// What a dma-buf of amdgpu holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmabufInfo {
    /// Bytes.
    pub size: u64,
    /// KFD's number of the GPU that the memory belongs to.
    pub gpu_id: u32,
    /// How it was allocated.
    pub flags: AllocFlags,
    /// What the exporter says of it: the layout of an image, for instance.
    pub metadata: Vec<u8>,
}

impl Memory {
    /// Makes a dma-buf of it. Needs KFD interface 1.12.
    pub fn export_dmabuf(&self) -> Result<OwnedFd> {
        if self.context.version.1 < 12 {
            return Err(Error::request("export_dmabuf", "needs KFD interface 1.12"));
        }
        let mut args = ExportDmabufArgs { handle: self.handle, flags: libc::O_CLOEXEC as u32, dmabuf_fd: 0 };
        self.context.call(&mut args, |a| format!("handle {:#x}: fd {}", a.handle, a.dmabuf_fd))?;
        Ok(super::owned_fd(args.dmabuf_fd as RawFd))
    }

    /// Makes a handle by which another process can open it.
    pub fn share(&self, flags: u32) -> Result<SharedHandle> {
        let gpu_id = self.context.gpu(self.node)?.gpu_id;
        let mut args = IpcExportHandleArgs { handle: self.handle, gpu_id, flags, ..Default::default() };
        self.context.call(&mut args, |a| format!("handle {:#x}: {:x?}", a.handle, a.share_handle))?;
        Ok(SharedHandle { words: args.share_handle, gpu_id, size: self.size })
    }
}

impl Thunk {
    /// Opens memory of another process. Host and GPU see it at the same address here, which need not be the one there.
    pub fn open_shared(&self, shared: &SharedHandle) -> Result<Memory> {
        let context = &self.context;
        let gpu = context.gpu_of_id(shared.gpu_id)?;
        let size = shared
            .size
            .checked_next_multiple_of(PAGE)
            .filter(|size| *size != 0)
            .ok_or_else(|| Error::request("open_shared", format!("{} bytes", shared.size)))?;
        let range = Reservation::reserve(size, if size >= LARGE_PAGE { LARGE_PAGE } else { PAGE })?;
        let mut args = IpcImportHandleArgs {
            va_addr: range.va(),
            share_handle: shared.words,
            gpu_id: gpu.gpu_id,
            ..Default::default()
        };
        context.call(&mut args, |a| {
            format!("{:x?} at {:#x}: handle {:#x}", a.share_handle, a.va_addr, a.handle)
        })?;
        let block = Block::adopt(range, args.handle);
        let host = args.mmap_offset != 0;
        let mapped =
            block.map_host(&*context.kfd, DeviceFile::Render(gpu.render_minor), args.mmap_offset, host);
        if let Err(error) = mapped {
            let _ = block.release(&*context.kfd);
            return Err(error);
        }
        Ok(self.own(block, MemoryKind::Vram, gpu.node, host).with_origin(Origin::Shared, args.flags))
    }

    /// Asks what a dma-buf holds. Only those of GPUs of this device are known.
    pub fn dmabuf_info(&self, dmabuf: RawFd) -> Result<DmabufInfo> {
        let mut metadata = vec![0u8; METADATA_BYTES];
        let ask = |metadata: &mut Vec<u8>| {
            let mut args = GetDmabufInfoArgs {
                metadata_ptr: metadata.as_mut_ptr() as u64,
                metadata_size: metadata.len() as u32,
                dmabuf_fd: dmabuf as u32,
                ..Default::default()
            };
            let result = self.context.call(&mut args, |a| format!("fd {dmabuf}: {} bytes", a.size));
            (args, result)
        };
        let (mut args, mut result) = ask(&mut metadata);
        if result.is_err() && args.metadata_size as usize > metadata.len() {
            metadata.resize(args.metadata_size as usize, 0);
            (args, result) = ask(&mut metadata);
        }
        result?;
        metadata.truncate(args.metadata_size as usize);
        let flags = AllocFlags::from_bits_retain(args.flags);
        Ok(DmabufInfo { size: args.size, gpu_id: args.gpu_id, flags, metadata })
    }

    /// Takes in a dma-buf, for GPUs only: the host reaches it through the dma-buf itself.
    pub fn import_dmabuf(&self, dmabuf: RawFd, info: &DmabufInfo) -> Result<Memory> {
        let gpu = self.context.gpu_of_id(info.gpu_id)?;
        let size = info
            .size
            .checked_next_multiple_of(PAGE)
            .filter(|size| *size != 0)
            .ok_or_else(|| Error::request("import_dmabuf", format!("{} bytes", info.size)))?;
        let range = Reservation::reserve(size, IMAGE_ALIGNMENT)?;
        let mut args =
            ImportDmabufArgs { va_addr: range.va(), handle: 0, gpu_id: gpu.gpu_id, dmabuf_fd: dmabuf as u32 };
        self.context
            .call(&mut args, |a| format!("fd {dmabuf} at {:#x}: handle {:#x}", a.va_addr, a.handle))?;
        let memory = self.own(Block::adopt(range, args.handle), MemoryKind::Vram, gpu.node, false);
        Ok(memory.with_origin(Origin::Dmabuf, info.flags.bits()))
    }

    /// The node of a dma-buf's GPU, if it is one of ours.
    pub fn node_of_dmabuf(&self, info: &DmabufInfo) -> Option<NodeId> {
        self.context.node_of_gpu_id(info.gpu_id)
    }
}
