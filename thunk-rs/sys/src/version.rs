//! The version of the interface.

/// The major version that this crate describes; another one is another interface.
pub const MAJOR: u32 = 1;

abi_struct! {
    /// Version of KFD's interface: [`MAJOR`] must match, minors only add.
    pub struct GetVersionArgs = "kfd_ioctl_get_version_args", 8 bytes {
        0 => major_version: u32 = "out";
        4 => minor_version: u32 = "out";
    }
}
