//! The program's memory, as a kernel sees it: addresses in ioctl arguments may be anything, and a bad one is `EFAULT`.
//!
//! The copies go through the host kernel, which checks each page.

use std::fs::{File, OpenOptions};
use std::io::{IoSlice, IoSliceMut};
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

use kfd_sys::{Arg, Errno};
use nix::errno::Errno as Libc;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::getpid;
use zerocopy::IntoBytes as _;

/// Most elements that an array argument may have.
const MAX_ELEMENTS: u32 = 1 << 16;

/// Access to the memory of this process by address.
#[derive(Debug, Default)]
pub struct UserMemory {
    /// `/proc/self/mem`: for hosts whose sandbox forbids `process_vm_readv`.
    fallback: OnceLock<Option<File>>,
}

impl UserMemory {
    fn fallback(&self) -> Option<&File> {
        let open = || OpenOptions::new().read(true).write(true).open("/proc/self/mem").ok();
        self.fallback.get_or_init(open).as_ref()
    }

    /// Copies bytes from `addr`.
    pub fn read(&self, addr: u64, out: &mut [u8]) -> Result<(), Errno> {
        let len = out.len();
        if len == 0 {
            return Ok(());
        }
        let remote = [RemoteIoVec { base: usize::try_from(addr).map_err(|_| Errno::EFAULT)?, len }];
        let done = match process_vm_readv(getpid(), &mut [IoSliceMut::new(out)], &remote) {
            Err(Libc::EPERM | Libc::ENOSYS) => {
                self.fallback().ok_or(Errno::EFAULT)?.read_exact_at(out, addr).map(|()| len).unwrap_or(0)
            }
            other => other.unwrap_or(0),
        };
        if done == len { Ok(()) } else { Err(Errno::EFAULT) }
    }

    /// Copies bytes to `addr`.
    pub fn write(&self, addr: u64, bytes: &[u8]) -> Result<(), Errno> {
        let len = bytes.len();
        if len == 0 {
            return Ok(());
        }
        let remote = [RemoteIoVec { base: usize::try_from(addr).map_err(|_| Errno::EFAULT)?, len }];
        let done = match process_vm_writev(getpid(), &[IoSlice::new(bytes)], &remote) {
            Err(Libc::EPERM | Libc::ENOSYS) => {
                self.fallback().ok_or(Errno::EFAULT)?.write_all_at(bytes, addr).map(|()| len).unwrap_or(0)
            }
            other => other.unwrap_or(0),
        };
        if done == len { Ok(()) } else { Err(Errno::EFAULT) }
    }

    /// Reads an array of `count` elements.
    pub fn read_array<A: Arg>(&self, addr: u64, count: u32) -> Result<Vec<A>, Errno> {
        if count > MAX_ELEMENTS {
            return Err(Errno::EINVAL);
        }
        let mut out = vec![A::new_zeroed(); count as usize];
        self.read(addr, out.as_mut_slice().as_mut_bytes())?;
        Ok(out)
    }

    /// Writes an array.
    pub fn write_array<A: Arg>(&self, addr: u64, values: &[A]) -> Result<(), Errno> {
        self.write(addr, values.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_addresses_are_efault() {
        let memory = UserMemory::default();
        let here = [1u32, 2, 3];
        assert_eq!(memory.read_array::<u32>(here.as_ptr().expose_provenance() as u64, 3).unwrap(), here);
        assert_eq!(memory.read(0, &mut [0; 4]), Err(Errno::EFAULT));
        assert_eq!(memory.read(u64::MAX - 1, &mut [0; 4]), Err(Errno::EFAULT));
        assert_eq!(memory.write(16, &[0; 4]), Err(Errno::EFAULT));
        assert_eq!(memory.read_array::<u64>(0, u32::MAX), Err(Errno::EINVAL));
    }
}
