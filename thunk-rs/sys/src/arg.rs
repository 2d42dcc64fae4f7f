//! An ioctl's argument as bytes and as a struct, with KFD's rule for lengths.
//!
//! `kfd_ioctl()` in `amdkfd/kfd_chardev.c` takes a struct of any length: what the caller did not send reads as zero,
//! and only as much is copied back as the caller has room for. That is how the two sides can be of different ages.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Anything that can stand at the far end of an ioctl: plain bytes, every bit pattern valid, no padding.
pub trait Arg: FromBytes + IntoBytes + Immutable + KnownLayout + Copy + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout + Copy + 'static> Arg for T {}

/// The struct that `bytes` begin with; what is missing at the end is zero.
pub fn read_arg<A: Arg>(bytes: &[u8]) -> A {
    let mut arg = A::new_zeroed();
    let room = arg.as_mut_bytes();
    let len = room.len().min(bytes.len());
    room[..len].copy_from_slice(&bytes[..len]);
    arg
}

/// Writes `arg` to the front of `bytes`, as much as fits. The rest of `bytes` is left alone.
pub fn write_arg<A: Arg>(arg: &A, bytes: &mut [u8]) {
    let from = arg.as_bytes();
    let len = from.len().min(bytes.len());
    bytes[..len].copy_from_slice(&from[..len]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{CreateQueueArgs, CreateQueueArgs117};

    #[test]
    fn a_shorter_argument_reads_as_zero_extended() {
        let old = CreateQueueArgs { ring_size: 4096, ctl_stack_size: 7, ..Default::default() };
        let new: CreateQueueArgs117 = read_arg(old.as_bytes());
        assert_eq!(new.base, old);
        assert_eq!(new.sdma_engine_id, 0);
    }

    #[test]
    fn a_longer_argument_is_cut_and_the_rest_kept() {
        let mut bytes = [0xaa; 96];
        write_arg(&CreateQueueArgs::default(), &mut bytes);
        assert_eq!(bytes[..88], [0; 88]);
        assert_eq!(bytes[88..], [0xaa; 8]);
    }
}
