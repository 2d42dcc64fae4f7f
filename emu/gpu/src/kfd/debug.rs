//! The debugger's side of queues and GPUs (`kfd_debug.c`), for a process that is its own debugger.
//!
//! Queues go off the hardware and come back, and are told with their GPUs and exceptions ([`super::exceptions`]). Waves cannot
//! be halted or trapped for a debugger here: `EOPNOTSUPP`, which KFD never says, where it would do it. No GPU has a
//! watch point, and none of the traps and settings that KFD asks a GPU for.

use kfd_sys::Errno;
use kfd_sys::debug::{
    DbgAddressWatchArgs, DbgRegisterArgs, DbgTrapArgs, DbgUnregisterArgs, DbgWaveControlArgs,
    RuntimeEnableArgs, RuntimeMode, TrapOp,
};
use kfd_sys::trap::exception::{self, mask};
use kfd_sys::trap::{
    ClearNodeAddressWatchArgs, EnableArgs, QUEUE_INVALID, ResumeQueuesArgs, RuntimeInfo,
    SetExceptionsEnabledArgs, SetFlagsArgs, SetNodeAddressWatchArgs, SetWaveLaunchModeArgs,
    SetWaveLaunchOverrideArgs, SuspendQueuesArgs,
};
use parking_lot::{Condvar, Mutex, MutexGuard};
use zerocopy::IntoBytes as _;

use super::exceptions::{self, Bell};
use super::{Process, queue, snapshot};

/// `DEBUG_RUNTIME_STATE_ENABLED`
const RUNTIME_ENABLED: u32 = 1;
/// `KFD_DBG_TRAP_FLAG_SINGLE_*`: to wait for each memory operation, and for each of another kind. The topology has neither.
const SINGLE_OPERATIONS: u32 = 3;

/// What the debugger has said, and the runtime.
#[derive(Debug, Default)]
pub(super) struct Debugging {
    state: Mutex<State>,
    answer: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) enabled: bool,
    /// Exceptions to be told of.
    pub(super) wanted: u64,
    /// Exceptions of the process.
    pub(super) pending: u64,
    pub(super) bell: Bell,
    pub(super) runtime: RuntimeInfo,
    /// Answers to the runtime's registration that nobody has taken.
    pub(super) answers: u32,
    /// Debuggers that have gone.
    gone: u32,
    flags: u32,
}

impl Debugging {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Wakes who waits for an answer.
    pub(super) fn answered(&self) {
        self.answer.notify_all();
    }

    /// The runtime registers, or takes it back. With a debugger it waits until that has answered
    /// (`SEND_RUNTIME_EVENT`).
    pub(super) fn runtime(&self, process: &Process, arg: &RuntimeEnableArgs) -> Result<(), Errno> {
        let mode = RuntimeMode::from_bits_retain(arg.mode_mask);
        let mut state = self.state.lock();
        let was_enabled = state.runtime.runtime_state == RUNTIME_ENABLED;
        if mode.contains(RuntimeMode::ENABLE) {
            if was_enabled {
                return Err(Errno::EBUSY);
            }
            if process.any_queue() {
                return Err(Errno::EEXIST);
            }
            state.runtime = RuntimeInfo {
                r_debug: arg.r_debug,
                runtime_state: RUNTIME_ENABLED,
                ttmp_setup: mode.contains(RuntimeMode::TTMP_SAVE).into(),
            };
        } else {
            state.runtime = RuntimeInfo::default();
            if was_enabled && state.enabled {
                let_go(process, &mut state);
            }
        }
        if state.enabled {
            state.pending |= mask(exception::PROCESS_RUNTIME);
            state.tell(mask(exception::PROCESS_RUNTIME));
            // For this debugger: one that comes after it knows of nothing to answer.
            let gone = state.gone;
            while state.gone == gone && state.answers == 0 {
                self.answer.wait(&mut state);
            }
            if state.gone == gone {
                state.answers -= 1;
            }
        }
        Ok(())
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
    let mut state = process.debugging.lock();
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
            disable(process, &mut state);
            Ok(())
        }
        TrapOp::SEND_RUNTIME_EVENT => exceptions::send(process, &mut state, &arg.member()),
        TrapOp::SET_EXCEPTIONS_ENABLED => {
            state.wanted = arg.member::<SetExceptionsEnabledArgs>().exception_mask;
            state.tell_pending(process);
            Ok(())
        }
        TrapOp::SUSPEND_QUEUES => {
            let member: SuspendQueuesArgs = arg.member();
            suspend(process, &member)
        }
        TrapOp::RESUME_QUEUES => {
            let member: ResumeQueuesArgs = arg.member();
            resume(process, &member)
        }
        TrapOp::QUERY_DEBUG_EVENT => exceptions::query(process, &mut state, arg),
        TrapOp::QUERY_EXCEPTION_INFO => exceptions::info(process, &mut state, arg),
        TrapOp::GET_QUEUE_SNAPSHOT => snapshot::queues(process, arg),
        TrapOp::GET_DEVICE_SNAPSHOT => snapshot::devices(process, arg),
        TrapOp::SET_FLAGS => set_flags(&mut state, arg),
        TrapOp::SET_WAVE_LAUNCH_OVERRIDE => launch_override(arg),
        TrapOp::SET_WAVE_LAUNCH_MODE => match arg.member::<SetWaveLaunchModeArgs>().launch_mode {
            0 => Ok(()),
            1 | 3 => Err(Errno::EOPNOTSUPP),
            _ => Err(Errno::EINVAL),
        },
        TrapOp::SET_NODE_ADDRESS_WATCH => {
            let member: SetNodeAddressWatchArgs = arg.member();
            // What KFD says when all watch points of the GPU are taken. There are none here.
            process.device(member.gpu_id).map_err(|_| Errno::ENODEV).and(Err(Errno::ENOMEM))
        }
        TrapOp::CLEAR_NODE_ADDRESS_WATCH => {
            let member: ClearNodeAddressWatchArgs = arg.member();
            process.device(member.gpu_id).map_err(|_| Errno::ENODEV).and(Err(Errno::EINVAL))
        }
        _ => Err(Errno::EINVAL),
    }
}

fn enable(process: &Process, state: &mut State, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: EnableArgs = arg.member();
    if state.enabled {
        return Err(Errno(libc::EALREADY));
    }
    let bell = Bell::of(member.dbg_fd)?;
    let bytes = state.runtime.as_bytes();
    let len = bytes.len().min(member.rinfo_size as usize);
    process.user.write(member.rinfo_ptr, &bytes[..len])?;
    member.rinfo_size = bytes.len() as u32;
    arg.set_member(&member);
    (state.enabled, state.wanted, state.bell) = (true, member.exception_mask, bell);
    Ok(())
}

/// What the debugger holds goes on as without it.
fn let_go(process: &Process, state: &mut State) {
    let ids: Vec<u32> = process.queues.lock().keys().copied().collect();
    for id in ids {
        // One that went meanwhile needs nothing.
        let _ = queue::set_running(process, id, true);
    }
    state.flags = 0;
}

fn disable(process: &Process, state: &mut State) {
    let_go(process, state);
    process.queues.lock().values_mut().for_each(|facts| facts.exceptions = 0);
    (state.enabled, state.wanted, state.pending, state.answers) = (false, 0, 0, 0);
    state.bell = Bell::default();
    state.gone = state.gone.wrapping_add(1);
    // Nobody is left to answer.
    process.debugging.answered();
}

/// A queue that is new has to be known to the debugger before it can be suspended.
fn suspend(process: &Process, member: &SuspendQueuesArgs) -> Result<(), Errno> {
    let mut ids = process.user.read_array::<u32>(member.queue_array_ptr, member.num_queues)?;
    for id in &mut ids {
        let new =
            process.queues.lock().get(id).map(|facts| facts.exceptions & mask(exception::QUEUE_NEW) != 0);
        if new != Some(false) || queue::set_running(process, *id, false).is_err() {
            *id |= QUEUE_INVALID;
            continue;
        }
        if let Some(facts) = process.queues.lock().get_mut(id) {
            facts.exceptions &= !member.exception_mask;
        }
    }
    process.user.write_array(member.queue_array_ptr, &ids)
}

/// Without an array all queues.
fn resume(process: &Process, member: &ResumeQueuesArgs) -> Result<(), Errno> {
    if member.queue_array_ptr == 0 {
        let ids: Vec<u32> = process.queues.lock().keys().copied().collect();
        return ids.into_iter().try_for_each(|id| queue::set_running(process, id, true));
    }
    let mut ids = process.user.read_array::<u32>(member.queue_array_ptr, member.num_queues)?;
    for id in &mut ids {
        if queue::set_running(process, *id, true).is_err() {
            *id |= QUEUE_INVALID;
        }
    }
    process.user.write_array(member.queue_array_ptr, &ids)
}

fn set_flags(state: &mut State, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: SetFlagsArgs = arg.member();
    let wanted = std::mem::replace(&mut member.flags, state.flags);
    arg.set_member(&member);
    if wanted & SINGLE_OPERATIONS != 0 {
        return Err(Errno(libc::EACCES));
    }
    state.flags = wanted;
    Ok(())
}

/// No trap of a wave can be switched on: only what asks for none is done.
fn launch_override(arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: SetWaveLaunchOverrideArgs = arg.member();
    let wanted = std::mem::take(&mut member.support_request_mask);
    member.enable_mask = 0;
    let good = member.override_mode <= 1;
    arg.set_member(&member);
    match wanted {
        _ if !good => Err(Errno::EINVAL),
        0 => Ok(()),
        _ => Err(Errno(libc::EACCES)),
    }
}
