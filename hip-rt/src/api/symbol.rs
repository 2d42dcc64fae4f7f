//! Variables of device code, by the address of their host shadow.

use super::copy;
use crate::error::Result;
use crate::ffi::Out;
use crate::state::{self, state};
use crate::stream::resolve_spt;
use hip_sys::{hipError_t, hipMemcpyKind, hipStream_t};
use std::ffi::c_void;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

fn locate(symbol: ConstPtr) -> Result<(u64, u64)> {
    state().registry.variable(symbol.addr())?.on(state::current_device()?)
}

/// The place in a symbol that a copy of `size` bytes at `offset` touches.
fn part(symbol: ConstPtr, size: usize, offset: usize) -> Result<Ptr> {
    let (address, whole) = locate(symbol)?;
    let end = offset.checked_add(size).ok_or(hipError_t::INVALID_VALUE)?;
    if end as u64 > whole {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(std::ptr::with_exposed_provenance_mut((address + offset as u64) as usize))
}

pub fn address(address: Out<Ptr>, symbol: ConstPtr) -> Result {
    address.set(part(symbol, 0, 0)?)
}

pub fn size(size: Out<usize>, symbol: ConstPtr) -> Result {
    size.set(locate(symbol)?.1 as usize)
}

fn direction(kind: hipMemcpyKind, allowed: [hipMemcpyKind; 2]) -> Result {
    if kind == hipMemcpyKind::DEFAULT || allowed.contains(&kind) {
        Ok(())
    } else {
        Err(hipError_t::INVALID_MEMCPY_DIRECTION)
    }
}

const TO: [hipMemcpyKind; 2] = [hipMemcpyKind::HOST_TO_DEVICE, hipMemcpyKind::DEVICE_TO_DEVICE];
const FROM: [hipMemcpyKind; 2] = [hipMemcpyKind::DEVICE_TO_HOST, hipMemcpyKind::DEVICE_TO_DEVICE];

/// The place in a symbol that a copy reads.
pub fn source(symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result<Ptr> {
    direction(kind, FROM)?;
    part(symbol, size, offset)
}

/// The place in a symbol that a copy writes.
pub fn destination(symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result<Ptr> {
    direction(kind, TO)?;
    part(symbol, size, offset)
}

pub fn copy_to(symbol: ConstPtr, from: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result {
    copy::linear(destination(symbol, size, offset, kind)?, from, size, kind)
}

pub fn copy_to_spt(
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    copy::linear_spt(destination(symbol, size, offset, kind)?, from, size, kind)
}

pub fn copy_to_async(
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    copy::linear_async(destination(symbol, size, offset, kind)?, from, size, kind, stream)
}

pub fn copy_to_async_spt(
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    copy_to_async(symbol, from, size, offset, kind, resolve_spt(stream))
}

pub fn copy_from(to: Ptr, symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result {
    copy::linear(to, source(symbol, size, offset, kind)?, size, kind)
}

pub fn copy_from_spt(to: Ptr, symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result {
    copy::linear_spt(to, source(symbol, size, offset, kind)?, size, kind)
}

pub fn copy_from_async(
    to: Ptr,
    symbol: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    copy::linear_async(to, source(symbol, size, offset, kind)?, size, kind, stream)
}

pub fn copy_from_async_spt(
    to: Ptr,
    symbol: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    copy_from_async(to, symbol, size, offset, kind, resolve_spt(stream))
}
