//! The amdkfd kernel boundary: uapi structs, the ioctl table and the [`Kfd`] trait.
//!
//! Answers to `include/uapi/linux/kfd_ioctl.h`. No behaviour lives here: the thunk above and a device below meet in
//! these types.

mod errno;
mod kfd;

pub use errno::Errno;
pub use kfd::{DeviceFile, Kfd, Prot};
