//! A debugger's side of KFD (1.13): exceptions, queues off the hardware, snapshots (libhsakmt's `debug.c`).

use std::os::fd::RawFd;

use kfd_sys::debug::{DbgTrapArgs, TrapOp};
use kfd_sys::trap::{
    ClearNodeAddressWatchArgs, DeviceInfoEntry, DeviceSnapshotArgs, EnableArgs, QueryDebugEventArgs,
    QueryExceptionInfoArgs, QueueSnapshotArgs, QueueSnapshotEntry, ResumeQueuesArgs, RuntimeInfo,
    SendRuntimeEventArgs, SetExceptionsEnabledArgs, SetFlagsArgs, SetNodeAddressWatchArgs,
    SetWaveLaunchModeArgs, SetWaveLaunchOverrideArgs, SuspendQueuesArgs,
};

use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// A process under the debugger. Nothing ends with this value: say [`Debugger::disable`].
#[derive(Debug, Clone)]
pub struct Debugger {
    thunk: Thunk,
    pid: u32,
}

/// An exception, and whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebugEvent {
    /// Bits of [`kfd_sys::trap::exception`].
    pub exceptions: u64,
    /// KFD's number of the GPU.
    pub gpu_id: u32,
    /// KFD's number of the queue.
    pub queue_id: u32,
}

impl Thunk {
    /// The debugger's calls on a process, which it traces (`ptrace`); a process may be its own debugger.
    pub fn debugger(&self, pid: u32) -> Result<Debugger> {
        if self.version().1 < 13 {
            return Err(Error::request("DBG_TRAP", "needs KFD interface 1.13"));
        }
        Ok(Debugger { thunk: self.clone(), pid })
    }

    /// Can the waves of every GPU be debugged, as far as its topology says?
    pub fn supports_debugging(&self) -> bool {
        /// Bits of `capability`: trap handlers for a debugger, firmware that can.
        const TRAP: u32 = 1 << 15;
        const FIRMWARE: u32 = 1 << 29;
        let mut gpus = self.topology().gpus().peekable();
        gpus.peek().is_some()
            && gpus.all(|node| node.properties.capability & (TRAP | FIRMWARE) == TRAP | FIRMWARE)
    }
}

impl Debugger {
    fn call<A: kfd_sys::Arg>(&self, op: TrapOp, member: &mut A) -> Result<()> {
        let mut args = DbgTrapArgs::of(self.pid, op, member);
        let result = self.thunk.context.call(&mut args, |a| format!("{:?} of process {}", a.op, a.pid));
        *member = args.member();
        result
    }

    /// Begins. `notify` becomes readable with each exception of `exceptions`.
    pub fn enable(&self, exceptions: u64, notify: RawFd) -> Result<RuntimeInfo> {
        let mut info = RuntimeInfo::default();
        let mut args = EnableArgs {
            exception_mask: exceptions,
            rinfo_ptr: &raw mut info as u64,
            rinfo_size: size_of::<RuntimeInfo>() as u32,
            dbg_fd: notify as u32,
        };
        self.call(TrapOp::ENABLE, &mut args)?;
        Ok(info)
    }

    /// Ends.
    pub fn disable(&self) -> Result<()> {
        self.call(TrapOp::DISABLE, &mut EnableArgs::default())
    }

    /// Raises exceptions as if the runtime had; of a GPU or a queue, where they have one.
    pub fn send_runtime_event(&self, event: DebugEvent) -> Result<()> {
        let DebugEvent { exceptions, gpu_id, queue_id } = event;
        let mut args = SendRuntimeEventArgs { exception_mask: exceptions, gpu_id, queue_id };
        self.call(TrapOp::SEND_RUNTIME_EVENT, &mut args)
    }

    /// Chooses the exceptions to be told of.
    pub fn set_exceptions_enabled(&self, exceptions: u64) -> Result<()> {
        let mut args = SetExceptionsEnabledArgs { exception_mask: exceptions };
        self.call(TrapOp::SET_EXCEPTIONS_ENABLED, &mut args)
    }

    /// Chooses the traps of waves to come: adds `traps`, or replaces by them. Returns those before, and those that there are.
    pub fn set_wave_launch_override(&self, replace: bool, traps: u32, meant: u32) -> Result<(u32, u32)> {
        let mut args = SetWaveLaunchOverrideArgs {
            override_mode: replace.into(),
            enable_mask: traps,
            support_request_mask: meant,
            pad: 0,
        };
        self.call(TrapOp::SET_WAVE_LAUNCH_OVERRIDE, &mut args)?;
        Ok((args.enable_mask, args.support_request_mask))
    }

    /// Chooses how waves to come begin: 0 as usual, 1 halted, 3 in single steps.
    pub fn set_wave_launch_mode(&self, mode: u32) -> Result<()> {
        let mut args = SetWaveLaunchModeArgs { launch_mode: mode, pad: 0 };
        self.call(TrapOp::SET_WAVE_LAUNCH_MODE, &mut args)
    }

    /// Takes queues off the hardware, their waves saved. What could not be done has a bit in its number then:
    /// [`kfd_sys::trap::QUEUE_ERROR`], [`kfd_sys::trap::QUEUE_INVALID`].
    pub fn suspend_queues(&self, queues: &mut [u32], clear: u64, grace_period: u32) -> Result<()> {
        let mut args = SuspendQueuesArgs {
            exception_mask: clear,
            queue_array_ptr: queues.as_mut_ptr() as u64,
            num_queues: queues.len() as u32,
            grace_period,
        };
        self.call(TrapOp::SUSPEND_QUEUES, &mut args)
    }

    /// Puts queues back; bits as with [`Debugger::suspend_queues`].
    pub fn resume_queues(&self, queues: &mut [u32]) -> Result<()> {
        let mut args = ResumeQueuesArgs {
            queue_array_ptr: queues.as_mut_ptr() as u64,
            num_queues: queues.len() as u32,
            pad: 0,
        };
        self.call(TrapOp::RESUME_QUEUES, &mut args)
    }

    /// Watches an address: 0 reads, 1 others, 2 atomics, 3 all. Returns the number of the watch.
    pub fn watch(&self, node: NodeId, address: u64, mask: u32, mode: u32) -> Result<u32> {
        let gpu_id = self.thunk.context.gpu(node)?.gpu_id;
        let mut args = SetNodeAddressWatchArgs { address, mode, mask, gpu_id, id: 0 };
        self.call(TrapOp::SET_NODE_ADDRESS_WATCH, &mut args)?;
        Ok(args.id)
    }

    /// Ends a watch.
    pub fn unwatch(&self, node: NodeId, id: u32) -> Result<()> {
        let gpu_id = self.thunk.context.gpu(node)?.gpu_id;
        self.call(TrapOp::CLEAR_NODE_ADDRESS_WATCH, &mut ClearNodeAddressWatchArgs { gpu_id, id })
    }

    /// Chooses further settings of waves; bit 0 waits for each memory operation. Returns those before.
    pub fn set_flags(&self, flags: u32) -> Result<u32> {
        let mut args = SetFlagsArgs { flags, pad: 0 };
        self.call(TrapOp::SET_FLAGS, &mut args)?;
        Ok(args.flags)
    }

    /// A queue or GPU with an exception, and clears `clear` of it.
    pub fn query_event(&self, clear: u64) -> Result<DebugEvent> {
        let mut args = QueryDebugEventArgs { exception_mask: clear, gpu_id: 0, queue_id: 0 };
        self.call(TrapOp::QUERY_DEBUG_EVENT, &mut args)?;
        Ok(DebugEvent { exceptions: args.exception_mask, gpu_id: args.gpu_id, queue_id: args.queue_id })
    }

    /// What an exception of a GPU or queue says.
    pub fn exception_info(&self, code: u32, source: u32, clear: bool) -> Result<Vec<u8>> {
        let mut info = vec![0u8; 256];
        let mut args = QueryExceptionInfoArgs {
            info_ptr: info.as_mut_ptr() as u64,
            info_size: info.len() as u32,
            source_id: source,
            exception_code: code,
            clear_exception: clear.into(),
        };
        self.call(TrapOp::QUERY_EXCEPTION_INFO, &mut args)?;
        info.truncate(args.info_size as usize);
        Ok(info)
    }

    /// The queues of the process, and clears `clear` of them.
    pub fn queues(&self, clear: u64) -> Result<Vec<QueueSnapshotEntry>> {
        let mut entries: Vec<QueueSnapshotEntry> = Vec::new();
        loop {
            let mut args = QueueSnapshotArgs {
                exception_mask: clear,
                snapshot_buf_ptr: entries.as_mut_ptr() as u64,
                num_queues: entries.len() as u32,
                entry_size: size_of::<QueueSnapshotEntry>() as u32,
            };
            self.call(TrapOp::GET_QUEUE_SNAPSHOT, &mut args)?;
            let there = args.num_queues as usize;
            if there <= entries.len() {
                entries.truncate(there);
                return Ok(entries);
            }
            entries.resize(there, QueueSnapshotEntry::default());
        }
    }

    /// The GPUs of the process, and clears `clear` of them.
    pub fn devices(&self, clear: u64) -> Result<Vec<DeviceInfoEntry>> {
        let mut entries: Vec<DeviceInfoEntry> = Vec::new();
        loop {
            let mut args = DeviceSnapshotArgs {
                exception_mask: clear,
                snapshot_buf_ptr: entries.as_mut_ptr() as u64,
                num_devices: entries.len() as u32,
                entry_size: size_of::<DeviceInfoEntry>() as u32,
            };
            self.call(TrapOp::GET_DEVICE_SNAPSHOT, &mut args)?;
            let there = args.num_devices as usize;
            if there <= entries.len() {
                entries.truncate(there);
                return Ok(entries);
            }
            entries.resize(there, DeviceInfoEntry::default());
        }
    }
}
