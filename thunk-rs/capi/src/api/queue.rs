//! Queues (libhsakmt's `queues.c`).

use kfd_sys::Errno;
use thunk_rs::{AllocRequest, GpuAccess, MemoryKind, QueueKind, QueuePriority, QueueRequest};
use zerocopy::FromZeros as _;

use crate::abi::event::Event;
use crate::abi::queue::{QueueInfo, QueueResource, queue_type};
use crate::abi::status::{Result, Status};
use crate::ffi::Ptr;
use crate::state::{GivenQueue, library};

fn priority(level: i32) -> Result<QueuePriority> {
    Ok(match level {
        -3 => QueuePriority::Minimum,
        -2 => QueuePriority::Low,
        -1 => QueuePriority::BelowNormal,
        0 => QueuePriority::Normal,
        1 => QueuePriority::AboveNormal,
        2 => QueuePriority::High,
        3 => QueuePriority::Maximum,
        _ => return Err(Status::INVALID_PARAMETER),
    })
}

#[allow(clippy::too_many_arguments, reason = "as many as the C function has")]
pub fn create(
    number: u32,
    kind: u32,
    percentage: u32,
    level: i32,
    ring: u64,
    ring_bytes: u64,
    event: Ptr<Event>,
    resource: Ptr<QueueResource>,
) -> Result<()> {
    create_on_engine(number, kind, percentage, level, 0, ring, ring_bytes, event, resource)
}

#[allow(clippy::too_many_arguments, reason = "as many as the C function has")]
pub fn create_on_engine(
    number: u32,
    kind: u32,
    percentage: u32,
    level: i32,
    sdma_engine: u32,
    ring: u64,
    ring_bytes: u64,
    event: Ptr<Event>,
    resource: Ptr<QueueResource>,
) -> Result<()> {
    let mut library = library();
    library.opened()?;
    let priority = priority(level)?;
    let (opened, snapshot) = library.both()?;
    let node = snapshot.node(number)?;
    if !node.is_gpu() {
        return Err(Status::NO_MEMORY);
    }
    let kind = match kind {
        queue_type::COMPUTE => QueueKind::Pm4,
        queue_type::SDMA => QueueKind::Sdma,
        queue_type::SDMA_XGMI => QueueKind::SdmaXgmi,
        queue_type::SDMA_BY_ENG_ID => QueueKind::SdmaEngine(sdma_engine),
        queue_type::COMPUTE_AQL => QueueKind::Aql,
        _ => return Err(Status::INVALID_PARAMETER),
    };
    let mut out = resource.get()?;
    let mut indices = None;
    if kind != QueueKind::Aql {
        // The thunk has the indices of other queues; callers find them in the struct.
        let request =
            AllocRequest::new(MemoryKind::SystemFine, node.id, 4096).uncached().access(GpuAccess::Owner);
        let memory = opened.thunk.allocate(&request).map_err(|_| Status::NO_MEMORY)?;
        (out.queue_wptr_value, out.queue_rptr_value) = (memory.va() + 8, memory.va() + 16);
        indices = Some(memory);
    }
    let request = QueueRequest {
        node: node.id,
        kind,
        ring_va: ring,
        ring_bytes,
        read_ptr_va: out.queue_rptr_value,
        write_ptr_va: out.queue_wptr_value,
        priority,
        percentage,
        error_payload_va: out.error_reason,
        error_event_id: if event.is_null() { 0 } else { event.get()?.event_id },
    };
    let queue = opened.thunk.create_queue(&request).map_err(|_| Status::ERROR)?;
    out.queue_door_bell = queue.doorbell_va();
    let units = node.compute_units();
    let cu_mask = (0..units.div_ceil(32))
        .map(|word| if units - word * 32 >= 32 { u32::MAX } else { (1 << (units % 32)) - 1 })
        .collect();
    out.queue_id = opened.keep_queue(GivenQueue { queue, cu_mask, _indices: indices });
    resource.set(out)
}

pub fn update(
    handle: u64,
    percentage: u32,
    level: i32,
    ring: u64,
    ring_bytes: u64,
    _event: Ptr<Event>,
) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    let priority = priority(level)?;
    let given = opened.queue(handle)?;
    let bytes = u32::try_from(ring_bytes).map_err(|_| Status::ERROR)?;
    given.queue.update_ring(ring, bytes, percentage, priority).map_err(|_| Status::ERROR)
}

pub fn destroy(handle: u64) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    opened.queue(handle)?;
    match opened.queues.remove(&handle) {
        Some(given) => opened.thunk.destroy_queue(given.queue).map_err(|_| Status::ERROR),
        None => Err(Status::INVALID_HANDLE),
    }
}

pub fn set_cu_mask(handle: u64, bits: u32, mask: Ptr<u32>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if bits == 0 || mask.is_null() || !bits.is_multiple_of(32) {
        return Err(Status::INVALID_PARAMETER);
    }
    let words = mask.array(bits as usize / 32)?;
    let given = opened.queue(handle)?;
    given.queue.set_cu_mask(&words).map_err(|_| Status::ERROR)?;
    given.cu_mask = words;
    Ok(())
}

pub fn info(handle: u64, info: Ptr<QueueInfo>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if info.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let given = opened.queue(handle)?;
    let (area, _) = given.queue.save_area().ok_or(Status::ERROR)?;
    let state = given.queue.wave_state().map_err(|_| Status::ERROR)?;
    let mut out = QueueInfo::new_zeroed();
    out.num_cu_assigned = given.cu_mask.len() as u32 * 32;
    out.cu_mask_info = given.cu_mask.as_ptr() as u64;
    out.user_context_save_area = state.waves;
    out.save_area_size_in_bytes = state.wave_bytes.into();
    out.control_stack_top = state.control_stack;
    out.control_stack_used_in_bytes = state.control_stack_bytes.into();
    out.save_area_header = area;
    info.set(out)
}

pub fn allocate_gws(handle: u64, count: u32, first: Ptr<u32>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    match opened.queue(handle)?.queue.allocate_gws(count) {
        Ok(entry) => {
            first.set_if_wanted(entry);
            Ok(())
        }
        Err(error) => Err(match error.errno() {
            Some(Errno::EINVAL) => Status::INVALID_PARAMETER,
            Some(Errno::EBUSY) => Status::OUT_OF_RESOURCES,
            Some(Errno::ENODEV) => Status::NOT_SUPPORTED,
            _ => Status::ERROR,
        }),
    }
}

pub fn ring_doorbell(handle: u64) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    opened.queue(handle)?;
    // Hardware sees the store to the doorbell itself; there is nothing to be done.
    Ok(())
}

pub fn set_trap_handler(number: u32, code: u64, _code_size: u64, data: u64, _data_size: u64) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    opened.thunk.set_trap_handler(snapshot.id(number)?, code, data).map_err(|_| Status::ERROR)
}
