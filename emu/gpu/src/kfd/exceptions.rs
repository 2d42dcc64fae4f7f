//! Exceptions as a debugger is told of them (`kfd_dbg_ev_raise()` and what asks for what it has left).
//!
//! Raised here are those of queues that are new and of the runtime's registration. What goes wrong with waves and packets
//! goes to the runtime, whatever the debugger has asked for.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;

use kfd_sys::Errno;
use kfd_sys::debug::DbgTrapArgs;
use kfd_sys::event::MemoryExceptionData;
use kfd_sys::trap::exception::{self, mask};
use kfd_sys::trap::{
    ContextSaveAreaHeader, QueryDebugEventArgs, QueryExceptionInfoArgs, SendRuntimeEventArgs,
};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};
use zerocopy::{FromZeros as _, IntoBytes as _};

use super::Process;
use super::debug::{Debugging, State};

/// Where exceptions are told.
#[derive(Debug, Default)]
pub(super) struct Bell(Option<File>);

impl Bell {
    /// The file behind a descriptor of the program. One that cannot be written to, or be opened again (a socket), is
    /// never written to: the debugger has to ask.
    pub(super) fn of(descriptor: u32) -> Result<Bell, Errno> {
        let path = format!("/proc/self/fd/{descriptor}");
        std::fs::symlink_metadata(&path).map_err(|_| Errno::EBADF)?;
        Ok(Bell(OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path).ok()))
    }

    fn ring(&mut self) {
        let Some(file) = &mut self.0 else { return };
        // A pipe that nobody reads any more sends SIGPIPE to the thread that writes, which would end a program of C. It
        // goes with a thread of its own that has it blocked, as a thread has what its maker has.
        let (mut pipe, mut before) = (SigSet::empty(), SigSet::empty());
        pipe.add(Signal::SIGPIPE);
        if pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&pipe), Some(&mut before)).is_err() {
            return;
        }
        std::thread::scope(|scope| {
            // Nobody reads, or enough is there to read, or there is no thread: the debugger has to ask.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || file.write(b"."));
        });
        let _ = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&before), None);
    }
}

/// What kind of thing an exception is of.
enum Kind {
    Queue,
    Device,
    Process,
}

fn kind(code: u32) -> Option<Kind> {
    use exception as e;
    match code {
        e::QUEUE_WAVE_ABORT..=e::QUEUE_WAVE_APERTURE_VIOLATION
        | e::QUEUE_PACKET_DISPATCH_DIM_INVALID..=e::QUEUE_PACKET_VENDOR_UNSUPPORTED
        | e::QUEUE_PREEMPTION_ERROR
        | e::QUEUE_NEW => Some(Kind::Queue),
        e::DEVICE_QUEUE_DELETE..=e::DEVICE_NEW => Some(Kind::Device),
        e::PROCESS_RUNTIME | e::PROCESS_DEVICE_REMOVE => Some(Kind::Process),
        _ => None,
    }
}

impl State {
    /// Rings if one of these is among those that the debugger wants to hear of.
    pub(super) fn tell(&mut self, raised: u64) {
        if self.enabled && self.wanted & raised != 0 {
            self.bell.ring();
        }
    }

    /// Tells what is pending already.
    pub(super) fn tell_pending(&mut self, process: &Process) {
        let queues = process.queues.lock().values().fold(0, |all, facts| all | facts.exceptions);
        self.tell(queues | self.pending);
    }
}

impl Debugging {
    /// A queue is there.
    pub(super) fn queue_made(&self, process: &Process, id: u32) {
        let mut state = self.lock();
        if state.enabled {
            if let Some(facts) = process.queues.lock().get_mut(&id) {
                facts.exceptions |= mask(exception::QUEUE_NEW);
            }
            state.tell(mask(exception::QUEUE_NEW));
        }
    }
}

/// The first queue with a wanted exception, or the process.
pub(super) fn query(process: &Process, state: &mut State, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: QueryDebugEventArgs = arg.member();
    let clear = member.exception_mask;
    (member.exception_mask, member.gpu_id, member.queue_id) = (0, 0, 0);
    let mut queues = process.queues.lock();
    if let Some((id, facts)) = queues.iter_mut().find(|(_, facts)| facts.exceptions & state.wanted != 0) {
        (member.exception_mask, member.gpu_id, member.queue_id) = (facts.exceptions, facts.args.gpu_id, *id);
        facts.exceptions &= !clear;
    } else if state.pending & state.wanted != 0 {
        member.exception_mask = state.pending;
        state.pending &= !clear;
    }
    arg.set_member(&member);
    if member.exception_mask == 0 { Err(Errno::EAGAIN) } else { Ok(()) }
}

/// What an exception says: that of the runtime has its registration.
pub(super) fn info(process: &Process, state: &mut State, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: QueryExceptionInfoArgs = arg.member();
    if member.info_ptr == 0 {
        return Err(Errno::EINVAL);
    }
    let of = kind(member.exception_code).ok_or(Errno::EINVAL)?;
    let bit = mask(member.exception_code);
    let mut queues = process.queues.lock();
    let status = match of {
        Kind::Queue => &mut queues.get_mut(&member.source_id).ok_or(Errno::EINVAL)?.exceptions,
        Kind::Process => &mut state.pending,
        // None is raised for a GPU.
        Kind::Device => return process.device(member.source_id).and(Err(Errno(libc::ENODATA))),
    };
    if *status & bit == 0 {
        return Err(Errno(libc::ENODATA));
    }
    let bytes = state.runtime.as_bytes();
    let bytes = if member.exception_code == exception::PROCESS_RUNTIME { bytes } else { &[] };
    process.user.write(member.info_ptr, &bytes[..bytes.len().min(member.info_size as usize)])?;
    member.info_size = bytes.len() as u32;
    if member.clear_exception != 0 {
        *status &= !bit;
    }
    arg.set_member(&member);
    Ok(())
}

/// The debugger hands an exception on to the runtime: a memory event, the end of a wait of `RUNTIME_ENABLE`, or what the
/// head of the queue's save area names.
pub(super) fn send(process: &Process, state: &mut State, member: &SendRuntimeEventArgs) -> Result<(), Errno> {
    let mut raised = member.exception_mask;
    let memory = mask(exception::DEVICE_MEMORY_VIOLATION);
    if raised & memory != 0 {
        process.device(member.gpu_id).map_err(|_| Errno::ENODEV)?;
        process.events.memory_fault(MemoryExceptionData { gpu_id: member.gpu_id, ..Default::default() });
        raised &= !memory;
    }
    if raised & mask(exception::PROCESS_RUNTIME) != 0 {
        state.answers += 1;
        process.debugging.answered();
        raised &= !mask(exception::PROCESS_RUNTIME);
    }
    let area = process.queues.lock().get(&member.queue_id).map(|facts| facts.args.ctx_save_restore_address);
    if let Some(area) = area.filter(|area| raised != 0 && *area != 0) {
        let mut head = ContextSaveAreaHeader::new_zeroed();
        process.user.read(area, head.as_mut_bytes())?;
        let mut payload = 0u64;
        process.user.read(head.err_payload_addr, payload.as_mut_bytes())?;
        process.user.write(head.err_payload_addr, (payload | raised).as_bytes())?;
        // As KFD does, whether there is such an event or not.
        let _ = process.events.set(head.err_event_id);
    }
    Ok(())
}
