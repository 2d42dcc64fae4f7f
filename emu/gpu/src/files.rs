//! The device files as a program meets them that knows system calls only: an ioctl's argument is an address, a file is
//! a descriptor. `libkfd_preload.so` is made of this.

use std::os::fd::RawFd;

use kfd_sys::ioctl::{self, Direction};
use kfd_sys::{Errno, Kfd as _};

use crate::{EmulatedGpu, drm};

impl EmulatedGpu {
    /// `ioctl(kfd, request, addr)` (`kfd_ioctl()` of `kfd_chardev.c`): copies the argument in, runs the call, and
    /// copies the argument out if the request word says so, whether the call succeeded or not.
    pub fn kfd_ioctl(&self, request: u32, addr: u64) -> Result<(), Errno> {
        if ioctl::nr(request) == ioctl::number::WAIT_EVENTS {
            // Who waits has given the device something to do, and does not say so in another way.
            self.wake();
        }
        self.with_argument(request, addr, |arg| self.ioctl(request, arg))
    }

    /// `ioctl(render, request, addr)` of `drm_ioctl.c`, for the calls that `libdrm_amdgpu` makes of a compute device.
    pub fn render_ioctl(&self, minor: u32, request: u32, addr: u64) -> Result<(), Errno> {
        self.with_argument(request, addr, |arg| drm::ioctl(&self.process, minor, request, arg))
    }

    fn with_argument(
        &self,
        request: u32,
        addr: u64,
        call: impl FnOnce(&mut [u8]) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let user = &self.process.user;
        let direction = Direction::of(request);
        let mut arg = vec![0; ioctl::size(request)];
        if direction.is_some_and(Direction::kernel_reads) {
            user.read(addr, &mut arg)?;
        }
        let result = call(&mut arg);
        if direction.is_some_and(Direction::kernel_writes) {
            user.write(addr, &arg)?;
        }
        result
    }

    /// Makes the device look for work now.
    pub fn wake(&self) {
        for device in &self.process.devices {
            device.cp.wake();
            device.sdma.wake();
        }
    }

    /// Minors of the render nodes, in the order of the GPUs.
    pub fn render_minors(&self) -> impl Iterator<Item = u32> {
        self.process.devices.iter().map(|device| device.minor)
    }

    /// Says that `file` is an open render node, so that `ACQUIRE_VM` knows it.
    pub fn adopt_render_file(&self, file: RawFd, minor: u32) {
        self.process.render_files.lock().insert(file, minor);
    }

    /// Says that `file` was closed. The page table that was acquired with it stays, as it does in KFD.
    pub fn forget_render_file(&self, file: RawFd) {
        self.process.render_files.lock().remove(&file);
    }
}
