//! The exported C functions: one table, name and arguments as in `hsakmt.h`, and the body that does it. Panics do not leave
//! the library.

#![allow(unsafe_code, reason = "exports C symbols by name")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use kfd_sys::debug::DbgTrapArgs;
use kfd_sys::profile::PcSampleInfo;

use crate::abi::counter::{Counter, PmcTraceRoot};
use crate::abi::event::{ClockCounters, Event, EventDescriptor};
use crate::abi::memory::{
    GpuTileConfig, GraphicsResourceInfo, MemFlags, MemoryRange, PointerInfo, SharedMemoryHandle, SvmAttribute,
};
use crate::abi::node::{
    CacheProperties, IoLinkProperties, MemoryProperties, NodeProperties, SystemProperties, VersionInfo,
};
use crate::abi::queue::{DbgWaveMessage, QueueInfo, QueueResource};
use crate::abi::status::{Result, Status};
use crate::api::{counter, debug, event, memory, open, queue, share, svm, topology};
use crate::ffi::Ptr;

/// Runs a body. A defect of ours does not end the program that calls us.
fn call(name: &'static str, body: impl FnOnce() -> Result<()>) -> Status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::SUCCESS,
        Ok(Err(status)) => status,
        Err(panic) => {
            let text = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("no message");
            crate::state::tell(format_args!("{name}: a defect of this library: {text}"));
            Status::ERROR
        }
    }
}

/// Declares the functions, and the list of their names.
macro_rules! exports {
    ($( $theme:ident { $( fn $name:ident($($arg:ident: $ty:ty),*) = $body:ident($($pass:ident),*); )* } )*) => {
        $( $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "as C has it")]
            pub extern "C" fn $name($($arg: $ty),*) -> Status {
                call(stringify!($name), move || {
                    $( let _ = &$arg; )*
                    $theme::$body($($pass),*)
                })
            }
        )* )*

        /// The names of all functions.
        pub const EXPORTS: &[&str] = &[$( $( stringify!($name) ),* ),*];
    };
}

/// An address that the library does not look behind.
type Address = u64;

#[rustfmt::skip]
exports! {
    open {
        fn hsaKmtOpenKFD() = open();
        fn hsaKmtCloseKFD() = close();
        fn hsaKmtGetVersion(info: Ptr<VersionInfo>) = version(info);
        fn hsaKmtGetClockCounters(node: u32, counters: Ptr<ClockCounters>) = clock_counters(node, counters);
        fn hsaKmtModelEnabled(enabled: Ptr<bool>) = model_enabled(enabled);
        fn hsaKmtMapGraphicHandle(node: u32, device: u64, resource: u64, offset: u64, size: u64, address: Ptr<u64>) = not_implemented();
        fn hsaKmtReplaceAsanHeaderPage(address: Address) = not_supported();
        fn hsaKmtReturnAsanHeaderPage(address: Address) = not_supported();
        fn hsaKmtImportExternalSemaphore(node: u32, description: Address) = not_supported();
        fn hsaKmtDestroyExternalSemaphore(semaphore: Address) = not_supported();
        fn hsaKmtHandleImport(description: Address, result: Address, flags: Address) = not_supported();
        fn hsaKmtMemoryVaMap(handle: Address, offset: u64, size: u64, address: u64, flags: u32) = not_supported();
        fn hsaKmtMemoryVaUnmap(handle: Address, offset: u64, size: u64, address: u64) = not_supported();
        fn hsaKmtMemHandleFree(handle: Address) = not_supported();
        fn hsaKmtMemoryCpuMap(handle: Address, pointer: Address) = not_supported();
        fn hsaKmtMemoryGetCpuAddr(device: Address, handle: Address, fd: Address, address: Address) = not_supported();
        fn hsaKmtAisReadWriteFile(address: Address, size: u64, fd: i32, offset: i64, flags: u32, copied: Address, status: Address) = not_supported();
        fn hsaKmtSetSigbusDelay(node: u32, milliseconds: u32) = not_supported();
    }
    topology {
        fn hsaKmtAcquireSystemProperties(properties: Ptr<SystemProperties>) = acquire(properties);
        fn hsaKmtReleaseSystemProperties() = release();
        fn hsaKmtGetAMDGPUDeviceHandle(node: u32, device: Ptr<u64>) = drm_device(node, device);
        fn hsaKmtGetNodeProperties(node: u32, properties: Ptr<NodeProperties>) = node_properties(node, properties);
        fn hsaKmtGetNodeMemoryProperties(node: u32, count: u32, properties: Ptr<MemoryProperties>) = memory_properties(node, count, properties);
        fn hsaKmtGetNodeCacheProperties(node: u32, processor: u32, count: u32, properties: Ptr<CacheProperties>) = cache_properties_of(node, processor, count, properties);
        fn hsaKmtGetNodeIoLinkProperties(node: u32, count: u32, properties: Ptr<IoLinkProperties>) = io_link_properties(node, count, properties);
        fn hsaKmtGetNodeWallclockFrequency(node: u32, hz: Ptr<u64>) = wallclock_frequency(node, hz);
    }
    event {
        fn hsaKmtCreateEvent(descriptor: Ptr<EventDescriptor>, manual_reset: bool, signaled: bool, out: Ptr<u64>) = create(descriptor, manual_reset, signaled, out);
        fn hsaKmtDestroyEvent(event: Ptr<Event>) = destroy(event);
        fn hsaKmtSetEvent(event: Ptr<Event>) = set(event);
        fn hsaKmtResetEvent(event: Ptr<Event>) = reset(event);
        fn hsaKmtQueryEventState(event: Ptr<Event>) = query_state(event);
        fn hsaKmtWaitOnEvent(event: Ptr<Event>, milliseconds: u32) = wait_one(event, milliseconds);
        fn hsaKmtWaitOnEvent_Ext(event: Ptr<Event>, milliseconds: u32, age: Ptr<u64>) = wait_one_since(event, milliseconds, age);
        fn hsaKmtWaitOnMultipleEvents(events: Ptr<u64>, count: u32, all: bool, milliseconds: u32) = wait_many(events, count, all, milliseconds);
        fn hsaKmtWaitOnMultipleEvents_Ext(events: Ptr<u64>, count: u32, all: bool, milliseconds: u32, ages: Ptr<u64>) = wait_many_since(events, count, all, milliseconds, ages);
        fn hsaKmtOpenSMI(node: u32, fd: Ptr<i32>) = open_smi(node, fd);
    }
    queue {
        fn hsaKmtCreateQueue(node: u32, kind: u32, percentage: u32, priority: i32, ring: Address, bytes: u64, event: Ptr<Event>, resource: Ptr<QueueResource>) = create(node, kind, percentage, priority, ring, bytes, event, resource);
        fn hsaKmtCreateQueueExt(node: u32, kind: u32, percentage: u32, priority: i32, engine: u32, ring: Address, bytes: u64, event: Ptr<Event>, resource: Ptr<QueueResource>) = create_on_engine(node, kind, percentage, priority, engine, ring, bytes, event, resource);
        fn hsaKmtUpdateQueue(queue: u64, percentage: u32, priority: i32, ring: Address, bytes: u64, event: Ptr<Event>) = update(queue, percentage, priority, ring, bytes, event);
        fn hsaKmtDestroyQueue(queue: u64) = destroy(queue);
        fn hsaKmtSetQueueCUMask(queue: u64, bits: u32, mask: Ptr<u32>) = set_cu_mask(queue, bits, mask);
        fn hsaKmtGetQueueInfo(queue: u64, out: Ptr<QueueInfo>) = info(queue, out);
        fn hsaKmtAllocQueueGWS(queue: u64, count: u32, first: Ptr<u32>) = allocate_gws(queue, count, first);
        fn hsaKmtQueueRingDoorbell(queue: u64) = ring_doorbell(queue);
        fn hsaKmtSetTrapHandler(node: u32, code: Address, code_size: u64, data: Address, data_size: u64) = set_trap_handler(node, code, code_size, data, data_size);
    }
    memory {
        fn hsaKmtSetMemoryPolicy(node: u32, default: u32, alternate: u32, address: Address, size: u64) = set_policy(node, default, alternate, address, size);
        fn hsaKmtAllocMemory(node: u32, size: u64, flags: MemFlags, address: Ptr<u64>) = allocate(node, size, flags, address);
        fn hsaKmtAllocMemoryAlign(node: u32, size: u64, alignment: u64, flags: MemFlags, address: Ptr<u64>) = allocate_aligned(node, size, alignment, flags, address);
        fn hsaKmtFreeMemory(address: Address, size: u64) = free(address, size);
        fn hsaKmtAvailableMemory(node: u32, bytes: Ptr<u64>) = available(node, bytes);
        fn hsaKmtRegisterMemory(address: Address, size: u64) = register(address, size);
        fn hsaKmtRegisterMemoryToNodes(address: Address, size: u64, count: u64, nodes: Ptr<u32>) = register_to_nodes(address, size, count, nodes);
        fn hsaKmtRegisterMemoryWithFlags(address: Address, size: u64, flags: MemFlags) = register_with_flags(address, size, flags);
        fn hsaKmtDeregisterMemory(address: Address) = deregister(address);
        fn hsaKmtMapMemoryToGPU(address: Address, size: u64, alternate: Ptr<u64>) = map(address, size, alternate);
        fn hsaKmtMapMemoryToGPUNodes(address: Address, size: u64, alternate: Ptr<u64>, flags: u32, count: u64, nodes: Ptr<u32>) = map_to_nodes(address, size, alternate, flags, count, nodes);
        fn hsaKmtUnmapMemoryToGPU(address: Address) = unmap(address);
        fn hsaKmtUnmapGraphicHandle(node: u32, address: u64, size: u64) = unmap_graphic(node, address, size);
        fn hsaKmtGetTileConfig(node: u32, config: Ptr<GpuTileConfig>) = tile_config(node, config);
        fn hsaKmtQueryPointerInfo(pointer: Address, info: Ptr<PointerInfo>) = pointer_info(pointer, info);
        fn hsaKmtSetMemoryUserData(pointer: Address, data: Address) = set_user_data(pointer, data);
    }
    share {
        fn hsaKmtRegisterGraphicsHandleToNodes(dmabuf: u64, info: Ptr<GraphicsResourceInfo>, count: u64, nodes: Ptr<u32>) = import_graphics(dmabuf, info, count, nodes);
        fn hsaKmtRegisterGraphicsHandleToNodesExt(dmabuf: u64, info: Ptr<GraphicsResourceInfo>, count: u64, nodes: Ptr<u32>, flags: u32) = import_graphics_ext(dmabuf, info, count, nodes, flags);
        fn hsaKmtExportDMABufHandle(address: Address, size: u64, fd: Ptr<i32>, offset: Ptr<u64>) = export_dmabuf(address, size, fd, offset);
        fn hsaKmtShareMemory(address: Address, size: u64, handle: Ptr<SharedMemoryHandle>) = share(address, size, handle);
        fn hsaKmtRegisterSharedHandle(handle: Ptr<SharedMemoryHandle>, address: Ptr<u64>, size: Ptr<u64>) = open(handle, address, size);
        fn hsaKmtRegisterSharedHandleToNodes(handle: Ptr<SharedMemoryHandle>, address: Ptr<u64>, size: Ptr<u64>, count: u64, nodes: Ptr<u32>) = open_to_nodes(handle, address, size, count, nodes);
        fn hsaKmtProcessVMRead(pid: u32, local: Ptr<MemoryRange>, local_count: u64, remote: Ptr<MemoryRange>, remote_count: u64, copied: Ptr<u64>) = read_process(pid, local, local_count, remote, remote_count, copied);
        fn hsaKmtProcessVMWrite(pid: u32, local: Ptr<MemoryRange>, local_count: u64, remote: Ptr<MemoryRange>, remote_count: u64, copied: Ptr<u64>) = write_process(pid, local, local_count, remote, remote_count, copied);
    }
    svm {
        fn hsaKmtSVMSetAttr(address: Address, size: u64, count: u32, attributes: Ptr<SvmAttribute>) = set(address, size, count, attributes);
        fn hsaKmtSVMGetAttr(address: Address, size: u64, count: u32, attributes: Ptr<SvmAttribute>) = get(address, size, count, attributes);
        fn hsaKmtSetXNACKMode(enable: i32) = set_xnack(enable);
        fn hsaKmtGetXNACKMode(enable: Ptr<i32>) = get_xnack(enable);
    }
    debug {
        fn hsaKmtDbgRegister(node: u32) = register(node);
        fn hsaKmtDbgUnregister(node: u32) = unregister(node);
        fn hsaKmtDbgWavefrontControl(node: u32, operation: u32, mode: u32, trap_id: u32, message: Ptr<DbgWaveMessage>) = wavefront_control(node, operation, mode, trap_id, message);
        fn hsaKmtDbgAddressWatch(node: u32, points: u32, modes: Ptr<u32>, addresses: Ptr<u64>, masks: Ptr<u64>, events: Ptr<u64>) = address_watch(node, points, modes, addresses, masks, events);
        fn hsaKmtGetKernelDebugTrapVersionInfo(major: Ptr<u32>, minor: Ptr<u32>) = old_version(major, minor);
        fn hsaKmtRuntimeEnable(r_debug: Address, setup_ttmp: bool) = runtime_enable(r_debug, setup_ttmp);
        fn hsaKmtRuntimeDisable() = runtime_disable();
        fn hsaKmtCheckRuntimeDebugSupport() = check_runtime_support();
        fn hsaKmtGetRuntimeCapabilities(mask: Ptr<u32>) = runtime_capabilities(mask);
        fn hsaKmtDbgEnable(info: Ptr<u64>, size: Ptr<u32>) = enable(info, size);
        fn hsaKmtDbgDisable() = disable();
        fn hsaKmtDbgGetDeviceData(data: Ptr<u64>, count: Ptr<u32>, size: Ptr<u32>) = devices(data, count, size);
        fn hsaKmtDbgGetQueueData(data: Ptr<u64>, count: Ptr<u32>, size: Ptr<u32>, suspend: bool) = queues(data, count, size, suspend);
        fn hsaKmtDebugTrapIoctl(args: Ptr<DbgTrapArgs>, handles: Ptr<u64>, returned: Ptr<u64>) = trap(args, handles, returned);
        fn hsaKmtSPMAcquire(node: u32) = spm_acquire(node);
        fn hsaKmtSPMRelease(node: u32) = spm_release(node);
        fn hsaKmtSPMSetDestBuffer(node: u32, bytes: u32, timeout: Ptr<u32>, copied: Ptr<u32>, address: Address, lost: Ptr<bool>) = spm_set_buffer(node, bytes, timeout, copied, address, lost);
        fn hsaKmtPcSamplingSupport() = pc_sampling_support();
        fn hsaKmtPcSamplingQueryCapabilities(node: u32, info: Address, room: u32, needed: Ptr<u32>) = pc_sampling_capabilities(node, info, room, needed);
        fn hsaKmtPcSamplingCreate(node: u32, info: Ptr<PcSampleInfo>, trace_id: Ptr<u32>) = pc_sampling_create(node, info, trace_id);
        fn hsaKmtPcSamplingDestroy(node: u32, trace_id: u32) = pc_sampling_destroy(node, trace_id);
        fn hsaKmtPcSamplingStart(node: u32, trace_id: u32) = pc_sampling_start(node, trace_id);
        fn hsaKmtPcSamplingStop(node: u32, trace_id: u32) = pc_sampling_stop(node, trace_id);
    }
    counter {
        fn hsaKmtPmcGetCounterProperties(node: u32, out: Ptr<u64>) = properties(node, out);
        fn hsaKmtPmcRegisterTrace(node: u32, count: u32, counters: Ptr<Counter>, root: Ptr<PmcTraceRoot>) = register(node, count, counters, root);
        fn hsaKmtPmcUnregisterTrace(node: u32, id: u64) = unregister(node, id);
        fn hsaKmtPmcAcquireTraceAccess(node: u32, id: u64) = acquire(node, id);
        fn hsaKmtPmcReleaseTraceAccess(node: u32, id: u64) = release(node, id);
        fn hsaKmtPmcStartTrace(id: u64, buffer: Address, bytes: u64) = start(id, buffer, bytes);
        fn hsaKmtPmcQueryTrace(id: u64) = query(id);
        fn hsaKmtPmcStopTrace(id: u64) = stop(id);
    }
}
