//! Memory that leaves the process, as a dma-buf.

use std::os::fd::RawFd;

use kfd_sys::share::ExportDmabufArgs;

use super::Memory;
use crate::{Error, Result};

impl Memory {
    /// Makes a dma-buf of it: a file descriptor, which the caller closes. Needs KFD interface 1.12.
    pub fn export_dmabuf(&self) -> Result<RawFd> {
        if self.context.version.1 < 12 {
            return Err(Error::request("export_dmabuf", "needs KFD interface 1.12"));
        }
        let mut args = ExportDmabufArgs { handle: self.handle, flags: libc::O_CLOEXEC as u32, dmabuf_fd: 0 };
        self.context.call(&mut args, |a| format!("handle {:#x}: fd {}", a.handle, a.dmabuf_fd))?;
        Ok(args.dmabuf_fd as RawFd)
    }
}
