//! The debugger's calls, the stream of counters, samples of the program counter (libhsakmt's `debug.c`, `spm.c`,
//! `pc_sampling.c`).

use std::process;

use kfd_sys::debug::{
    DbgAddressWatchArgs, DbgRegisterArgs, DbgTrapArgs, DbgUnregisterArgs, DbgWaveControlArgs, TrapOp,
};
use kfd_sys::profile::{DbgTrapDeprecatedArgs, PcSampleArgs, PcSampleInfo, PcSampleOp};
use kfd_sys::trap::{DeviceInfoEntry, QueueSnapshotEntry, ResumeQueuesArgs, SuspendQueuesArgs, exception};
use kfd_sys::{Errno, Ioctl, KfdExt as _};
use thunk_rs::{Node, Thunk};
use zerocopy::IntoBytes;

use crate::abi::queue::DbgWaveMessage;
use crate::abi::status::{Result, Status};
use crate::ffi::{self, Ptr};
use crate::state::library;

/// Issues one of the old debugger's calls on a node. KFD answers them with an error since 1.13.
fn old_call<A: Ioctl>(number: u32, args: impl FnOnce(u32) -> A) -> Result<()> {
    let (thunk, node) = on_node(number)?;
    thunk.kfd().call(&mut args(node.gpu_id)).map_err(|_| Status::ERROR)
}

pub fn register(number: u32) -> Result<()> {
    old_call(number, |gpu_id| DbgRegisterArgs { gpu_id, pad: 0 })
}

pub fn unregister(number: u32) -> Result<()> {
    old_call(number, |gpu_id| DbgUnregisterArgs { gpu_id, pad: 0 })
}

pub fn wavefront_control(
    number: u32,
    _operation: u32,
    _mode: u32,
    _trap: u32,
    _message: Ptr<DbgWaveMessage>,
) -> Result<()> {
    old_call(number, |gpu_id| DbgWaveControlArgs { gpu_id, buf_size_in_bytes: 16, content_ptr: 0 })
}

pub fn address_watch(
    number: u32,
    points: u32,
    _modes: Ptr<u32>,
    _addresses: Ptr<u64>,
    _masks: Ptr<u64>,
    _events: Ptr<u64>,
) -> Result<()> {
    const MOST_POINTS: u32 = 100;
    library().both()?.1.node(number)?;
    if points > MOST_POINTS {
        return Err(Status::INVALID_PARAMETER);
    }
    old_call(number, |gpu_id| DbgAddressWatchArgs { gpu_id, buf_size_in_bytes: 16, content_ptr: 0 })
}

/// The version of the debugger's calls before 1.13; AMD's out-of-tree drivers of that time answer.
pub fn old_version(major: Ptr<u32>, minor: Ptr<u32>) -> Result<()> {
    const GET_VERSION: u32 = 0;
    let mut args = DbgTrapDeprecatedArgs { pid: process::id(), op: GET_VERSION, ..Default::default() };
    let kfd = std::sync::Arc::clone(library().opened().map_err(|_| Status::ERROR)?.thunk.kfd());
    kfd.call(&mut args).map_err(|_| Status::ERROR)?;
    major.set(args.data[0])?;
    minor.set(args.data[1])
}

/// Whether kernel and all GPUs can.
fn check_support(thunk: &Thunk) -> Result<()> {
    if thunk.version().1 >= 13 && thunk.supports_debugging() { Ok(()) } else { Err(Status::NOT_SUPPORTED) }
}

pub fn check_runtime_support() -> Result<()> {
    check_support(&library().opened()?.thunk)
}

/// The device, for calls that wait: other threads use the library meanwhile.
fn device() -> Result<Thunk> {
    Ok(library().opened()?.thunk.clone())
}

/// As [`device`], with a node of it.
fn on_node(number: u32) -> Result<(Thunk, Node)> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    Ok((opened.thunk.clone(), snapshot.node(number)?.clone()))
}

pub fn runtime_enable(r_debug: u64, setup_ttmp: bool) -> Result<()> {
    let thunk = device().map_err(|_| Status::NOT_SUPPORTED)?;
    check_support(&thunk)?;
    // Waits for a debugger, if there is one.
    let told = thunk.runtime_enable(r_debug, setup_ttmp).map_err(|error| match error.errno() {
        Some(Errno::EBUSY) => Status::UNAVAILABLE,
        _ => Status::ERROR,
    })?;
    library().opened()?.runtime_capabilities = told;
    Ok(())
}

pub fn runtime_disable() -> Result<()> {
    let thunk = device().map_err(|_| Status::NOT_SUPPORTED)?;
    check_support(&thunk)?;
    thunk.runtime_disable().map_err(|_| Status::ERROR)
}

pub fn runtime_capabilities(mask: Ptr<u32>) -> Result<()> {
    mask.set(library().opened().map_or(0, |opened| opened.runtime_capabilities))
}

fn debugger() -> Result<thunk_rs::debug::Debugger> {
    library().opened()?.thunk.debugger(process::id()).map_err(|_| Status::NOT_SUPPORTED)
}

/// Bytes in memory that the caller frees.
fn hand_over(bytes: &[u8], data: Ptr<u64>) -> Result<()> {
    if data.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let copy = ffi::malloc(bytes);
    if copy.is_null() {
        return Err(Status::NO_MEMORY);
    }
    data.set(copy.address())
}

pub fn enable(info: Ptr<u64>, size: Ptr<u32>) -> Result<()> {
    if info.is_null() || size.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let told = debugger()?.enable(0, 0).map_err(|_| Status::ERROR)?;
    size.set(size_of_val(&told) as u32)?;
    hand_over(told.as_bytes(), info)
}

pub fn disable() -> Result<()> {
    debugger()?.disable().map_err(|_| Status::ERROR)
}

fn entries<T: IntoBytes + zerocopy::Immutable>(
    told: &[T],
    data: Ptr<u64>,
    count: Ptr<u32>,
    size: Ptr<u32>,
) -> Result<()> {
    count.set(told.len() as u32)?;
    size.set(size_of::<T>() as u32)?;
    hand_over(told.as_bytes(), data)
}

pub fn devices(data: Ptr<u64>, count: Ptr<u32>, size: Ptr<u32>) -> Result<()> {
    let told: Vec<DeviceInfoEntry> = debugger()?.devices(0).map_err(|_| Status::ERROR)?;
    entries(&told, data, count, size)
}

pub fn queues(data: Ptr<u64>, count: Ptr<u32>, size: Ptr<u32>, suspend: bool) -> Result<()> {
    let debugger = debugger()?;
    let new = exception::mask(exception::QUEUE_NEW);
    let mut told: Vec<QueueSnapshotEntry> = debugger.queues(new).map_err(|_| Status::ERROR)?;
    if suspend && !told.is_empty() {
        let mut ids: Vec<u32> = told.iter().map(|queue| queue.queue_id).collect();
        debugger.suspend_queues(&mut ids, new, 0).map_err(|_| Status::ERROR)?;
        told = debugger.queues(new).map_err(|_| Status::ERROR)?;
    }
    entries(&told, data, count, size)
}

/// Any of the debugger's calls. `queues` are the library's handles, for the calls that take queues.
pub fn trap(args: Ptr<DbgTrapArgs>, queues: Ptr<u64>, returned: Ptr<u64>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    let mut call = args.get()?;
    if !queues.is_null() {
        let (at, count) = match call.op {
            TrapOp::SUSPEND_QUEUES => {
                let member: SuspendQueuesArgs = call.member();
                (member.queue_array_ptr, member.num_queues)
            }
            _ => {
                let member: ResumeQueuesArgs = call.member();
                (member.queue_array_ptr, member.num_queues)
            }
        };
        let handles = queues.array(count as usize)?;
        let ids = handles.into_iter().map(|handle| Ok(opened.queue(handle)?.queue.id()));
        Ptr::<u32>::at(at).set_array(&ids.collect::<Result<Vec<_>>>()?)?;
    }
    let kfd = std::sync::Arc::clone(opened.thunk.kfd());
    drop(library);
    let result = kfd.call(&mut call);
    args.set(call)?;
    returned.set_if_wanted(if result.is_ok() { 0 } else { u64::MAX });
    result.map_err(|_| Status::ERROR)
}

pub fn spm_acquire(number: u32) -> Result<()> {
    let (thunk, node) = on_node(number)?;
    thunk.spm_acquire(node.id).map_err(|_| FAILED)
}

pub fn spm_release(number: u32) -> Result<()> {
    let (thunk, node) = on_node(number)?;
    thunk.spm_release(node.id).map_err(|_| FAILED)
}

/// The vendor's library returns what `ioctl` returned: −1.
const FAILED: Status = Status(u32::MAX);

pub fn spm_set_buffer(
    number: u32,
    bytes: u32,
    timeout: Ptr<u32>,
    copied: Ptr<u32>,
    address: u64,
    lost: Ptr<bool>,
) -> Result<()> {
    let (thunk, node) = on_node(number)?;
    let wait = timeout.get()?;
    let progress = thunk.spm_set_buffer(node.id, address, bytes, wait).map_err(|_| FAILED)?;
    copied.set(progress.copied)?;
    lost.set(progress.lost)?;
    timeout.set(progress.timeout)
}

/// What kernels before KFD had it, and all upstream ones, answer.
fn pc_sampling_status(errno: Errno) -> Status {
    match errno {
        Errno::EINVAL => Status::INVALID_PARAMETER,
        Errno::ENOSPC => Status::BUFFER_TOO_SMALL,
        Errno::EBUSY => Status::UNAVAILABLE,
        Errno::ENOMEM => Status::NO_MEMORY,
        Errno::EOPNOTSUPP | Errno::ENOTTY | Errno::EPERM => Status::NOT_SUPPORTED,
        _ => Status::ERROR,
    }
}

fn pc_sampling(number: u32, mut args: PcSampleArgs) -> Result<PcSampleArgs> {
    let (thunk, node) = on_node(number)?;
    args.gpu_id = node.gpu_id;
    thunk.kfd().call(&mut args).map_err(pc_sampling_status)?;
    Ok(args)
}

pub fn pc_sampling_support() -> Result<()> {
    let gpu = {
        let mut library = library();
        let (_, snapshot) = library.both().map_err(|_| Status::NOT_SUPPORTED)?;
        let gpu = snapshot.gpus().next().ok_or(Status::NOT_SUPPORTED)?;
        snapshot.number(gpu.id)?
    };
    match pc_sampling(gpu, PcSampleArgs { op: PcSampleOp::QUERY_CAPABILITIES, ..Default::default() }) {
        Err(Status::NOT_SUPPORTED) => Err(Status::NOT_SUPPORTED),
        _ => Ok(()),
    }
}

pub fn pc_sampling_capabilities(number: u32, info: u64, room: u32, needed: Ptr<u32>) -> Result<()> {
    if needed.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let args = PcSampleArgs {
        op: PcSampleOp::QUERY_CAPABILITIES,
        sample_info_ptr: info,
        num_sample_info: room,
        flags: 1,
        ..Default::default()
    };
    needed.set(pc_sampling(number, args)?.num_sample_info)
}

pub fn pc_sampling_create(number: u32, info: Ptr<PcSampleInfo>, trace: Ptr<u32>) -> Result<()> {
    if info.is_null() || trace.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let args = PcSampleArgs {
        op: PcSampleOp::CREATE,
        sample_info_ptr: info.address(),
        num_sample_info: 1,
        ..Default::default()
    };
    trace.set(pc_sampling(number, args)?.trace_id)
}

fn pc_sampling_change(number: u32, trace: u32, op: PcSampleOp) -> Result<()> {
    pc_sampling(number, PcSampleArgs { op, trace_id: trace, ..Default::default() }).map(drop)
}

pub fn pc_sampling_destroy(number: u32, trace: u32) -> Result<()> {
    pc_sampling_change(number, trace, PcSampleOp::DESTROY)
}

pub fn pc_sampling_start(number: u32, trace: u32) -> Result<()> {
    pc_sampling_change(number, trace, PcSampleOp::START)
}

pub fn pc_sampling_stop(number: u32, trace: u32) -> Result<()> {
    pc_sampling_change(number, trace, PcSampleOp::STOP)
}
