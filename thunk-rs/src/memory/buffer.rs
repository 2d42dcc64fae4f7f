//! Memory's pages apart from its address: taken in on a render node, they are mapped where the caller likes, in parts and
//! more than once (`libdrm_amdgpu`'s `amdgpu_bo_…`; libhsakmt leaves this to the runtime above it).

use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use kfd_sys::render::{
    GemCloseArgs, GemMmapArgs, GemVaArgs, PageFlags, PrimeExportArgs, PrimeImportArgs, VA_MAP, VA_UNMAP,
};
use kfd_sys::{DeviceFile, Prot};

use super::{PAGE, Reservation};
use crate::context::{self, Context};
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// The pages of a dma-buf, as one GPU has them. Dropping it ends what it is mapped at on that GPU.
pub struct Buffer {
    context: Arc<Context>,
    node: NodeId,
    minor: u32,
    handle: u32,
    size: u64,
}

/// Address space without memory of its own, for host and GPUs. Dropping it takes what the host sees there away; what GPUs
/// see goes with the buffers.
pub struct AddressRange {
    context: Arc<Context>,
    range: Reservation,
}

impl Thunk {
    /// Takes in the pages of a dma-buf on a GPU, which need not be the one whose memory they are.
    pub fn import_buffer(&self, node: NodeId, dmabuf: BorrowedFd<'_>) -> Result<Buffer> {
        let size = self.dmabuf_info(dmabuf.as_raw_fd())?.size;
        let minor = self.context.gpu(node)?.render_minor;
        // The kernel gives each buffer object one handle, so that holders are counted here; and nobody closes it between
        // the call and the count.
        let mut buffers = self.context.buffers.lock();
        let mut args = PrimeImportArgs { handle: 0, flags: 0, fd: dmabuf.as_raw_fd() };
        context::render_call(&*self.context.kfd, minor, &mut args, |a| {
            format!("fd {}: buffer {}", a.fd, a.handle)
        })?;
        *buffers.entry((minor, args.handle)).or_insert(0) += 1;
        Ok(Buffer { context: Arc::clone(&self.context), node, minor, handle: args.handle, size })
    }

    /// Reserves addresses: at `wanted` if nobody has them, else elsewhere, at a multiple of `alignment`.
    pub fn reserve_addresses(&self, size: u64, alignment: u64, wanted: Option<u64>) -> Result<AddressRange> {
        let alignment = alignment.max(PAGE);
        if size == 0 || !size.is_multiple_of(PAGE) || !alignment.is_power_of_two() {
            let problem = format!("{size:#x} bytes, aligned to {alignment:#x}");
            return Err(Error::request("reserve_addresses", problem));
        }
        let wanted = wanted.filter(|va| *va != 0 && va.is_multiple_of(alignment));
        let range = match wanted.map(|va| Reservation::reserve_at(va, size)) {
            Some(Ok(range)) => range,
            Some(Err(_)) | None => Reservation::reserve(size, alignment)?,
        };
        Ok(AddressRange { context: Arc::clone(&self.context), range })
    }
}

impl Buffer {
    /// The GPU that has it.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Makes a dma-buf of it.
    pub fn export_dmabuf(&self) -> Result<OwnedFd> {
        let flags = (libc::O_CLOEXEC | libc::O_RDWR) as u32;
        let mut args = PrimeExportArgs { handle: self.handle, flags, fd: -1 };
        context::render_call(&*self.context.kfd, self.minor, &mut args, |a| {
            format!("buffer {}: fd {}", a.handle, a.fd)
        })?;
        Ok(super::owned_fd(args.fd))
    }

    fn check(&self, offset: u64, size: u64) -> Result<()> {
        if offset.checked_add(size).is_some_and(|end| end <= self.size) {
            return Ok(());
        }
        let problem = format!("{size:#x} bytes at {offset:#x} of a buffer of {:#x}", self.size);
        Err(Error::request("map a buffer", problem))
    }

    fn va(&self, operation: u32, flags: PageFlags, va: u64, offset: u64, size: u64) -> Result<()> {
        let mut args = GemVaArgs {
            handle: self.handle,
            pad: 0,
            operation,
            flags: flags.bits(),
            va_address: va,
            offset_in_bo: offset,
            map_size: size,
        };
        context::render_call(&*self.context.kfd, self.minor, &mut args, |a| {
            let what = if a.operation == VA_MAP { "map" } else { "unmap" };
            format!("{what} buffer {}, {:#x} bytes from {:#x} on, at {va:#x}", a.handle, size, offset)
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut buffers = self.context.buffers.lock();
        let key = (self.minor, self.handle);
        if let Some(holders) = buffers.get_mut(&key) {
            *holders -= 1;
            if *holders != 0 {
                return;
            }
        }
        buffers.remove(&key);
        let mut args = GemCloseArgs { handle: self.handle, pad: 0 };
        let closed = context::render_call(&*self.context.kfd, self.minor, &mut args, |a| {
            format!("buffer {}", a.handle)
        });
        if let Err(error) = closed {
            tracing::warn!(target: "thunk", %error, "buffer {} was not closed", self.handle);
        }
    }
}

impl AddressRange {
    /// First address.
    pub fn va(&self) -> u64 {
        self.range.va()
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.range.len()
    }

    fn at(&self, within: u64, size: u64) -> Result<u64> {
        match within.checked_add(size) {
            Some(end) if end <= self.size() => Ok(self.va() + within),
            _ => Err(Error::request("map a buffer", format!("{size:#x} bytes at {within:#x} of {self:?}"))),
        }
    }

    /// Puts `size` bytes of a buffer, from `offset` on, where its GPU sees them, `within` the range.
    pub fn map(&self, within: u64, size: u64, buffer: &Buffer, offset: u64, access: PageFlags) -> Result<()> {
        buffer.check(offset, size)?;
        buffer.va(VA_MAP, access, self.at(within, size)?, offset, size)
    }

    /// Takes away what [`AddressRange::map`] put there.
    pub fn unmap(&self, within: u64, size: u64, buffer: &Buffer, offset: u64) -> Result<()> {
        buffer.va(VA_UNMAP, PageFlags::empty(), self.at(within, size)?, offset, size)
    }

    /// Puts `size` bytes of a buffer, from `offset` on, where the host sees them.
    pub fn map_host(&self, within: u64, size: u64, buffer: &Buffer, offset: u64, access: Prot) -> Result<()> {
        buffer.check(offset, size)?;
        let kfd = &*self.context.kfd;
        let mut args = GemMmapArgs { value: buffer.handle.into() };
        context::render_call(kfd, buffer.minor, &mut args, |a| {
            format!("buffer {}: offset {:#x}", buffer.handle, a.value)
        })?;
        let file = DeviceFile::Render(buffer.minor);
        self.range.map_device_at(kfd, file, access, args.value + offset, within, size)
    }

    /// Takes away what [`AddressRange::map_host`] put there.
    pub fn unmap_host(&self, within: u64, size: u64) -> Result<()> {
        self.range.unmap_device_at(within, size)
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} of renderD{}, {:#x} bytes)", self.handle, self.minor, self.size)
    }
}

impl std::fmt::Debug for AddressRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AddressRange({:#x}..{:#x})", self.va(), self.va() + self.size())
    }
}
