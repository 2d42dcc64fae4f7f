//! A process that debugs itself: the runtime's registration, exceptions, settings, snapshots; as `kfd_debug.c` has them.

mod common;

use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use amdgpu_emu::chips;
use common::{GTT, PACKETS, Queue, Rig, addr_of, barrier, set_signal, signal_value, wait_for};
use hsa_sys::PacketType;
use kfd_sys::debug::{DbgTrapArgs, RuntimeEnableArgs, RuntimeMode, TrapOp};
use kfd_sys::event::{EventType, WaitResult};
use kfd_sys::queue::{CreateQueueArgs, QueueType};
use kfd_sys::trap::exception::{self, mask};
use kfd_sys::trap::{
    ClearNodeAddressWatchArgs, EnableArgs, QUEUE_INVALID, QueryDebugEventArgs, QueryExceptionInfoArgs,
    QueueSnapshotArgs, QueueSnapshotEntry, ResumeQueuesArgs, RuntimeInfo, SendRuntimeEventArgs,
    SetExceptionsEnabledArgs, SetFlagsArgs, SetNodeAddressWatchArgs, SetWaveLaunchModeArgs,
    SetWaveLaunchOverrideArgs, SuspendQueuesArgs,
};
use kfd_sys::{Errno, KfdExt as _};

const NEW: u64 = mask(exception::QUEUE_NEW);
const RUNTIME: u64 = mask(exception::PROCESS_RUNTIME);
const EACCES: Errno = Errno(libc::EACCES);

fn call<A: kfd_sys::Arg>(rig: &Rig, op: TrapOp, mut member: A) -> (A, Result<(), Errno>) {
    let mut args = DbgTrapArgs::of(std::process::id(), op, &member);
    let result = rig.gpu.call(&mut args);
    member = args.member();
    (member, result)
}

fn runtime(rig: &Rig, on: bool) -> Result<(), Errno> {
    let mode = if on { RuntimeMode::ENABLE } else { RuntimeMode::empty() };
    rig.gpu.call(&mut RuntimeEnableArgs { r_debug: 0x1234, mode_mask: mode.bits(), capabilities_mask: 7 })
}

fn enable(rig: &Rig, exceptions: u64, file: u32) -> Result<RuntimeInfo, Errno> {
    let info = std::cell::Cell::new([0u64; 2]);
    let args =
        EnableArgs { exception_mask: exceptions, rinfo_ptr: addr_of(&info), rinfo_size: 16, dbg_fd: file };
    let (member, result) = call(rig, TrapOp::ENABLE, args);
    result?;
    assert_eq!(member.rinfo_size, 16);
    let [r_debug, rest] = info.get();
    Ok(RuntimeInfo { r_debug, runtime_state: rest as u32, ttmp_setup: (rest >> 32) as u32 })
}

fn disable(rig: &Rig) -> Result<(), Errno> {
    call(rig, TrapOp::DISABLE, EnableArgs::default()).1
}

fn query(rig: &Rig, clear: u64) -> Result<(u64, u32, u32), Errno> {
    let asked = QueryDebugEventArgs { exception_mask: clear, gpu_id: 9, queue_id: 9 };
    let (member, result) = call(rig, TrapOp::QUERY_DEBUG_EVENT, asked);
    result.map(|()| (member.exception_mask, member.gpu_id, member.queue_id))
}

fn send(rig: &Rig, exceptions: u64, queue_id: u32) -> Result<(), Errno> {
    let args = SendRuntimeEventArgs { exception_mask: exceptions, gpu_id: rig.gpu_id, queue_id };
    call(rig, TrapOp::SEND_RUNTIME_EVENT, args).1
}

fn info(rig: &Rig, code: u32, source_id: u32, clear: bool) -> Result<(u64, u32), Errno> {
    let room = std::cell::Cell::new([0u64; 2]);
    let (member, result) = call(
        rig,
        TrapOp::QUERY_EXCEPTION_INFO,
        QueryExceptionInfoArgs {
            info_ptr: addr_of(&room),
            info_size: 16,
            source_id,
            exception_code: code,
            clear_exception: clear.into(),
        },
    );
    result.map(|()| (room.get()[0], member.info_size))
}

fn suspend(rig: &Rig, ids: &[std::cell::Cell<u32>], clear: u64) -> Result<(), Errno> {
    call(
        rig,
        TrapOp::SUSPEND_QUEUES,
        SuspendQueuesArgs {
            exception_mask: clear,
            queue_array_ptr: addr_of(ids),
            num_queues: ids.len() as u32,
            grace_period: 0,
        },
    )
    .1
}

#[test]
fn a_registration_waits_for_the_debugger() {
    let rig = Rig::new(&chips::GFX90A);
    let (mut told, bell) = std::io::pipe().unwrap();
    let read = enable(&rig, RUNTIME, bell.as_raw_fd() as u32).unwrap();
    assert_eq!((read.r_debug, read.runtime_state), (0, 0));
    assert_eq!(suspend(&rig, &[], 0), Err(Errno::EPERM), "not before the runtime has registered");
    assert_eq!(query(&rig, 0), Err(Errno::EAGAIN));
    std::thread::scope(|scope| {
        let registration = scope.spawn(|| runtime(&rig, true));
        let mut dot = [0];
        told.read_exact(&mut dot).unwrap();
        assert_eq!(&dot, b".");
        assert_eq!(query(&rig, 0), Ok((RUNTIME, 0, 0)), "it stays until it is cleared");
        assert_eq!(info(&rig, exception::PROCESS_RUNTIME, 0, false), Ok((0x1234, 16)));
        assert_eq!(query(&rig, RUNTIME), Ok((RUNTIME, 0, 0)));
        assert_eq!(info(&rig, exception::PROCESS_RUNTIME, 0, false), Err(Errno(libc::ENODATA)));
        std::thread::sleep(Duration::from_millis(5));
        assert!(!registration.is_finished(), "nobody has answered");
        send(&rig, RUNTIME, 0).unwrap();
        assert_eq!(registration.join().unwrap(), Ok(()));
    });
    assert_eq!(suspend(&rig, &[], 0), Ok(()));
    assert_eq!(runtime(&rig, true), Err(Errno::EBUSY));
    // The end of debugging lets it go, too.
    std::thread::scope(|scope| {
        let registration = scope.spawn(|| runtime(&rig, false));
        told.read_exact(&mut [0]).unwrap();
        assert_eq!(disable(&rig), Ok(()));
        assert_eq!(registration.join().unwrap(), Ok(()));
    });
    // Without a debugger there is nobody to wait for.
    assert_eq!((runtime(&rig, true), runtime(&rig, false)), (Ok(()), Ok(())));
    let queue = Queue::new(&rig);
    assert_eq!(runtime(&rig, true), Err(Errno::EEXIST));
    queue.destroy();
}

#[test]
fn queues_are_new_suspended_and_let_go() {
    let rig = Rig::new(&chips::GFX90A);
    let before = Queue::new(&rig);
    let (mut told, bell) = std::io::pipe().unwrap();
    before.destroy();
    runtime(&rig, true).unwrap();
    assert_eq!(enable(&rig, 0, bell.as_raw_fd() as u32).unwrap().runtime_state, 1);
    let (first, second) = (Queue::new(&rig), Queue::new(&rig));
    assert_eq!(query(&rig, 0), Err(Errno::EAGAIN), "nobody wants to hear of it");
    // What is there already rings when it is asked for.
    let wanted = SetExceptionsEnabledArgs { exception_mask: NEW };
    assert_eq!(call(&rig, TrapOp::SET_EXCEPTIONS_ENABLED, wanted).1, Ok(()));
    told.read_exact(&mut [0]).unwrap();
    let id = |queue: &Queue<'_>| std::cell::Cell::new(queue.id);
    let ids = [id(&first), id(&second), std::cell::Cell::new(77)];
    suspend(&rig, &ids, 0).unwrap();
    assert_eq!(ids.each_ref().map(|id| id.get() & QUEUE_INVALID), [QUEUE_INVALID; 3], "new, new, none");
    assert_eq!(query(&rig, NEW), Ok((NEW, rig.gpu_id, first.id)));
    assert_eq!(info(&rig, exception::QUEUE_NEW, second.id, true), Ok((0, 0)));
    assert_eq!(query(&rig, 0), Err(Errno::EAGAIN));
    let ids = [id(&first), id(&second)];
    suspend(&rig, &ids, 0).unwrap();
    assert_eq!(ids.each_ref().map(std::cell::Cell::get), [first.id, second.id]);
    let done = [first.signal(1), second.signal(1)];
    for (queue, done) in [&first, &second].into_iter().zip(&done) {
        queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(done)));
    }
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(done.each_ref().map(signal_value), [1, 1]);
    let args = ResumeQueuesArgs { queue_array_ptr: addr_of(&ids[..1]), num_queues: 1, pad: 0 };
    assert_eq!(call(&rig, TrapOp::RESUME_QUEUES, args).1, Ok(()));
    wait_for("the first", || signal_value(&done[0]) == 0);
    assert_eq!(signal_value(&done[1]), 1);
    // With no array all of them.
    assert_eq!(call(&rig, TrapOp::RESUME_QUEUES, ResumeQueuesArgs::default()).1, Ok(()));
    wait_for("the second", || signal_value(&done[1]) == 0);
    // And so does the end of debugging.
    suspend(&rig, &ids, 0).unwrap();
    set_signal(&done[0], 1);
    first.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&done[0])));
    assert_eq!(disable(&rig), Ok(()));
    wait_for("the queue let go", || signal_value(&done[0]) == 0);
}

#[test]
fn settings_answers_and_refusals() {
    let rig = Rig::new(&chips::GFX90A);
    assert_eq!(disable(&rig), Err(Errno::EINVAL), "nobody debugs");
    runtime(&rig, true).unwrap();
    assert_eq!(enable(&rig, 0, 9999), Err(Errno::EBADF));
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
    enable(&rig, 0, null.as_raw_fd() as u32).unwrap();
    assert_eq!(enable(&rig, 0, null.as_raw_fd() as u32), Err(Errno(libc::EALREADY)));

    let flags = |flags| {
        let (member, result) = call(&rig, TrapOp::SET_FLAGS, SetFlagsArgs { flags, pad: 0 });
        (member.flags, result)
    };
    assert_eq!(flags(0x100), (0, Ok(())));
    assert_eq!(flags(1), (0x100, Err(EACCES)), "memory operations of one kind only");
    assert_eq!(flags(0), (0x100, Ok(())));
    let mode = |launch_mode| {
        call(&rig, TrapOp::SET_WAVE_LAUNCH_MODE, SetWaveLaunchModeArgs { launch_mode, pad: 0 }).1
    };
    let refused = Err(Errno::EOPNOTSUPP);
    assert_eq!([0, 1, 2, 3].map(mode), [Ok(()), refused, Err(Errno::EINVAL), refused]);
    let traps = |override_mode, support_request_mask| {
        let args = SetWaveLaunchOverrideArgs { override_mode, enable_mask: 5, support_request_mask, pad: 0 };
        let (member, result) = call(&rig, TrapOp::SET_WAVE_LAUNCH_OVERRIDE, args);
        (member.enable_mask, member.support_request_mask, result)
    };
    assert_eq!(traps(0, 0), (0, 0, Ok(())));
    assert_eq!(traps(1, 0x80), (0, 0, Err(EACCES)));
    assert_eq!(traps(2, 0), (0, 0, Err(Errno::EINVAL)));
    let watch = |gpu_id| {
        let args = SetNodeAddressWatchArgs { gpu_id, ..Default::default() };
        let clear = ClearNodeAddressWatchArgs { gpu_id, id: 0 };
        (
            call(&rig, TrapOp::SET_NODE_ADDRESS_WATCH, args).1,
            call(&rig, TrapOp::CLEAR_NODE_ADDRESS_WATCH, clear).1,
        )
    };
    assert_eq!(watch(rig.gpu_id), (Err(Errno::ENOMEM), Err(Errno::EINVAL)));
    assert_eq!(watch(1), (Err(Errno::ENODEV), Err(Errno::ENODEV)));

    assert_eq!(info(&rig, exception::QUEUE_NEW, 5, false), Err(Errno::EINVAL), "no such queue");
    assert_eq!(info(&rig, exception::DEVICE_MEMORY_VIOLATION, rig.gpu_id, false), Err(Errno(libc::ENODATA)));
    assert_eq!(info(&rig, exception::DEVICE_MEMORY_VIOLATION, 5, false), Err(Errno::EINVAL));
    assert_eq!(info(&rig, 40, 0, false), Err(Errno::EINVAL), "no such exception");
    let unknown = call(&rig, TrapOp(99), EnableArgs::default()).1;
    assert_eq!(unknown, Err(Errno::EINVAL));
    disable(&rig).unwrap();
}

#[test]
fn the_debugger_hands_exceptions_on() {
    let rig = Rig::new(&chips::GFX90A);
    let memory_event = rig.create_event(EventType::MEMORY, 0);
    let event = rig.create_event(EventType::SIGNAL, 0);
    let (pointers, ring, area) =
        (rig.allocate(4096, GTT), rig.allocate(PACKETS * 64, GTT), rig.allocate(8192, GTT));
    area.set64(3, area.va + 4096);
    area.set(8, event);
    area.set64(512, 0x100);
    let mut args = CreateQueueArgs {
        ring_base_address: ring.va,
        write_pointer_address: pointers.va,
        read_pointer_address: pointers.va + 64,
        ring_size: (PACKETS * 64) as u32,
        gpu_id: rig.gpu_id,
        queue_type: QueueType::COMPUTE_AQL,
        queue_percentage: 100,
        ctx_save_restore_address: area.va,
        ctx_save_restore_size: 4096,
        ..Default::default()
    };
    rig.gpu.call(&mut args).unwrap();
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
    enable(&rig, 0, null.as_raw_fd() as u32).unwrap();
    assert_eq!(send(&rig, mask(exception::QUEUE_WAVE_TRAP), args.queue_id), Ok(()));
    assert_eq!(area.get64(512), 0x100 | mask(exception::QUEUE_WAVE_TRAP));
    assert_eq!(rig.wait_event(event, 10_000).0, WaitResult::COMPLETE);
    assert_eq!(send(&rig, mask(exception::DEVICE_MEMORY_VIOLATION), 0), Ok(()));
    let (result, data) = rig.wait_event(memory_event, 10_000);
    assert_eq!((result, data.memory_exception().gpu_id), (WaitResult::COMPLETE, rig.gpu_id));
    // Snapshots: entries of the caller's size, as many as there is room for, and how many there are.
    let room = std::cell::Cell::new([0u64; 16]);
    let snapshot = |num_queues, entry_size| {
        let args =
            QueueSnapshotArgs { exception_mask: 0, snapshot_buf_ptr: addr_of(&room), num_queues, entry_size };
        let (member, result) = call(&rig, TrapOp::GET_QUEUE_SNAPSHOT, args);
        (member.num_queues, member.entry_size, result)
    };
    let whole = size_of::<QueueSnapshotEntry>() as u32;
    assert_eq!(snapshot(1, 16), (1, 16, Ok(())));
    assert_eq!((room.get()[1], room.get()[2]), (ring.va, 0));
    assert_eq!(snapshot(2, 1000), (1, whole, Ok(())));
    assert_eq!(room.get()[4], area.va);
    assert_eq!(snapshot(2, 0).2, Err(Errno::EINVAL));
    disable(&rig).unwrap();
}
