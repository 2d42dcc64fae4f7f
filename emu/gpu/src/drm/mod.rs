//! Ioctls of a render node (`drm_ioctl.c`, `amdgpu_kms.c`): what `libdrm_amdgpu` asks before it accepts a device.
//!
//! Command submission and contexts are not here: compute goes through KFD.

mod gem;
mod info;

pub(crate) use gem::Gem;

use kfd_sys::{Errno, ioctl};

use crate::kfd::{Device, Process};

/// `DRM_IOCTL_BASE`
const BASE: u32 = b'd' as u32;
/// Numbers of the calls, with `DRM_COMMAND_BASE` added for those of the driver.
const VERSION: u32 = 0x00;
const GET_CLIENT: u32 = 0x05;
const GEM_CLOSE: u32 = 0x09;
const GET_CAP: u32 = 0x0c;
const PRIME_HANDLE_TO_FD: u32 = 0x2d;
const PRIME_FD_TO_HANDLE: u32 = 0x2e;
const GEM_CREATE: u32 = 0x40;
const GEM_MMAP: u32 = 0x41;
const AMDGPU_INFO: u32 = 0x45;
const GEM_METADATA: u32 = 0x46;
const GEM_WAIT_IDLE: u32 = 0x47;
const GEM_VA: u32 = 0x48;
const GEM_OP: u32 = 0x50;

type Handler = fn(&Process, &Device, &mut [u8]) -> Result<(), Errno>;

const HANDLERS: &[(u32, Handler)] = &[
    (VERSION, version),
    (GET_CLIENT, get_client),
    (GEM_CLOSE, gem::close),
    (GET_CAP, get_cap),
    (PRIME_HANDLE_TO_FD, gem::to_descriptor),
    (PRIME_FD_TO_HANDLE, gem::from_descriptor),
    (GEM_CREATE, gem::create),
    (GEM_MMAP, gem::mmap),
    (AMDGPU_INFO, info::info),
    (GEM_METADATA, gem::metadata),
    (GEM_WAIT_IDLE, gem::wait_idle),
    (GEM_VA, gem::va),
    (GEM_OP, gem::op),
];

/// A call on the render node of that minor.
pub(crate) fn ioctl(process: &Process, minor: u32, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
    // A child of `fork` has a copy of what is here, and the memory itself in common with its parent.
    process.check_owner()?;
    let device = process.devices.iter().find(|device| device.minor == minor).ok_or(Errno::ENODEV)?;
    if ioctl::base(request) != BASE {
        return Err(Errno::ENOTTY);
    }
    let nr = ioctl::nr(request);
    let result = match HANDLERS.iter().find(|(number, _)| *number == nr) {
        Some((_, handler)) => handler(process, device, arg),
        None => Err(Errno::EINVAL),
    };
    tracing::trace!(target: "amdgpu_emu::ioctl", "drm {nr:#04x} on renderD{minor} -> {}", Shown(&result));
    result
}

/// A result as traces have it.
pub(crate) struct Shown<'a>(pub(crate) &'a Result<(), Errno>);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Ok(()) => f.write_str("0"),
            Err(errno) => write!(f, "{errno:?}"),
        }
    }
}

/// The word at a byte offset; 0 beyond the end.
fn word(arg: &[u8], offset: usize) -> u32 {
    let bytes = arg.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

fn long(arg: &[u8], offset: usize) -> u64 {
    u64::from(word(arg, offset)) | u64::from(word(arg, offset + 4)) << 32
}

/// Writes bytes at an offset, if there is room.
fn put(arg: &mut [u8], offset: usize, bytes: &[u8]) {
    if let Some(room) = arg.get_mut(offset..offset + bytes.len()) {
        room.copy_from_slice(bytes);
    }
}

/// `struct drm_version`: three numbers, then three strings as length and pointer. A string is cut to the room that the
/// caller has; the length that goes back is the whole one.
fn version(process: &Process, _: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    for (offset, number) in [(0, info::DRIVER_MAJOR), (4, info::DRIVER_MINOR), (8, 0)] {
        put(arg, offset, &number.to_le_bytes());
    }
    for (offset, text) in [(16, "amdgpu"), (32, "20150101"), (48, "AMD GPU")] {
        let room = usize::try_from(long(arg, offset)).unwrap_or(usize::MAX);
        let pointer = long(arg, offset + 8);
        if pointer != 0 {
            process.user.write(pointer, &text.as_bytes()[..text.len().min(room)])?;
        }
        put(arg, offset, &(text.len() as u64).to_le_bytes());
    }
    Ok(())
}

/// `struct drm_client`: whoever has a render node open is as good as authenticated.
fn get_client(_: &Process, _: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    if word(arg, 0) != 0 {
        return Err(Errno::EINVAL);
    }
    put(arg, 4, &1u32.to_le_bytes());
    put(arg, 8, &u64::from(std::process::id()).to_le_bytes());
    Ok(())
}

/// `struct drm_get_cap`: of all capabilities a render node has dma-bufs, both ways, and time stamps.
fn get_cap(_: &Process, _: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    const PRIME: u64 = 5;
    const TIMESTAMP_MONOTONIC: u64 = 6;
    const KNOWN: u64 = 0x15;
    let capability = long(arg, 0);
    if capability > KNOWN {
        return Err(Errno::EINVAL);
    }
    let value: u64 = match capability {
        PRIME => 3,
        TIMESTAMP_MONOTONIC => 1,
        _ => 0,
    };
    put(arg, 8, &value.to_le_bytes());
    Ok(())
}
