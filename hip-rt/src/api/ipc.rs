//! Memory and events of other processes.

use crate::allocation::Kind;
use crate::error::{Result, report, reported};
use crate::event::resolve;
use crate::ffi::Out;
use crate::state;
use hip_sys::{EventFlags, hipError_t, hipEvent_t, hipIpcEventHandle_t, hipIpcMemHandle_t};
use rocr_rs::{SharedMemory, Signal};
use std::ffi::{c_uint, c_void};

type Ptr = *mut c_void;

/// Where a handle has what: the HSA runtime's handle, the bytes of the memory, the process.
const WORDS: usize = 8;
const SIZE: std::ops::Range<usize> = 32..40;
const OFFSET: std::ops::Range<usize> = 40..48;
const PROCESS: std::ops::Range<usize> = 48..52;

fn word<const N: usize>(handle: &[u8; 64], range: std::ops::Range<usize>) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&handle[range]);
    bytes
}

/// A handle of this process that holds the HSA runtime's.
fn pack(shared: SharedMemory) -> [u8; 64] {
    let mut handle = [0; 64];
    for (bytes, word) in handle.chunks_exact_mut(4).zip(shared.words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    handle[PROCESS].copy_from_slice(&std::process::id().to_le_bytes());
    handle
}

/// The HSA runtime's handle in one of another process.
fn unpack(handle: &[u8; 64]) -> Result<SharedMemory> {
    if u32::from_le_bytes(word(handle, PROCESS)) == std::process::id() {
        return Err(hipError_t::INVALID_CONTEXT);
    }
    let words: [u32; WORDS] = std::array::from_fn(|at| u32::from_le_bytes(word(handle, at * 4..at * 4 + 4)));
    Ok(SharedMemory { words })
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
    let mut reserved = pack(shared);
    reserved[SIZE].copy_from_slice(&(allocation.size as u64).to_le_bytes());
    reserved[OFFSET].copy_from_slice(&(address - allocation.base).to_le_bytes());
    out.set(hipIpcMemHandle_t { reserved })
}

pub fn open_memory(out: Out<Ptr>, handle: hipIpcMemHandle_t, flags: c_uint) -> Result {
    // `hipIpcMemLazyEnablePeerAccess` is 0 in HIP 5 and 1 later.
    if out.is_null() || flags > 1 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let handle = handle.reserved;
    let shared = unpack(&handle)?;
    let hip = state::hip()?;
    let device = state::current_device()?;
    let (size, offset) = (u64::from_le_bytes(word(&handle, SIZE)), u64::from_le_bytes(word(&handle, OFFSET)));
    let attached = hip.runtime.attach(&shared, &[]);
    let (memory, part) = attached.map_err(|error| {
        report(format_args!("hipIpcOpenMemHandle: {error}"));
        hipError_t::MAP_BUFFER_OBJECT_FAILED
    })?;
    let size = usize::try_from(size).ok().filter(|size| *size <= memory.size());
    let size = size.ok_or(hipError_t::INVALID_VALUE)?;
    let start =
        offset.checked_add(part).filter(|start| *start < size as u64).ok_or(hipError_t::INVALID_VALUE)?;
    let allocation = hip.allocations.add(memory, size, Kind::Attached, device.ordinal, 0);
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

pub fn get_event(out: Out<hipIpcEventHandle_t>, event: hipEvent_t) -> Result {
    if out.is_null() || event == hipEvent_t::NULL {
        return Err(hipError_t::INVALID_VALUE);
    }
    let event = resolve(event)?;
    let signal = event.shared().ok_or(hipError_t::INVALID_CONFIGURATION)?;
    let shared = signal.share().map_err(|error| reported("hipIpcGetEventHandle", &error))?;
    out.set(hipIpcEventHandle_t { reserved: pack(shared) })
}

pub fn open_event(out: Out<hipEvent_t>, handle: hipIpcEventHandle_t) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let shared = unpack(&handle.reserved)?;
    let (hip, device) = (state::hip()?, state::current_device()?.ordinal);
    let signal = Signal::attach(&hip.runtime, &shared).map_err(|error| {
        report(format_args!("hipIpcOpenEventHandle: {error}"));
        hipError_t::INVALID_VALUE
    })?;
    let flags = EventFlags(EventFlags::INTERPROCESS.0 | EventFlags::DISABLE_TIMING.0);
    out.set(hip.events.add(flags, device, Some(signal)))
}
