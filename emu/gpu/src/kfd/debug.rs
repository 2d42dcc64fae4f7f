//! The debugger's side of queues and GPUs (`kfd_debug.c`), for a process that is its own debugger.
//!
//! Queues go off the hardware and come back, and are told with their GPUs. Waves cannot be halted, watched or trapped for
//! a debugger here: `EOPNOTSUPP`. Exceptions go to the runtime only, so that none is pending.

use kfd_sys::Errno;
use kfd_sys::debug::{
    DbgAddressWatchArgs, DbgRegisterArgs, DbgTrapArgs, DbgUnregisterArgs, DbgWaveControlArgs,
    RuntimeEnableArgs, RuntimeMode, TrapOp,
};
use kfd_sys::queue::{CreateQueueArgs, QueueType};
use kfd_sys::trap::{
    DeviceInfoEntry, DeviceSnapshotArgs, EnableArgs, QUEUE_INVALID, QueueSnapshotArgs, QueueSnapshotEntry,
    ResumeQueuesArgs, RuntimeInfo, SetExceptionsEnabledArgs, SuspendQueuesArgs,
};
use parking_lot::Mutex;
use zerocopy::IntoBytes as _;

use super::{Device, Process, queue};

/// `DEBUG_RUNTIME_STATE_ENABLED`
const RUNTIME_ENABLED: u32 = 1;

/// What the debugger has said, and the runtime.
#[derive(Debug, Default)]
pub(super) struct Debugging(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    enabled: bool,
    exceptions: u64,
    runtime: RuntimeInfo,
}

impl Debugging {
    pub(super) fn note_runtime(&self, arg: &RuntimeEnableArgs) {
        let mode = RuntimeMode::from_bits_retain(arg.mode_mask);
        self.0.lock().runtime = if mode.contains(RuntimeMode::ENABLE) {
            RuntimeInfo {
                r_debug: arg.r_debug,
                runtime_state: RUNTIME_ENABLED,
                ttmp_setup: mode.contains(RuntimeMode::TTMP_SAVE).into(),
            }
        } else {
            RuntimeInfo::default()
        };
    }
}

/// The calls before 1.13 are there and refuse.
pub(super) fn register(_: &Process, _: &mut DbgRegisterArgs) -> Result<(), Errno> {
    Err(Errno::EPERM)
}

pub(super) fn unregister(_: &Process, _: &mut DbgUnregisterArgs) -> Result<(), Errno> {
    Err(Errno::EPERM)
}

pub(super) fn address_watch(_: &Process, _: &mut DbgAddressWatchArgs) -> Result<(), Errno> {
    Err(Errno::EPERM)
}

pub(super) fn wave_control(_: &Process, _: &mut DbgWaveControlArgs) -> Result<(), Errno> {
    Err(Errno::EPERM)
}

pub(super) fn trap(process: &Process, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    if arg.pid != process.pid {
        return Err(Errno(libc::ESRCH));
    }
    let mut state = process.debugging.0.lock();
    if arg.op == TrapOp::ENABLE {
        return enable(process, &mut state, arg);
    }
    if !state.enabled {
        return Err(Errno::EINVAL);
    }
    let needs_runtime = [
        TrapOp::SET_WAVE_LAUNCH_OVERRIDE,
        TrapOp::SET_WAVE_LAUNCH_MODE,
        TrapOp::SUSPEND_QUEUES,
        TrapOp::RESUME_QUEUES,
        TrapOp::SET_NODE_ADDRESS_WATCH,
        TrapOp::CLEAR_NODE_ADDRESS_WATCH,
        TrapOp::SET_FLAGS,
    ];
    if needs_runtime.contains(&arg.op) && state.runtime.runtime_state != RUNTIME_ENABLED {
        return Err(Errno::EPERM);
    }
    match arg.op {
        TrapOp::DISABLE => {
            (state.enabled, state.exceptions) = (false, 0);
            Ok(())
        }
        TrapOp::SEND_RUNTIME_EVENT => Ok(()),
        TrapOp::SET_EXCEPTIONS_ENABLED => {
            state.exceptions = arg.member::<SetExceptionsEnabledArgs>().exception_mask;
            Ok(())
        }
        TrapOp::SUSPEND_QUEUES => {
            let member: SuspendQueuesArgs = arg.member();
            each_queue(process, member.queue_array_ptr, member.num_queues, false)
        }
        TrapOp::RESUME_QUEUES => {
            let member: ResumeQueuesArgs = arg.member();
            each_queue(process, member.queue_array_ptr, member.num_queues, true)
        }
        TrapOp::QUERY_DEBUG_EVENT => Err(Errno::EAGAIN),
        TrapOp::QUERY_EXCEPTION_INFO => Err(Errno(libc::ENODATA)),
        TrapOp::GET_QUEUE_SNAPSHOT => queues(process, arg),
        TrapOp::GET_DEVICE_SNAPSHOT => devices(process, arg),
        TrapOp::SET_WAVE_LAUNCH_OVERRIDE
        | TrapOp::SET_WAVE_LAUNCH_MODE
        | TrapOp::SET_NODE_ADDRESS_WATCH
        | TrapOp::CLEAR_NODE_ADDRESS_WATCH
        | TrapOp::SET_FLAGS => Err(Errno::EOPNOTSUPP),
        _ => Err(Errno::EINVAL),
    }
}

fn enable(process: &Process, state: &mut State, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: EnableArgs = arg.member();
    if state.enabled {
        return Err(Errno(libc::EALREADY));
    }
    if !std::path::Path::new(&format!("/proc/self/fd/{}", member.dbg_fd)).exists() {
        return Err(Errno::EBADF);
    }
    let bytes = state.runtime.as_bytes();
    let len = bytes.len().min(member.rinfo_size as usize);
    process.user.write(member.rinfo_ptr, &bytes[..len])?;
    member.rinfo_size = bytes.len() as u32;
    arg.set_member(&member);
    (state.enabled, state.exceptions) = (true, member.exception_mask);
    Ok(())
}

fn each_queue(process: &Process, at: u64, count: u32, run: bool) -> Result<(), Errno> {
    let mut ids = process.user.read_array::<u32>(at, count)?;
    for id in &mut ids {
        if queue::set_running(process, *id, run).is_err() {
            *id |= QUEUE_INVALID;
        }
    }
    process.user.write_array(at, &ids)
}

/// Writes entries cut to the caller's size for one, as many as there is room for. Returns the size of an entry as it was
/// written.
fn write_entries<T: kfd_sys::Arg>(
    process: &Process,
    at: u64,
    room: u32,
    size: u32,
    entries: &[T],
) -> Result<u32, Errno> {
    if size == 0 {
        return Err(Errno::EINVAL);
    }
    let len = size_of::<T>().min(size as usize);
    for (index, entry) in entries.iter().take(room as usize).enumerate() {
        process.user.write(at + index as u64 * u64::from(size), &entry.as_bytes()[..len])?;
    }
    Ok(len as u32)
}

fn queues(process: &Process, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: QueueSnapshotArgs = arg.member();
    let entries: Vec<QueueSnapshotEntry> =
        process.queues.lock().iter().map(|(id, facts)| entry(*id, &facts.args)).collect();
    let (at, room) = (member.snapshot_buf_ptr, member.num_queues);
    member.entry_size = write_entries(process, at, room, member.entry_size, &entries)?;
    member.num_queues = entries.len() as u32;
    arg.set_member(&member);
    Ok(())
}

fn entry(queue_id: u32, args: &CreateQueueArgs) -> QueueSnapshotEntry {
    let saves = matches!(args.queue_type, QueueType::COMPUTE | QueueType::COMPUTE_AQL);
    QueueSnapshotEntry {
        exception_status: 0,
        ring_base_address: args.ring_base_address,
        write_pointer_address: args.write_pointer_address,
        read_pointer_address: args.read_pointer_address,
        ctx_save_restore_address: args.ctx_save_restore_address,
        queue_id,
        gpu_id: args.gpu_id,
        ring_size: args.ring_size,
        queue_type: args.queue_type.0,
        ctx_save_restore_area_size: if saves { args.ctx_save_restore_size } else { 0 },
        reserved: 0,
    }
}

fn devices(process: &Process, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: DeviceSnapshotArgs = arg.member();
    let entries: Vec<DeviceInfoEntry> =
        process.devices.iter().enumerate().map(|(index, device)| about(process, index, device)).collect();
    let (at, room) = (member.snapshot_buf_ptr, member.num_devices);
    member.entry_size = write_entries(process, at, room, member.entry_size, &entries)?;
    member.num_devices = entries.len() as u32;
    arg.set_member(&member);
    Ok(())
}

fn about(process: &Process, index: usize, device: &Device) -> DeviceInfoEntry {
    let windows = super::aperture::apertures(device);
    // The rest is what the topology says of the node, which is the one behind the host's.
    let text = process.read_topology(&format!("nodes/{}/properties", index + 1)).unwrap_or_default();
    let says = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0) as u32
    };
    DeviceInfoEntry {
        exception_status: 0,
        lds_base: windows.lds_base,
        lds_limit: windows.lds_limit,
        scratch_base: windows.scratch_base,
        scratch_limit: windows.scratch_limit,
        gpuvm_base: windows.gpuvm_base,
        gpuvm_limit: windows.gpuvm_limit,
        gpu_id: device.gpu_id,
        location_id: says("location_id"),
        vendor_id: says("vendor_id"),
        device_id: device.chip.device_id,
        revision_id: device.chip.pci_revision,
        subsystem_vendor_id: 0x1002,
        subsystem_device_id: 0x0b0c,
        fw_version: says("fw_version"),
        gfx_target_version: says("gfx_target_version"),
        simd_count: says("simd_count"),
        max_waves_per_simd: says("max_waves_per_simd"),
        array_count: says("array_count"),
        simd_arrays_per_engine: says("simd_arrays_per_engine"),
        num_xcc: says("num_xcc").max(1),
        capability: says("capability"),
        debug_prop: says("debug_prop"),
    }
}
