//! Events.

use crate::error::{Result, reported};
use crate::event::resolve;
use crate::ffi::Out;
use crate::{state, stream};
use hip_sys::{EventFlags, hipError_t, hipEvent_t, hipStream_t};
use rocr_rs::Signal;
use std::ffi::c_uint;

pub fn create(event: Out<hipEvent_t>) -> Result {
    create_with_flags(event, 0)
}

pub fn create_with_flags(event: Out<hipEvent_t>, flags: c_uint) -> Result {
    use EventFlags as F;
    let known = F::BLOCKING_SYNC.0
        | F::DISABLE_TIMING.0
        | F::INTERPROCESS.0
        | F::RELEASE_TO_DEVICE.0
        | F::RELEASE_TO_SYSTEM.0;
    let scopes = F(F::RELEASE_TO_DEVICE.0 | F::RELEASE_TO_SYSTEM.0);
    if event.is_null() || flags & !known != 0 || F(flags).has(scopes) {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (hip, device) = (state::hip()?, state::current_device()?.ordinal);
    if !F(flags).has(F::INTERPROCESS) {
        return event.set(hip.events.add(F(flags), device, None));
    }
    let shared = Signal::new_shared(&hip.runtime, 0)
        .map_err(|error| reported("hipEventCreateWithFlags: signal of several processes", &error))?;
    // Its time is no other process's business.
    event.set(hip.events.add(F(flags | F::DISABLE_TIMING.0), device, Some(shared)))
}

pub fn destroy(event: hipEvent_t) -> Result {
    state::hip()?.events.remove(event).map(|_| ()).ok_or(hipError_t::INVALID_RESOURCE_HANDLE)
}

pub fn record(event: hipEvent_t, handle: hipStream_t) -> Result {
    resolve(event)?.record(&stream::resolve(handle)?)
}

pub fn record_spt(event: hipEvent_t, handle: hipStream_t) -> Result {
    record(event, stream::resolve_spt(handle))
}

pub fn record_with_flags(event: hipEvent_t, handle: hipStream_t, flags: c_uint) -> Result {
    if flags > 1 {
        return Err(hipError_t::INVALID_VALUE);
    }
    record(event, handle)
}

pub fn synchronize(event: hipEvent_t) -> Result {
    resolve(event)?.synchronize()
}

pub fn query(event: hipEvent_t) -> Result {
    crate::graph::refuse_in_capture()?;
    resolve(event)?.query()
}

pub fn elapsed_time(milliseconds: Out<f32>, start: hipEvent_t, stop: hipEvent_t) -> Result {
    if milliseconds.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    milliseconds.set(resolve(start)?.milliseconds_to(&*resolve(stop)?)?)
}
