//! Shared virtual memory: attributes of address ranges. The ioctl's argument ends in an array, whose length is added to
//! the size in the request word: use [`call`].

use zerocopy::{FromBytes as _, IntoBytes as _};

use crate::{Errno, Ioctl as _, Kfd, ioctl};

bitflags::bitflags! {
    /// `KFD_IOCTL_SVM_FLAG_*`
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct SvmFlags: u32 {
        /// The host can reach it, always.
        const HOST_ACCESS = 1 << 0;
        /// Fine-grained coherency between all devices.
        const COHERENT = 1 << 1;
        /// Any GPU of the hive will do.
        const HIVE_LOCAL = 1 << 2;
        /// GPUs only read.
        const GPU_RO = 1 << 3;
        /// Holds instructions.
        const GPU_EXEC = 1 << 4;
        /// GPUs mostly read.
        const GPU_READ_MOSTLY = 1 << 5;
        /// Mapped at all times, as without XNACK.
        const GPU_ALWAYS_MAPPED = 1 << 6;
        /// Coherent beyond one GPU (newer kernels).
        const EXT_COHERENT = 1 << 7;
    }
}

abi_value! {
    /// `enum kfd_ioctl_svm_op`
    pub struct SvmOp {
        SET_ATTR = 0, "Set attributes of a range.";
        GET_ATTR = 1, "Ask for those of a range.";
    }
}

abi_value! {
    /// `enum kfd_ioctl_svm_attr_type`
    pub struct SvmAttrType {
        PREFERRED_LOC = 0, "GPU ID where the range should live; 0 is the host.";
        PREFETCH_LOC = 1, "GPU ID to move the range to at once.";
        ACCESS = 2, "GPU ID that may reach it, after moving it if need be.";
        ACCESS_IN_PLACE = 3, "GPU ID that may reach it where it is.";
        NO_ACCESS = 4, "GPU ID that may not reach it.";
        SET_FLAGS = 5, "Flags to set.";
        CLR_FLAGS = 6, "Flags to clear.";
        GRANULARITY = 7, "Pages to move at once, as a power of two.";
    }
}

/// `KFD_IOCTL_SVM_LOCATION_UNDEFINED`
pub const LOCATION_UNDEFINED: u32 = u32::MAX;

abi_struct! {
    /// One attribute.
    pub struct SvmAttribute = "kfd_ioctl_svm_attribute", 8 bytes {
        0 => r#type: SvmAttrType = "which";
        4 => value: u32 = "its value";
    }
}

abi_struct! {
    /// A range, and how many [`SvmAttribute`]s follow.
    pub struct SvmArgs = "kfd_ioctl_svm_args", 24 bytes {
        0 => start_addr: u64 = "in";
        8 => size: u64 = "in: bytes";
        16 => op: SvmOp = "in";
        20 => nattr: u32 = "in: attributes that follow";
    }
}

/// Issues the ioctl for a range; with [`SvmOp::GET_ATTR`] the values come back in `attributes`.
pub fn call(
    kfd: &dyn Kfd,
    start: u64,
    size: u64,
    op: SvmOp,
    attributes: &mut [SvmAttribute],
) -> Result<(), Errno> {
    let nattr = u32::try_from(attributes.len()).map_err(|_| Errno::EINVAL)?;
    let mut bytes = SvmArgs { start_addr: start, size, op, nattr }.as_bytes().to_vec();
    bytes.extend_from_slice(attributes.as_bytes());
    if bytes.len() > 0x3fff {
        return Err(Errno::EINVAL);
    }
    kfd.ioctl(ioctl::request(SvmArgs::INFO.direction, SvmArgs::INFO.nr, bytes.len()), &mut bytes)?;
    attributes.as_mut_bytes().copy_from_slice(&bytes[size_of::<SvmArgs>()..]);
    Ok(())
}

/// The attributes behind the head, for a device. As many as the head says and the bytes hold.
pub fn attributes(bytes: &[u8]) -> Vec<SvmAttribute> {
    let head: SvmArgs = crate::read_arg(bytes);
    bytes
        .get(size_of::<SvmArgs>()..)
        .unwrap_or_default()
        .chunks_exact(size_of::<SvmAttribute>())
        .take(head.nattr as usize)
        .filter_map(|chunk| SvmAttribute::read_from_bytes(chunk).ok())
        .collect()
}
