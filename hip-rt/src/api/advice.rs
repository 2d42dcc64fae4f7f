//! Advice on managed memory, and what is known of a range.

use crate::advice::{Advice, common_access, common_place};
use crate::allocation::{Allocation, Kind};
use crate::error::Result;
use crate::ffi::{self, In};
use crate::state;
use crate::stream::resolve;
use hip_sys::{
    CPU_DEVICE_ID, INVALID_DEVICE_ID, hipError_t, hipMemRangeAttribute, hipMemRangeCoherencyMode,
    hipMemoryAdvise, hipStream_t,
};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

/// Bit 31 of the flags of `hipHostMalloc`: `hipHostMallocNonCoherent`.
const NON_COHERENT: u32 = 1 << 31;

/// Checks a range; none when it is memory of the host that the program has by itself.
pub fn managed_range(pointer: ConstPtr, size: usize) -> Result<Option<Arc<Allocation>>> {
    let (hip, address) = (state::hip()?, pointer.expose_provenance() as u64);
    hip.allocations.check(address, size)?;
    match hip.allocations.find(address) {
        Some(allocation) if allocation.kind != Kind::Managed => Err(hipError_t::INVALID_VALUE),
        found => Ok(found),
    }
}

fn change(pointer: ConstPtr, size: usize, device: c_int, change: impl Fn(&mut Advice)) -> Result {
    if pointer.is_null() || size == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    if device != CPU_DEVICE_ID {
        state::hip()?.device_of(device)?;
    }
    if let Some(allocation) = managed_range(pointer, size)? {
        let offset = pointer.addr() as u64 - allocation.base;
        allocation.advised(|advised| advised.change(offset, size as u64, change));
    }
    Ok(())
}

pub fn prefetch(pointer: ConstPtr, size: usize, device: c_int, stream: hipStream_t) -> Result {
    resolve(stream)?;
    change(pointer, size, device, |advice| advice.prefetched = device)
}

pub fn advise(pointer: ConstPtr, size: usize, advice: hipMemoryAdvise, device: c_int) -> Result {
    if !hipMemoryAdvise::ALL.iter().any(|(known, _)| *known == advice) {
        return Err(hipError_t::INVALID_VALUE);
    }
    crate::graph::refuse_in_capture()?;
    change(pointer, size, device, |page| page.take(advice, device))
}

fn coherency(allocation: &Allocation, on: &[Advice]) -> hipMemRangeCoherencyMode {
    use hipMemRangeCoherencyMode as M;
    let coarse = match allocation.kind {
        Kind::Managed => {
            let coarse = on.iter().filter(|advice| advice.coarse).count();
            if coarse != 0 && coarse != on.len() {
                return M::INDETERMINATE;
            }
            coarse != 0
        }
        Kind::Host | Kind::Registered => allocation.flags & NON_COHERENT != 0,
        Kind::FineGrained => false,
        Kind::Device | Kind::Attached | Kind::Mapped => true,
    };
    if coarse { M::COARSE_GRAIN } else { M::FINE_GRAIN }
}

pub fn range_attribute(
    data: Ptr,
    data_size: usize,
    attribute: hipMemRangeAttribute,
    pointer: ConstPtr,
    size: usize,
) -> Result {
    use hipMemRangeAttribute as A;
    let wrong = Err(hipError_t::INVALID_VALUE);
    if data.is_null() || pointer.is_null() || size == 0 || data_size == 0 || !data_size.is_multiple_of(4) {
        return wrong;
    }
    let (hip, address) = (state::hip()?, pointer.expose_provenance() as u64);
    let allocation = hip.allocations.find(address).ok_or(hipError_t::INVALID_VALUE)?;
    hip.allocations.check(address, size)?;
    let mut on = Vec::new();
    allocation.advised(|advised| on = advised.on(address - allocation.base, size as u64));
    let words: Vec<i32> = match attribute {
        A::COHERENCY_MODE => vec![coherency(&allocation, &on).0 as i32],
        _ if allocation.kind != Kind::Managed => return wrong,
        A::READ_MOSTLY => vec![i32::from(on.iter().all(|advice| advice.read_mostly))],
        A::PREFERRED_LOCATION => vec![common_place(&on, |advice| advice.preferred)],
        A::LAST_PREFETCH_LOCATION => vec![common_place(&on, |advice| advice.prefetched)],
        A::ACCESSED_BY => common_access(&on),
        _ => return wrong,
    };
    if attribute != A::ACCESSED_BY && data_size != 4 {
        return wrong;
    }
    let to = data.expose_provenance() as u64;
    let words = words.into_iter().chain(std::iter::repeat(INVALID_DEVICE_ID));
    for (at, word) in words.take(data_size / 4).enumerate() {
        ffi::write_bytes(to + 4 * at as u64, &word.to_le_bytes());
    }
    Ok(())
}

pub fn range_attributes(
    data: In<Ptr>,
    sizes: In<usize>,
    attributes: In<hipMemRangeAttribute>,
    count: usize,
    pointer: ConstPtr,
    size: usize,
) -> Result {
    if count == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    (0..count)
        .try_for_each(|at| range_attribute(data.at(at)?, sizes.at(at)?, attributes.at(at)?, pointer, size))
}
