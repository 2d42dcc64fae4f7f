//! Streams.

use crate::error::Result;
use crate::ffi::{self, In, Kept, Out};
use crate::stream::{resolve, resolve_spt};
use crate::work::Work;
use crate::{event, state, tls};
use hip_sys::{
    INVALID_DEVICE_ID, StreamFlags, hipDevice_t, hipError_t, hipEvent_t, hipHostFn_t, hipHostNodeParams,
    hipStream_t, hipStreamCallback_t,
};
use std::ffi::{c_int, c_uint, c_void};
use std::time::Duration;

type Ptr = *mut c_void;

/// Words of the longest mask of compute units that is read.
const MOST_MASK_WORDS: usize = 64;

pub fn create(stream: Out<hipStream_t>) -> Result {
    create_with_priority(stream, 0, 0)
}

pub fn create_with_flags(stream: Out<hipStream_t>, flags: c_uint) -> Result {
    create_with_priority(stream, flags, 0)
}

pub fn create_with_priority(stream: Out<hipStream_t>, flags: c_uint, priority: c_int) -> Result {
    if stream.is_null() || flags & !StreamFlags::NON_BLOCKING.0 != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let created = state::current_device()?.create_stream(StreamFlags(flags), priority.clamp(-1, 1));
    stream.set(state::hip()?.streams.add(created))
}

pub fn create_with_cu_mask(stream: Out<hipStream_t>, words: c_uint, mask: In<u32>) -> Result {
    if stream.is_null() {
        return Err(hipError_t::INVALID_HANDLE);
    }
    if words == 0 || mask.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let created = state::current_device()?.create_stream(StreamFlags::DEFAULT, 0);
    // More words than a device can have are not looked at.
    let words: Vec<u32> =
        (0..(words as usize).min(MOST_MASK_WORDS)).map(|at| mask.at(at)).collect::<Result<_>>()?;
    created.set_cu_mask(&words)?;
    stream.set(state::hip()?.streams.add(created))
}

pub fn cu_mask(stream: hipStream_t, words: c_uint, mask: Out<u32>) -> Result {
    let wanted = resolve(stream)?.cu_mask()?;
    if mask.is_null() || (words as usize) < wanted.len() {
        return Err(hipError_t::INVALID_VALUE);
    }
    mask.set_all(&wanted)
}

pub fn destroy(stream: hipStream_t) -> Result {
    if matches!(stream, hipStream_t::NULL | hipStream_t::LEGACY | hipStream_t::PER_THREAD) {
        return Err(hipError_t::INVALID_RESOURCE_HANDLE);
    }
    tls::may_wait()?;
    let stream = state::hip()?.streams.remove(stream).ok_or(hipError_t::CONTEXT_IS_DESTROYED)?;
    stream.retire();
    Ok(())
}

pub fn synchronize(stream: hipStream_t) -> Result {
    resolve(stream)?.synchronize_with_others()
}

pub fn synchronize_spt(stream: hipStream_t) -> Result {
    synchronize(resolve_spt(stream))
}

pub fn query(stream: hipStream_t) -> Result {
    resolve(stream)?.query()
}

pub fn query_spt(stream: hipStream_t) -> Result {
    query(resolve_spt(stream))
}

pub fn wait_event(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> Result {
    if event == hipEvent_t::NULL {
        return Err(hipError_t::INVALID_RESOURCE_HANDLE);
    }
    if flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    event::resolve(event)?.block(&resolve(stream)?)
}

pub fn wait_event_spt(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> Result {
    wait_event(resolve_spt(stream), event, flags)
}

pub fn flags(stream: hipStream_t, flags: Out<c_uint>) -> Result {
    flags.set(resolve(stream)?.flags().0)
}

pub fn flags_spt(stream: hipStream_t, out: Out<c_uint>) -> Result {
    flags(resolve_spt(stream), out)
}

pub fn priority(stream: hipStream_t, priority: Out<c_int>) -> Result {
    priority.set(resolve(stream)?.priority())
}

pub fn priority_spt(stream: hipStream_t, out: Out<c_int>) -> Result {
    priority(resolve_spt(stream), out)
}

pub fn device(stream: hipStream_t, device: Out<hipDevice_t>) -> Result {
    device.set(resolve(stream)?.device()?.ordinal as hipDevice_t)
}

pub fn device_id(stream: hipStream_t) -> c_int {
    resolve(stream)
        .and_then(|stream| stream.device())
        .map_or(INVALID_DEVICE_ID, |device| device.ordinal as c_int)
}

pub fn add_callback(handle: hipStream_t, callback: hipStreamCallback_t, data: Ptr, flags: c_uint) -> Result {
    if callback.is_none() || flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (bits, data) = (handle.bits(), data.expose_provenance());
    let stream = resolve(handle)?;
    stream.must_not_capture()?;
    stream.host(false, move |status| {
        tls::as_callback(|| {
            ffi::call_stream_callback(callback, hipStream_t::from_bits(bits), status, data);
        });
    })
}

pub fn add_callback_spt(
    stream: hipStream_t,
    callback: hipStreamCallback_t,
    data: Ptr,
    flags: c_uint,
) -> Result {
    add_callback(resolve_spt(stream), callback, data, flags)
}

pub fn host_function(stream: hipStream_t, function: hipHostFn_t, data: Ptr) -> Result {
    if function.is_none() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let node = hipHostNodeParams { fn_: function, userData: data };
    resolve(stream)?.put(Work::Host(Kept::new(node)))
}

pub fn host_function_spt(stream: hipStream_t, function: hipHostFn_t, data: Ptr) -> Result {
    host_function(resolve_spt(stream), function, data)
}

fn write_value(stream: hipStream_t, address: Ptr, value: u64, bytes: usize) -> Result {
    if address.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let address = address.expose_provenance() as u64;
    state::hip()?.allocations.check(address, bytes)?;
    let stream = resolve(stream)?;
    stream.must_not_capture()?;
    stream.host(true, move |_| ffi::store(address, value, bytes))
}

pub fn write_value_32(stream: hipStream_t, address: Ptr, value: u32, _: c_uint) -> Result {
    write_value(stream, address, u64::from(value), 4)
}

pub fn write_value_64(stream: hipStream_t, address: Ptr, value: u64, _: c_uint) -> Result {
    write_value(stream, address, value, 8)
}

/// The comparisons of `hipStreamWaitValue`.
fn reached(condition: c_uint, now: u64, value: u64, bytes: usize) -> bool {
    match condition {
        // The difference counts, so that counters may wrap.
        0 if bytes == 4 => (now as u32).wrapping_sub(value as u32) as i32 >= 0,
        0 => now.wrapping_sub(value) as i64 >= 0,
        1 => now == value,
        2 => now & value != 0,
        _ => !(now | value) & (if bytes == 4 { u64::from(u32::MAX) } else { u64::MAX }) != 0,
    }
}

fn wait_value(
    stream: hipStream_t,
    address: Ptr,
    value: u64,
    condition: c_uint,
    mask: u64,
    bytes: usize,
) -> Result {
    if address.is_null() || condition > 3 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let address = address.expose_provenance() as u64;
    state::hip()?.allocations.check(address, bytes)?;
    let stream = resolve(stream)?;
    stream.must_not_capture()?;
    stream.host(false, move |_| {
        let mut nap = Duration::from_micros(1);
        while !reached(condition, ffi::load(address, bytes) & mask, value & mask, bytes) {
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(1));
        }
    })
}

pub fn wait_value_32(stream: hipStream_t, address: Ptr, value: u32, condition: c_uint, mask: u32) -> Result {
    wait_value(stream, address, u64::from(value), condition, u64::from(mask), 4)
}

pub fn wait_value_64(stream: hipStream_t, address: Ptr, value: u64, condition: c_uint, mask: u64) -> Result {
    wait_value(stream, address, value, condition, mask, 8)
}

#[cfg(test)]
mod tests {
    use super::reached;

    #[test]
    fn conditions_of_wait_value() {
        assert!(reached(0, 5, 5, 4) && reached(0, 6, 5, 4) && !reached(0, 4, 5, 4));
        assert!(reached(0, 2, u64::from(u32::MAX), 4));
        assert!(reached(1, 7, 7, 8) && !reached(1, 8, 7, 8));
        assert!(reached(2, 6, 2, 4) && !reached(2, 4, 2, 4));
        assert!(reached(3, 1, 1, 4) && !reached(3, 0xffff_0000, 0xffff, 4));
    }
}
