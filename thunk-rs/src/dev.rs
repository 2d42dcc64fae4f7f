//! The real device: `/dev/kfd`, `/dev/dri/renderD*` and the topology tree in sysfs. All system calls on it are here.

#![allow(unsafe_code, reason = "issues ioctl(2) and mmap(2) on the device files")]

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::path::{Path, PathBuf};

use kfd_sys::{DeviceFile, Errno, Kfd, Prot, ioctl, render};
use parking_lot::Mutex;

use crate::Error;

/// Where the device's files are. Other places than the usual ones are for tests.
#[derive(Debug, Clone)]
pub struct Paths {
    /// `/dev/kfd`
    pub kfd: PathBuf,
    /// `/dev/dri`
    pub dri: PathBuf,
    /// `/sys/devices/virtual/kfd/kfd/topology`
    pub topology: PathBuf,
}

impl Default for Paths {
    fn default() -> Paths {
        Paths {
            kfd: "/dev/kfd".into(),
            dri: "/dev/dri".into(),
            topology: "/sys/devices/virtual/kfd/kfd/topology".into(),
        }
    }
}

/// The kernel's driver, opened.
#[derive(Debug)]
pub struct KernelDevice {
    paths: Paths,
    kfd: File,
    render: Mutex<BTreeMap<u32, File>>,
}

impl KernelDevice {
    /// Opens `/dev/kfd`. Each process opens its own: file descriptors that a child inherits are of no use to it.
    pub fn open(paths: Paths) -> Result<KernelDevice, Error> {
        let kfd = open_read_write(&paths.kfd)
            .map_err(|errno| Error::Open { path: paths.kfd.display().to_string(), errno })?;
        Ok(KernelDevice { paths, kfd, render: Mutex::new(BTreeMap::new()) })
    }
}

impl Kfd for KernelDevice {
    fn name(&self) -> String {
        self.paths.kfd.display().to_string()
    }

    fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        issue(self.kfd.as_raw_fd(), ioctl::BASE, request, arg)
    }

    fn ioctl_on_render_node(&self, minor: u32, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        issue(self.open_render_node(minor)?, render::BASE, request, arg)
    }

    fn open_render_node(&self, minor: u32) -> Result<i32, Errno> {
        let mut render = self.render.lock();
        if let Some(file) = render.get(&minor) {
            return Ok(file.as_raw_fd());
        }
        let file = open_read_write(&self.paths.dri.join(format!("renderD{minor}")))?;
        let fd = file.as_raw_fd();
        render.insert(minor, file);
        Ok(fd)
    }

    unsafe fn mmap(
        &self,
        file: DeviceFile,
        addr: u64,
        length: u64,
        prot: Prot,
        offset: u64,
    ) -> Result<(), Errno> {
        let fd = match file {
            DeviceFile::Kfd => self.kfd.as_raw_fd(),
            DeviceFile::Render(minor) => self.open_render_node(minor)?,
        };
        let length = usize::try_from(length).map_err(|_| Errno::EINVAL)?;
        // SAFETY: the caller vouches for the range. Offsets of KFD use the sign bit: the cast keeps the bits.
        let at = unsafe {
            libc::mmap(
                addr as *mut libc::c_void,
                length,
                prot.bits() as i32,
                libc::MAP_SHARED | libc::MAP_FIXED,
                fd,
                offset as libc::off_t,
            )
        };
        if at == libc::MAP_FAILED { Err(last_errno()) } else { Ok(()) }
    }

    fn read_topology(&self, path: &str) -> Result<String, Errno> {
        std::fs::read_to_string(self.paths.topology.join(path)).map_err(|error| errno_of(&error))
    }
}

/// Issues an ioctl of the driver with that letter on one of its files.
fn issue(file: RawFd, letter: u32, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
    if ioctl::base(request) != letter {
        return Err(Errno::ENOTTY);
    }
    if ioctl::size(request) > arg.len() {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the driver reads and writes as many bytes at `arg` as the request word says, and it says no more than
    // there are. Addresses inside the argument are the driver's to check, which gives EFAULT.
    let result = unsafe { libc::ioctl(file, libc::c_ulong::from(request) as _, arg.as_mut_ptr()) };
    if result < 0 { Err(last_errno()) } else { Ok(()) }
}

fn open_read_write(path: &Path) -> Result<File, Errno> {
    OpenOptions::new().read(true).write(true).open(path).map_err(|error| errno_of(&error))
}

fn errno_of(error: &io::Error) -> Errno {
    // Text that is not UTF-8 has no number of its own.
    error.raw_os_error().map_or(Errno::EINVAL, Errno)
}

fn last_errno() -> Errno {
    errno_of(&io::Error::last_os_error())
}
