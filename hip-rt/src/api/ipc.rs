//! Memory of other processes.

use crate::allocation::Kind;
use crate::error::{Result, report, reported};
use crate::ffi::Out;
use crate::state;
use hip_sys::{hipError_t, hipIpcMemHandle_t};
use rocr_rs::SharedMemory;
use std::ffi::{c_uint, c_void};

type Ptr = *mut c_void;

/// Where a handle has what: the HSA runtime's handle, the bytes of the memory, the process.
const WORDS: usize = 8;
const SIZE: std::ops::Range<usize> = 32..40;
const OFFSET: std::ops::Range<usize> = 40..48;
const PROCESS: std::ops::Range<usize> = 48..52;

fn word<const N: usize>(handle: &hipIpcMemHandle_t, range: std::ops::Range<usize>) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&handle.reserved[range]);
    bytes
}

pub fn get_memory(out: Out<hipIpcMemHandle_t>, pointer: Ptr) -> Result {
    if out.is_null() || pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let address = pointer.expose_provenance() as u64;
    let found = state::hip()?.allocations.find(address).filter(|allocation| allocation.is_on_device());
    let allocation = found.ok_or(hipError_t::INVALID_DEVICE_POINTER)?;
    let shared = allocation.share().ok_or(hipError_t::INVALID_DEVICE_POINTER)?;
    let shared = shared.map_err(|error| reported("hipIpcGetMemHandle", &error))?;
    let mut handle = hipIpcMemHandle_t { reserved: [0; 64] };
    for (bytes, word) in handle.reserved.chunks_exact_mut(4).zip(shared.words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    handle.reserved[SIZE].copy_from_slice(&(allocation.size as u64).to_le_bytes());
    handle.reserved[OFFSET].copy_from_slice(&(address - allocation.base).to_le_bytes());
    handle.reserved[PROCESS].copy_from_slice(&std::process::id().to_le_bytes());
    out.set(handle)
}

pub fn open_memory(out: Out<Ptr>, handle: hipIpcMemHandle_t, flags: c_uint) -> Result {
    // `hipIpcMemLazyEnablePeerAccess` is 0 in HIP 5 and 1 later.
    if out.is_null() || flags > 1 {
        return Err(hipError_t::INVALID_VALUE);
    }
    if u32::from_le_bytes(word(&handle, PROCESS)) == std::process::id() {
        return Err(hipError_t::INVALID_CONTEXT);
    }
    let hip = state::hip()?;
    let device = state::current_device()?;
    let words: [u32; WORDS] = std::array::from_fn(|at| u32::from_le_bytes(word(&handle, at * 4..at * 4 + 4)));
    let (size, offset) = (u64::from_le_bytes(word(&handle, SIZE)), u64::from_le_bytes(word(&handle, OFFSET)));
    let attached = hip.runtime.attach(&SharedMemory { words }, &[]);
    let (memory, part) = attached.map_err(|error| {
        report(format_args!("hipIpcOpenMemHandle: {error}"));
        hipError_t::MAP_BUFFER_OBJECT_FAILED
    })?;
    let size = usize::try_from(size).ok().filter(|size| *size <= memory.size());
    let size = size.ok_or(hipError_t::INVALID_VALUE)?;
    let start =
        offset.checked_add(part).filter(|start| *start < size as u64).ok_or(hipError_t::INVALID_VALUE)?;
    let allocation = hip.allocations.add(memory, None, size, Kind::Attached, device.ordinal, 0);
    out.set(std::ptr::with_exposed_provenance_mut((allocation.base + start) as usize))
}

pub fn close_memory(pointer: Ptr) -> Result {
    if pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    crate::tls::may_wait()?;
    let hip = state::hip()?;
    let found = hip.allocations.find(pointer.expose_provenance() as u64);
    let base = found.filter(|allocation| allocation.kind == Kind::Attached).map(|allocation| allocation.base);
    let base = base.ok_or(hipError_t::INVALID_VALUE)?;
    for device in &hip.devices {
        device.drain();
    }
    hip.allocations.remove(base);
    Ok(())
}
