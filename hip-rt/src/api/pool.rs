//! Memory pools, and memory from them.

use super::memory;
use crate::error::Result;
use crate::ffi::{self, In, Out};
use crate::pool::Pool;
use crate::state;
use crate::stream::resolve;
use hip_sys::{
    hipError_t, hipMemAccessDesc, hipMemAccessFlags, hipMemAllocationHandleType, hipMemAllocationType,
    hipMemLocation, hipMemLocationType, hipMemPool_t, hipMemPoolAttr, hipMemPoolProps, hipStream_t,
};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

type Ptr = *mut c_void;

fn handle(pool: &Arc<Pool>) -> hipMemPool_t {
    hipMemPool_t::from_bits(pool.handle)
}

fn get(pool: hipMemPool_t) -> Result<Arc<Pool>> {
    state::hip()?.pools.get(pool.bits())
}

fn ordinal(device: c_int) -> Result<usize> {
    Ok(state::hip()?.device_of(device)?.ordinal)
}

pub fn default(pool: Out<hipMemPool_t>, device: c_int) -> Result {
    if pool.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    pool.set(handle(&state::hip()?.pools.of_device(ordinal(device)?).0))
}

pub fn current(pool: Out<hipMemPool_t>, device: c_int) -> Result {
    if pool.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    pool.set(handle(&state::hip()?.pools.of_device(ordinal(device)?).1))
}

pub fn set_current(device: c_int, pool: hipMemPool_t) -> Result {
    crate::graph::refuse_in_capture()?;
    let (device, pool) = (ordinal(device)?, get(pool)?);
    if pool.device != device {
        return Err(hipError_t::INVALID_VALUE);
    }
    state::hip()?.pools.set_current(device, pool);
    Ok(())
}

pub fn create(pool: Out<hipMemPool_t>, props: In<hipMemPoolProps>) -> Result {
    crate::graph::refuse_in_capture()?;
    let props = props.get()?;
    if pool.is_null()
        || props.allocType != hipMemAllocationType::PINNED
        || props.location.type_ != hipMemLocationType::DEVICE
    {
        return Err(hipError_t::INVALID_VALUE);
    }
    let device = ordinal(props.location.id).map_err(|_| hipError_t::INVALID_VALUE)?;
    pool.set(handle(&state::hip()?.pools.create(device)))
}

pub fn destroy(pool: hipMemPool_t) -> Result {
    crate::graph::refuse_in_capture()?;
    state::hip()?.pools.destroy(pool.bits())
}

pub fn trim(pool: hipMemPool_t, _: usize) -> Result {
    // A pool keeps nothing: what is freed goes to its device, which keeps little.
    let pool = get(pool)?;
    state::hip()?.device(pool.device)?.recycler.give_back();
    Ok(())
}

pub fn get_attribute(pool: hipMemPool_t, attribute: hipMemPoolAttr, value: Ptr) -> Result {
    if value.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (found, bytes) = get(pool)?.attribute(attribute)?;
    ffi::write_bytes(value.expose_provenance() as u64, &found.to_le_bytes()[..bytes]);
    Ok(())
}

pub fn set_attribute(pool: hipMemPool_t, attribute: hipMemPoolAttr, value: Ptr) -> Result {
    get(pool)?.set_attribute(attribute, |bytes| {
        let mut word = [0; 8];
        if ffi::read_bytes(value, &mut word[..bytes]) {
            Ok(u64::from_le_bytes(word))
        } else {
            Err(hipError_t::INVALID_VALUE)
        }
    })
}

pub fn set_access(pool: hipMemPool_t, list: In<hipMemAccessDesc>, count: usize) -> Result {
    let pool = get(pool)?;
    for index in 0..count {
        let wanted = list.at(index)?;
        let device = location(&wanted.location)?;
        let known =
            [hipMemAccessFlags::PROT_NONE, hipMemAccessFlags::PROT_READ, hipMemAccessFlags::PROT_READ_WRITE];
        // A device has access to memory of its own always.
        let own = device == pool.device && wanted.flags == hipMemAccessFlags::PROT_NONE;
        if !known.contains(&wanted.flags) || own {
            return Err(hipError_t::INVALID_VALUE);
        }
    }
    if count == 0 { Err(hipError_t::INVALID_VALUE) } else { Ok(()) }
}

fn location(location: &hipMemLocation) -> Result<usize> {
    if location.type_ != hipMemLocationType::DEVICE {
        return Err(hipError_t::INVALID_VALUE);
    }
    ordinal(location.id).map_err(|_| hipError_t::INVALID_VALUE)
}

pub fn get_access(flags: Out<hipMemAccessFlags>, pool: hipMemPool_t, at: In<hipMemLocation>) -> Result {
    get(pool)?;
    location(&at.get()?)?;
    // Every device of a process has access to what another has.
    flags.set(hipMemAccessFlags::PROT_READ_WRITE)
}

pub fn malloc(out: Out<Ptr>, size: usize, pool: hipMemPool_t, stream: hipStream_t) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let pool = get(pool)?;
    resolve(stream)?.must_not_capture()?;
    if size == 0 {
        return out.set(std::ptr::null_mut());
    }
    out.set(memory::from_pool(&pool, size)?)
}

pub fn export(handle: Ptr, pool: hipMemPool_t, _: hipMemAllocationHandleType, _: std::ffi::c_uint) -> Result {
    get(pool)?;
    if handle.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    crate::error::report(
        "a memory pool goes to no other process: hipIpcGetMemHandle and hipMemExportToShareableHandle do",
    );
    Err(hipError_t::NOT_SUPPORTED)
}
