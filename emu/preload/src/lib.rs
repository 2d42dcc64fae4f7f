//! `libkfd_preload.so`: the emulated KFD for a process that we did not write.
//!
//! `LD_PRELOAD` puts the functions of `hooks/` before those of the C library. Each looks at its path or descriptor:
//! what is not the device's goes to the C library's function of that name, untouched. What is the device's goes
//! - as a path in sysfs or `/dev`, to a tree of files made beforehand (`amdgpu_emu::tree`), with a prefix;
//! - as a device file, to a descriptor of `/dev/null` that is remembered ([`files`]) and holds the number;
//! - as `ioctl` or `mmap` on such a descriptor, to the emulated GPU of this process ([`state`]).
//!
//! Functions that the C library has since 2.33 only (`stat` and its like) are found under their old names in older ones.
//! Look-ups by `dlsym` are served on x86-64 only.
//!
//! Variables: `ROCRS_EMU_GPUS`, `ROCRS_EMU_ROOT`, `ROCRS_EMU_TRACE_IOCTL` and those of [`amdgpu_emu::Options`].
//! Nothing here ends the host process: what cannot be done is an errno.

#[cfg(not(test))]
mod device;
mod files;
#[cfg(not(test))]
mod hooks;
#[cfg_attr(
    test,
    allow(dead_code, reason = "without the hooks nobody calls all of the C library's functions")
)]
mod original;
mod place;
#[cfg(not(test))]
mod say;
#[cfg(not(test))]
mod state;
#[cfg(not(test))]
mod trace;
