//! HIP runtime: a drop-in libamdhip64.so
//!
//! This page is the library's C surface, whole: one row a function, with the body that answers it in `api/<noun>.rs`.
//! What HIP 5.2 exports and this library does not do yet stands in [`not_implemented`]; calling it gives
//! `hipErrorNotSupported` and one line on stderr.
//!
//! - `register/`: what compiled programs tell before `main`: fat binaries, kernels, variables. Nothing is parsed there.
//! - `device.rs`, `stream.rs`, `lane.rs`, `event.rs`: devices, and the order of work on them
//! - `launch/`: from a kernel's metadata and a caller's arguments to a packet
//! - `work.rs`, `graph/`: what a stream can be given; graphs of it, and stream capture
//! - `hostcall/`: the thread that serves `printf`, `assert` and `malloc` of device code
//! - `observe/`: who listens to what happens: the story of a run, the log, the trace
//! - `environment.rs`: the environment variables
//! - `soname.rs`: which of the ABIs of HIP 5, 6 and 7 the program speaks
//! - `state.rs`: the one static of the library
#![allow(non_snake_case, reason = "the names are those of the C API")]

mod advice;
mod allocation;
mod api;
mod array;
mod device;
mod environment;
mod error;
mod event;
mod export;
pub mod ffi;
mod graph;
mod hostcall;
mod kernarg;
mod lane;
mod launch;
mod marker;
mod module;
pub mod not_implemented;
mod observe;
mod pool;
mod recycle;
mod register;
mod soname;
mod state;
mod stream;
mod texture;
mod tls;
mod work;

// The functions of the run-time compiler are of this library too.
pub use hiprtc;

use ffi::{In, Out, Text};
use hip_sys::{
    CooperativeLaunchFlags, HIP_ARRAY_DESCRIPTOR, HIP_ARRAY3D_DESCRIPTOR, HIP_MEMCPY3D, HIP_RESOURCE_DESC,
    HIP_RESOURCE_VIEW_DESC, HIP_TEXTURE_DESC, Numbered, TextureFlags, dim3, hip_Memcpy2D, hipArray_Format,
    hipChannelFormatDesc, hipCtx_t, hipDevice_t, hipDeviceAttribute_t, hipDeviceP2PAttr,
    hipDeviceProp_tR0000, hipDeviceProp_tR0600, hipDeviceptr_t, hipError_t, hipEvent_t, hipExtent,
    hipFuncAttribute, hipFuncAttributes, hipFuncCache_t, hipFunction_attribute, hipFunction_t,
    hipFunctionLaunchParams, hipGraph_t, hipGraphExec_t, hipGraphExecUpdateResult, hipGraphNode_t,
    hipGraphNodeType, hipHostFn_t, hipHostNodeParams, hipIpcEventHandle_t, hipIpcMemHandle_t,
    hipKernelNodeParams, hipLaunchParams, hipLimit_t, hipMemAccessDesc, hipMemAccessFlags,
    hipMemAllocationGranularity_flags, hipMemAllocationHandleType, hipMemAllocationProp,
    hipMemGenericAllocationHandle_t, hipMemLocation, hipMemPool_t, hipMemPoolAttr, hipMemPoolProps,
    hipMemRangeAttribute, hipMemcpy3DParms, hipMemcpyKind, hipMemoryAdvise, hipMemsetParams, hipModule_t,
    hipPitchedPtr, hipPointer_attribute, hipPointerAttribute_t, hipResourceDesc, hipResourceViewDesc,
    hipSharedMemConfig, hipStream_t, hipStreamCallback_t, hipStreamCaptureMode, hipStreamCaptureStatus,
    hipTextureAddressMode, hipTextureDesc, hipTextureFilterMode, hipUUID, hipUserObject_t, hiprtcJIT_option,
    hiprtcJITInputType, hiprtcLinkState, textureReference,
};
use hiprtc::ffi as rtc;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

type Address = *mut c_void;
type ConstAddress = *const c_void;

export::c_surface! {
    // What the compiler's constructors call.
    register {
        fn __hipRegisterFatBinary(wrapper: ConstAddress) -> *mut ConstAddress = fat_binary;
        fn __hipUnregisterFatBinary(handle: *mut ConstAddress) -> () = unregister_fat_binary;
        fn __hipRegisterFunction(handle: *mut ConstAddress, host: ConstAddress, device_function: Text, name: Text, limit: c_uint, tid: ConstAddress, bid: ConstAddress, block: ConstAddress, grid: ConstAddress, wave: ConstAddress) -> () = function;
        fn __hipRegisterVar(handle: *mut ConstAddress, shadow: ConstAddress, host_name: Text, name: Text, external: c_int, size: usize, constant: c_int, global: c_int) -> () = variable;
        fn __hipRegisterManagedVar(handle: *mut ConstAddress, pointer: Out<Address>, initial: ConstAddress, name: Text, size: usize, align: c_uint) -> () = managed;
        fn __hipRegisterSurface(handle: *mut ConstAddress, shadow: ConstAddress, host_name: Text, name: Text, kind: c_int, external: c_int) -> () = surface;
        fn __hipRegisterTexture(handle: *mut ConstAddress, shadow: ConstAddress, host_name: Text, name: Text, kind: c_int, normalised: c_int, external: c_int) -> () = texture;
    }
    // Errors.
    error {
        fn hipGetLastError() -> hipError_t = get_last_error;
        fn hipPeekAtLastError() -> hipError_t = peek_at_last_error;
        fn hipExtGetLastError() -> hipError_t = get_last_result;
        fn hipGetErrorName(error: hipError_t) -> *const c_char = name;
        fn hipGetErrorString(error: hipError_t) -> *const c_char = text;
        fn hipDrvGetErrorName(error: hipError_t, name: Out<*const c_char>) = drv_name;
        fn hipDrvGetErrorString(error: hipError_t, text: Out<*const c_char>) = drv_text;
    }
    // Kernel launches.
    launch {
        fn __hipPushCallConfiguration(grid: dim3, block: dim3, shared: usize, stream: hipStream_t) = push_configuration;
        fn __hipPopCallConfiguration(grid: Out<dim3>, block: Out<dim3>, shared: Out<usize>, stream: Out<hipStream_t>) = pop_configuration;
        fn hipLaunchKernel(function: ConstAddress, grid: dim3, block: dim3, arguments: In<ConstAddress>, shared: usize, stream: hipStream_t) = kernel;
        fn hipLaunchKernel_spt(function: ConstAddress, grid: dim3, block: dim3, arguments: In<ConstAddress>, shared: usize, stream: hipStream_t) = kernel_spt;
        fn hipExtLaunchKernel(function: ConstAddress, grid: dim3, block: dim3, arguments: In<ConstAddress>, shared: usize, stream: hipStream_t, start: hipEvent_t, stop: hipEvent_t, flags: c_int) = ext_kernel;
        fn hipConfigureCall(grid: dim3, block: dim3, shared: usize, stream: hipStream_t) = push_configuration;
        fn hipSetupArgument(argument: ConstAddress, size: usize, offset: usize) = setup_argument;
        fn hipLaunchByPtr(function: ConstAddress) = by_pointer;
    }
    // Grids whose work-groups wait for each other.
    cooperative {
        fn hipLaunchCooperativeKernel(function: ConstAddress, grid: dim3, block: dim3, arguments: In<ConstAddress>, shared: c_uint, stream: hipStream_t) = kernel;
        fn hipLaunchCooperativeKernel_spt(function: ConstAddress, grid: dim3, block: dim3, arguments: In<ConstAddress>, shared: c_uint, stream: hipStream_t) = kernel_spt;
        fn hipModuleLaunchCooperativeKernel(kernel: hipFunction_t, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: hipStream_t, arguments: In<ConstAddress>) = function;
        fn hipLaunchCooperativeKernelMultiDevice(list: In<hipLaunchParams>, count: c_int, flags: CooperativeLaunchFlags) = kernels;
        fn hipModuleLaunchCooperativeKernelMultiDevice(list: In<hipFunctionLaunchParams>, count: c_uint, flags: CooperativeLaunchFlags) = functions;
        fn hipExtLaunchMultiKernelMultiDevice(list: In<hipLaunchParams>, count: c_int, flags: CooperativeLaunchFlags) = ext_kernels;
    }
    // Modules, functions, occupancy.
    module {
        fn hipModuleLoad(module: Out<hipModule_t>, path: Text) = load;
        fn hipModuleLoadData(module: Out<hipModule_t>, image: ConstAddress) = load_data;
        fn hipModuleLoadDataEx(module: Out<hipModule_t>, image: ConstAddress, count: c_uint, options: ConstAddress, values: ConstAddress) = load_data_ex;
        fn hipModuleUnload(module: hipModule_t) = unload;
        fn hipModuleGetFunction(function: Out<hipFunction_t>, module: hipModule_t, name: Text) = get_function;
        fn hipModuleGetGlobal(address: Out<hipDeviceptr_t>, bytes: Out<usize>, module: hipModule_t, name: Text) = get_global;
        fn hipModuleLaunchKernel(function: hipFunction_t, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: hipStream_t, arguments: In<ConstAddress>, extra: In<ConstAddress>) = launch;
        fn _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(function: hipFunction_t, global_x: c_uint, global_y: c_uint, global_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: usize, stream: hipStream_t, arguments: In<ConstAddress>, extra: In<ConstAddress>, start: hipEvent_t, stop: hipEvent_t, flags: c_uint) = ext_launch;
        fn _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(function: hipFunction_t, global_x: c_uint, global_y: c_uint, global_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: usize, stream: hipStream_t, arguments: In<ConstAddress>, extra: In<ConstAddress>, start: hipEvent_t, stop: hipEvent_t) = hcc_launch;
        fn hipFuncGetAttributes(attributes: Out<hipFuncAttributes>, function: ConstAddress) = attributes;
        fn hipFuncGetAttribute(value: Out<c_int>, attribute: hipFunction_attribute, function: hipFunction_t) = attribute;
        fn hipFuncSetAttribute(function: ConstAddress, attribute: hipFuncAttribute, value: c_int) = set_attribute;
        fn hipFuncSetCacheConfig(function: ConstAddress, config: hipFuncCache_t) = set_cache_config;
        fn hipFuncSetSharedMemConfig(function: ConstAddress, config: hipSharedMemConfig) = set_shared_config;
        fn hipKernelNameRef(function: hipFunction_t) -> *const c_char = name;
        fn hipKernelNameRefByPtr(function: ConstAddress, stream: hipStream_t) -> *const c_char = name_of_host_function;
    }
    link {
        fn hipLinkCreate(count: c_uint, options: rtc::Array<hiprtcJIT_option>, values: rtc::Array<usize>, state: rtc::Out<hiprtcLinkState>) = create;
        fn hipLinkAddData(state: hiprtcLinkState, kind: hiprtcJITInputType, data: ConstAddress, size: usize, name: rtc::Text, count: c_uint, options: rtc::Array<hiprtcJIT_option>, values: rtc::Array<usize>) = add_data;
        fn hipLinkAddFile(state: hiprtcLinkState, kind: hiprtcJITInputType, path: rtc::Text, count: c_uint, options: rtc::Array<hiprtcJIT_option>, values: rtc::Array<usize>) = add_file;
        fn hipLinkComplete(state: hiprtcLinkState, code: rtc::Out<ConstAddress>, size: rtc::Out<usize>) = complete;
        fn hipLinkDestroy(state: hiprtcLinkState) = destroy;
    }
    occupancy {
        fn hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, function: ConstAddress, block: c_int, shared: usize) = blocks;
        fn hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<c_int>, function: ConstAddress, block: c_int, shared: usize, flags: c_uint) = blocks_with_flags;
        fn hipOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, function: ConstAddress, shared: usize, limit: c_int) = block_size;
        fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, function: hipFunction_t, block: c_int, shared: usize) = module_blocks;
        fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<c_int>, function: hipFunction_t, block: c_int, shared: usize, flags: c_uint) = module_blocks_with_flags;
        fn hipModuleOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, function: hipFunction_t, shared: usize, limit: c_int) = module_block_size;
        fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<c_int>, block: Out<c_int>, function: hipFunction_t, shared: usize, limit: c_int, flags: c_uint) = module_block_size_with_flags;
    }
    // Devices.
    device {
        fn hipInit(flags: c_uint) = init;
        fn hipDriverGetVersion(version: Out<c_int>) = driver_version;
        fn hipRuntimeGetVersion(version: Out<c_int>) = runtime_version;
        fn hipGetDeviceCount(count: Out<c_int>) = count;
        fn hipGetDevice(device: Out<c_int>) = get;
        fn hipSetDevice(device: c_int) = set;
        fn hipDeviceGet(device: Out<hipDevice_t>, ordinal: c_int) = get_by_ordinal;
        fn hipDeviceSynchronize() = synchronize;
        fn hipDeviceReset() = reset;
        fn hipGetDeviceFlags(flags: Out<c_uint>) = get_flags;
        fn hipSetDeviceFlags(flags: c_uint) = set_flags;
        fn hipDeviceGetName(name: Out<c_char>, len: c_int, device: hipDevice_t) = name;
        fn hipDeviceGetUuid(uuid: Out<hipUUID>, device: hipDevice_t) = uuid;
        fn hipDeviceGetPCIBusId(text: Out<c_char>, len: c_int, device: c_int) = pci_bus_id;
        fn hipDeviceGetByPCIBusId(device: Out<c_int>, text: Text) = by_pci_bus_id;
        fn hipDeviceTotalMem(bytes: Out<usize>, device: hipDevice_t) = total_memory;
        fn hipDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: hipDevice_t) = compute_capability;
        fn hipDeviceGetCacheConfig(config: Out<hipFuncCache_t>) = get_cache_config;
        fn hipDeviceSetCacheConfig(config: hipFuncCache_t) = set_cache_config;
        fn hipDeviceGetSharedMemConfig(config: Out<hipSharedMemConfig>) = get_shared_config;
        fn hipDeviceSetSharedMemConfig(config: hipSharedMemConfig) = set_shared_config;
        fn hipDeviceGetLimit(value: Out<usize>, limit: hipLimit_t) = get_limit;
        fn hipDeviceSetLimit(limit: hipLimit_t, value: usize) = set_limit;
        fn hipDeviceGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) = stream_priority_range;
        fn hipProfilerStart() = profiler;
        fn hipProfilerStop() = profiler;
    }
    properties {
        fn hipGetDeviceProperties(properties: Out<hipDeviceProp_tR0000>, device: c_int) = r0000;
        fn hipGetDevicePropertiesR0000(properties: Out<hipDeviceProp_tR0000>, device: c_int) = r0000;
        fn hipGetDevicePropertiesR0600(properties: Out<hipDeviceProp_tR0600>, device: c_int) = r0600;
        fn hipDeviceGetAttribute(value: Out<c_int>, attribute: hipDeviceAttribute_t, device: c_int) = attribute;
        fn hipChooseDevice(device: Out<c_int>, wanted: In<hipDeviceProp_tR0000>) = choose_r0000;
        fn hipChooseDeviceR0000(device: Out<c_int>, wanted: In<hipDeviceProp_tR0000>) = choose_r0000;
        fn hipChooseDeviceR0600(device: Out<c_int>, wanted: In<hipDeviceProp_tR0600>) = choose_r0600;
    }
    peer {
        fn hipDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) = can_access;
        fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) = enable;
        fn hipDeviceDisablePeerAccess(peer: c_int) = disable;
        fn hipDeviceGetP2PAttribute(value: Out<c_int>, attribute: hipDeviceP2PAttr, source: c_int, destination: c_int) = attribute;
        fn hipExtGetLinkTypeAndHopCount(first: c_int, second: c_int, kind: Out<c_uint>, hops: Out<c_uint>) = link;
        fn hipMemcpyPeer(to: Address, to_device: c_int, from: ConstAddress, from_device: c_int, size: usize) = copy;
        fn hipMemcpyPeerAsync(to: Address, to_device: c_int, from: ConstAddress, from_device: c_int, size: usize, stream: hipStream_t) = copy_async;
    }
    context {
        fn hipCtxCreate(context: Out<hipCtx_t>, flags: c_uint, device: hipDevice_t) = create;
        fn hipCtxDestroy(context: hipCtx_t) = destroy;
        fn hipCtxPushCurrent(context: hipCtx_t) = push;
        fn hipCtxPopCurrent(context: Out<hipCtx_t>) = pop;
        fn hipCtxSetCurrent(context: hipCtx_t) = set_current;
        fn hipCtxGetCurrent(context: Out<hipCtx_t>) = get_current;
        fn hipCtxGetDevice(device: Out<hipDevice_t>) = get_device;
        fn hipCtxGetApiVersion(context: hipCtx_t, version: Out<c_int>) = api_version;
        fn hipCtxGetFlags(flags: Out<c_uint>) = get_flags;
        fn hipCtxSynchronize() = synchronize;
        fn hipCtxGetCacheConfig(config: Out<hipFuncCache_t>) = get_cache_config;
        fn hipCtxSetCacheConfig(config: hipFuncCache_t) = set_cache_config;
        fn hipCtxGetSharedMemConfig(config: Out<hipSharedMemConfig>) = get_shared_config;
        fn hipCtxSetSharedMemConfig(config: hipSharedMemConfig) = set_shared_config;
        fn hipCtxEnablePeerAccess(context: hipCtx_t, flags: c_uint) = enable_peer;
        fn hipCtxDisablePeerAccess(context: hipCtx_t) = disable_peer;
        fn hipDevicePrimaryCtxGetState(device: hipDevice_t, flags: Out<c_uint>, active: Out<c_int>) = primary_state;
        fn hipDevicePrimaryCtxRetain(context: Out<hipCtx_t>, device: hipDevice_t) = primary_retain;
        fn hipDevicePrimaryCtxRelease(device: hipDevice_t) = primary_release;
        fn hipDevicePrimaryCtxReset(device: hipDevice_t) = primary_release;
        fn hipDevicePrimaryCtxSetFlags(device: hipDevice_t, flags: c_uint) = primary_set_flags;
    }
    // Memory: to have it.
    memory {
        fn hipMalloc(pointer: Out<Address>, size: usize) = malloc;
        fn hipExtMallocWithFlags(pointer: Out<Address>, size: usize, flags: c_uint) = ext_malloc;
        fn hipMallocManaged(pointer: Out<Address>, size: usize, flags: c_uint) = malloc_managed;
        fn hipMallocPitch(pointer: Out<Address>, pitch: Out<usize>, width: usize, height: usize) = malloc_pitch;
        fn hipMemAllocPitch(pointer: Out<Address>, pitch: Out<usize>, width: usize, height: usize, element: c_uint) = alloc_pitch;
        fn hipMalloc3D(pointer: Out<hipPitchedPtr>, extent: hipExtent) = malloc_3d;
        fn hipFree(pointer: Address) = free;
        fn hipHostMalloc(pointer: Out<Address>, size: usize, flags: c_uint) = host_malloc;
        fn hipHostAlloc(pointer: Out<Address>, size: usize, flags: c_uint) = host_malloc;
        fn hipExtHostAlloc(pointer: Out<Address>, size: usize, flags: c_uint) = host_malloc;
        fn hipMallocHost(pointer: Out<Address>, size: usize) = malloc_host;
        fn hipMemAllocHost(pointer: Out<Address>, size: usize) = malloc_host;
        fn hipHostFree(pointer: Address) = host_free;
        fn hipFreeHost(pointer: Address) = host_free;
        fn hipHostRegister(pointer: Address, size: usize, flags: c_uint) = host_register;
        fn hipHostUnregister(pointer: Address) = host_unregister;
        fn hipHostGetDevicePointer(device: Out<Address>, host: Address, flags: c_uint) = host_device_pointer;
        fn hipHostGetFlags(flags: Out<c_uint>, host: Address) = host_flags;
        fn hipMallocAsync(pointer: Out<Address>, size: usize, stream: hipStream_t) = malloc_async;
        fn hipFreeAsync(pointer: Address, stream: hipStream_t) = free_async;
        fn hipMemGetInfo(free: Out<usize>, total: Out<usize>) = info;
        fn hipMemPtrGetInfo(pointer: Address, size: Out<usize>) = pointer_size;
        fn hipMemGetAddressRange(base: Out<hipDeviceptr_t>, size: Out<usize>, pointer: hipDeviceptr_t) = address_range;
        fn hipPointerGetAttributes(attributes: Out<hipPointerAttribute_t>, pointer: ConstAddress) = pointer_attributes;
        fn hipPointerGetAttribute(data: Address, attribute: hipPointer_attribute, pointer: hipDeviceptr_t) = pointer_attribute;
        fn hipDrvPointerGetAttributes(count: c_uint, attributes: In<hipPointer_attribute>, data: In<Address>, pointer: hipDeviceptr_t) = drv_pointer_attributes;
        fn hipStreamAttachMemAsync(stream: hipStream_t, pointer: Address, size: usize, flags: c_uint) = attach;
    }
    // Memory: to copy it.
    copy {
        fn hipMemcpy(to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind) = linear;
        fn hipMemcpy_spt(to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind) = linear_spt;
        fn hipMemcpyWithStream(to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind, stream: hipStream_t) = with_stream;
        fn hipMemcpyAsync(to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind, stream: hipStream_t) = linear_async;
        fn hipMemcpyAsync_spt(to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind, stream: hipStream_t) = linear_async_spt;
        fn hipMemcpyHtoD(to: hipDeviceptr_t, from: ConstAddress, size: usize) = host_to_device;
        fn hipMemcpyDtoH(to: Address, from: hipDeviceptr_t, size: usize) = device_to_host;
        fn hipMemcpyDtoD(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize) = device_to_device;
        fn hipMemcpyHtoDAsync(to: hipDeviceptr_t, from: ConstAddress, size: usize, stream: hipStream_t) = host_to_device_async;
        fn hipMemcpyDtoHAsync(to: Address, from: hipDeviceptr_t, size: usize, stream: hipStream_t) = device_to_host_async;
        fn hipMemcpyDtoDAsync(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize, stream: hipStream_t) = device_to_device_async;
        fn hipMemcpy2D(to: Address, to_pitch: usize, from: ConstAddress, from_pitch: usize, width: usize, height: usize, kind: hipMemcpyKind) = rectangle;
        fn hipMemcpy2D_spt(to: Address, to_pitch: usize, from: ConstAddress, from_pitch: usize, width: usize, height: usize, kind: hipMemcpyKind) = rectangle_spt;
        fn hipMemcpy2DAsync(to: Address, to_pitch: usize, from: ConstAddress, from_pitch: usize, width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t) = rectangle_async;
        fn hipMemcpy2DAsync_spt(to: Address, to_pitch: usize, from: ConstAddress, from_pitch: usize, width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t) = rectangle_async_spt;
        fn hipMemcpyParam2D(parameters: In<hip_Memcpy2D>) = param_2d;
        fn hipMemcpyParam2DAsync(parameters: In<hip_Memcpy2D>, stream: hipStream_t) = param_2d_async;
        fn hipDrvMemcpy2DUnaligned(parameters: In<hip_Memcpy2D>) = param_2d;
        fn hipMemcpy3D(parameters: In<hipMemcpy3DParms>) = box_3d;
        fn hipMemcpy3D_spt(parameters: In<hipMemcpy3DParms>) = box_3d_spt;
        fn hipMemcpy3DAsync(parameters: In<hipMemcpy3DParms>, stream: hipStream_t) = box_3d_async;
        fn hipMemcpy3DAsync_spt(parameters: In<hipMemcpy3DParms>, stream: hipStream_t) = box_3d_async_spt;
        fn hipDrvMemcpy3D(parameters: In<HIP_MEMCPY3D>) = driver_3d;
        fn hipDrvMemcpy3DAsync(parameters: In<HIP_MEMCPY3D>, stream: hipStream_t) = driver_3d_async;
    }
    fill {
        fn hipMemset(to: Address, value: c_int, size: usize) = bytes;
        fn hipMemset_spt(to: Address, value: c_int, size: usize) = bytes_spt;
        fn hipMemsetAsync(to: Address, value: c_int, size: usize, stream: hipStream_t) = bytes_async;
        fn hipMemsetAsync_spt(to: Address, value: c_int, size: usize, stream: hipStream_t) = bytes_async_spt;
        fn hipMemsetD8(to: hipDeviceptr_t, value: u8, count: usize) = d8;
        fn hipMemsetD8Async(to: hipDeviceptr_t, value: u8, count: usize, stream: hipStream_t) = d8_async;
        fn hipMemsetD16(to: hipDeviceptr_t, value: u16, count: usize) = d16;
        fn hipMemsetD16Async(to: hipDeviceptr_t, value: u16, count: usize, stream: hipStream_t) = d16_async;
        fn hipMemsetD32(to: hipDeviceptr_t, value: c_int, count: usize) = d32;
        fn hipMemsetD32Async(to: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t) = d32_async;
        fn hipMemset2D(to: Address, pitch: usize, value: c_int, width: usize, height: usize) = rectangle;
        fn hipMemset2D_spt(to: Address, pitch: usize, value: c_int, width: usize, height: usize) = rectangle_spt;
        fn hipMemset2DAsync(to: Address, pitch: usize, value: c_int, width: usize, height: usize, stream: hipStream_t) = rectangle_async;
        fn hipMemset2DAsync_spt(to: Address, pitch: usize, value: c_int, width: usize, height: usize, stream: hipStream_t) = rectangle_async_spt;
        fn hipMemset3D(to: hipPitchedPtr, value: c_int, extent: hipExtent) = box_3d;
        fn hipMemset3D_spt(to: hipPitchedPtr, value: c_int, extent: hipExtent) = box_3d_spt;
        fn hipMemset3DAsync(to: hipPitchedPtr, value: c_int, extent: hipExtent, stream: hipStream_t) = box_3d_async;
        fn hipMemset3DAsync_spt(to: hipPitchedPtr, value: c_int, extent: hipExtent, stream: hipStream_t) = box_3d_async_spt;
    }
    symbol {
        fn hipGetSymbolAddress(address: Out<Address>, symbol: ConstAddress) = address;
        fn hipGetSymbolSize(size: Out<usize>, symbol: ConstAddress) = size;
        fn hipMemcpyToSymbol(symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = copy_to;
        fn hipMemcpyToSymbol_spt(symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = copy_to_spt;
        fn hipMemcpyToSymbolAsync(symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind, stream: hipStream_t) = copy_to_async;
        fn hipMemcpyToSymbolAsync_spt(symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind, stream: hipStream_t) = copy_to_async_spt;
        fn hipMemcpyFromSymbol(to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = copy_from;
        fn hipMemcpyFromSymbol_spt(to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = copy_from_spt;
        fn hipMemcpyFromSymbolAsync(to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind, stream: hipStream_t) = copy_from_async;
        fn hipMemcpyFromSymbolAsync_spt(to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind, stream: hipStream_t) = copy_from_async_spt;
    }
    // Arrays, textures, surfaces.
    array {
        fn hipMallocArray(array: Out<Address>, desc: In<hipChannelFormatDesc>, width: usize, height: usize, flags: c_uint) = malloc;
        fn hipMalloc3DArray(array: Out<Address>, desc: In<hipChannelFormatDesc>, extent: hipExtent, flags: c_uint) = malloc_3d;
        fn hipArrayCreate(array: Out<Address>, shape: In<HIP_ARRAY_DESCRIPTOR>) = create_2d;
        fn hipArray3DCreate(array: Out<Address>, shape: In<HIP_ARRAY3D_DESCRIPTOR>) = create_3d;
        fn hipFreeArray(array: Address) = free;
        fn hipArrayDestroy(array: Address) = free;
        fn hipArrayGetInfo(desc: Out<hipChannelFormatDesc>, extent: Out<hipExtent>, flags: Out<c_uint>, array: Address) = info;
        fn hipArrayGetDescriptor(shape: Out<HIP_ARRAY_DESCRIPTOR>, array: Address) = descriptor;
        fn hipArray3DGetDescriptor(shape: Out<HIP_ARRAY3D_DESCRIPTOR>, array: Address) = descriptor_3d;
        fn hipGetChannelDesc(desc: Out<hipChannelFormatDesc>, array: ConstAddress) = channels;
        fn hipCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_uint) -> hipChannelFormatDesc = create_channels;
        fn hipMallocMipmappedArray(array: Out<Address>, desc: In<hipChannelFormatDesc>, extent: hipExtent, levels: c_uint, flags: c_uint) = malloc_levels;
        fn hipFreeMipmappedArray(array: Address) = free_levels;
        fn hipGetMipmappedArrayLevel(level: Out<Address>, array: ConstAddress, number: c_uint) = level;
        fn hipMipmappedArrayCreate(array: Out<Address>, shape: In<HIP_ARRAY3D_DESCRIPTOR>, levels: c_uint) = create_levels;
        fn hipMipmappedArrayDestroy(array: Address) = destroy_levels;
        fn hipMipmappedArrayGetLevel(level: Out<Address>, array: Address, number: c_uint) = get_level;
    }
    array_copy {
        fn hipMemcpy2DToArray(to: Address, x: usize, y: usize, from: ConstAddress, pitch: usize, width: usize, height: usize, kind: hipMemcpyKind) = to_rectangle;
        fn hipMemcpy2DToArray_spt(to: Address, x: usize, y: usize, from: ConstAddress, pitch: usize, width: usize, height: usize, kind: hipMemcpyKind) = to_rectangle_spt;
        fn hipMemcpy2DToArrayAsync(to: Address, x: usize, y: usize, from: ConstAddress, pitch: usize, width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t) = to_rectangle_async;
        fn hipMemcpy2DToArrayAsync_spt(to: Address, x: usize, y: usize, from: ConstAddress, pitch: usize, width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t) = to_rectangle_async_spt;
        fn hipMemcpy2DFromArray(to: Address, pitch: usize, from: ConstAddress, x: usize, y: usize, width: usize, height: usize, kind: hipMemcpyKind) = from_rectangle;
        fn hipMemcpy2DFromArray_spt(to: Address, pitch: usize, from: ConstAddress, x: usize, y: usize, width: usize, height: usize, kind: hipMemcpyKind) = from_rectangle_spt;
        fn hipMemcpy2DFromArrayAsync(to: Address, pitch: usize, from: ConstAddress, x: usize, y: usize, width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t) = from_rectangle_async;
        fn hipMemcpy2DFromArrayAsync_spt(to: Address, pitch: usize, from: ConstAddress, x: usize, y: usize, width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t) = from_rectangle_async_spt;
        fn hipMemcpy2DArrayToArray(to: Address, to_x: usize, to_y: usize, from: ConstAddress, from_x: usize, from_y: usize, width: usize, height: usize, kind: hipMemcpyKind) = between;
        fn hipMemcpyToArray(to: Address, x: usize, y: usize, from: ConstAddress, count: usize, kind: hipMemcpyKind) = to_linear;
        fn hipMemcpyFromArray(to: Address, from: ConstAddress, x: usize, y: usize, count: usize, kind: hipMemcpyKind) = from_linear;
        fn hipMemcpyFromArray_spt(to: Address, from: ConstAddress, x: usize, y: usize, count: usize, kind: hipMemcpyKind) = from_linear_spt;
        fn hipMemcpyHtoA(to: Address, offset: usize, from: ConstAddress, count: usize) = host_to_array;
        fn hipMemcpyHtoAAsync(to: Address, offset: usize, from: ConstAddress, count: usize, stream: hipStream_t) = host_to_array_async;
        fn hipMemcpyAtoH(to: Address, from: Address, offset: usize, count: usize) = array_to_host;
        fn hipMemcpyAtoHAsync(to: Address, from: Address, offset: usize, count: usize, stream: hipStream_t) = array_to_host_async;
        fn hipMemcpyDtoA(to: Address, offset: usize, from: hipDeviceptr_t, count: usize) = device_to_array;
        fn hipMemcpyAtoD(to: hipDeviceptr_t, from: Address, offset: usize, count: usize) = array_to_device;
        fn hipMemcpyAtoA(to: Address, to_offset: usize, from: Address, from_offset: usize, count: usize) = array_to_array;
    }
    texture {
        fn hipCreateTextureObject(texture: Out<Address>, resource: In<hipResourceDesc>, how: In<hipTextureDesc>, view: In<hipResourceViewDesc>) = create;
        fn hipDestroyTextureObject(texture: Address) = destroy;
        fn hipGetTextureObjectResourceDesc(resource: Out<hipResourceDesc>, object: ConstAddress) = resource;
        fn hipGetTextureObjectResourceViewDesc(view: Out<hipResourceViewDesc>, object: ConstAddress) = view;
        fn hipGetTextureObjectTextureDesc(how: Out<hipTextureDesc>, object: ConstAddress) = texture;
        fn hipTexObjectCreate(texture: Out<Address>, resource: In<HIP_RESOURCE_DESC>, how: In<HIP_TEXTURE_DESC>, view: In<HIP_RESOURCE_VIEW_DESC>) = driver_create;
        fn hipTexObjectDestroy(texture: Address) = destroy;
        fn hipTexObjectGetResourceDesc(resource: Out<HIP_RESOURCE_DESC>, object: ConstAddress) = driver_resource;
        fn hipTexObjectGetResourceViewDesc(view: Out<HIP_RESOURCE_VIEW_DESC>, object: ConstAddress) = driver_view;
        fn hipTexObjectGetTextureDesc(how: Out<HIP_TEXTURE_DESC>, object: ConstAddress) = driver_texture;
        fn hipDeviceGetTexture1DLinearMaxWidth(elements: Out<usize>, desc: In<hipChannelFormatDesc>, device: c_int) = linear_limit;
        fn _Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc(surface: Out<Address>, resource: In<hipResourceDesc>) = create_surface;
        fn _Z23hipDestroySurfaceObjectP13__hip_surface(surface: Address) = destroy_surface;
    }
    texture_reference {
        fn hipBindTexture(offset: Out<usize>, reference: Out<textureReference>, pointer: ConstAddress, desc: In<hipChannelFormatDesc>, bytes: usize) = bind_linear;
        fn hipBindTexture2D(offset: Out<usize>, reference: Out<textureReference>, pointer: ConstAddress, desc: In<hipChannelFormatDesc>, width: usize, height: usize, pitch: usize) = bind_pitched;
        fn hipBindTextureToArray(reference: Out<textureReference>, array: ConstAddress, desc: In<hipChannelFormatDesc>) = bind_array;
        fn hipBindTextureToMipmappedArray(reference: Out<textureReference>, array: ConstAddress, desc: In<hipChannelFormatDesc>) = bind_levels;
        fn hipUnbindTexture(reference: Out<textureReference>) = unbind;
        fn hipGetTextureAlignmentOffset(offset: Out<usize>, reference: Out<textureReference>) = alignment_offset;
        fn hipGetTextureReference(reference: Out<ConstAddress>, symbol: ConstAddress) = of_symbol;
        fn hipModuleGetTexRef(reference: Out<Address>, module: hipModule_t, name: Text) = of_module;
        fn hipTexRefSetAddress(offset: Out<usize>, reference: Out<textureReference>, pointer: hipDeviceptr_t, bytes: usize) = set_address;
        fn hipTexRefSetAddress2D(reference: Out<textureReference>, shape: In<HIP_ARRAY_DESCRIPTOR>, pointer: hipDeviceptr_t, pitch: usize) = set_address_2d;
        fn hipTexRefSetArray(reference: Out<textureReference>, array: ConstAddress, flags: c_uint) = set_array;
        fn hipTexRefSetMipmappedArray(reference: Out<textureReference>, array: ConstAddress, flags: c_uint) = set_levels;
        fn hipTexRefGetArray(array: Out<Address>, reference: Out<textureReference>) = get_array;
        fn hipTexRefGetMipMappedArray(array: Out<Address>, reference: Out<textureReference>) = get_levels;
        fn hipTexRefGetAddress(pointer: Out<hipDeviceptr_t>, reference: Out<textureReference>) = get_address;
        fn hipTexRefSetFormat(reference: Out<textureReference>, format: hipArray_Format, channels: c_int) = set_format;
        fn hipTexRefGetFormat(format: Out<hipArray_Format>, channels: Out<c_int>, reference: Out<textureReference>) = get_format;
        fn hipTexRefSetFlags(reference: Out<textureReference>, flags: TextureFlags) = set_flags;
        fn hipTexRefGetFlags(flags: Out<c_uint>, reference: Out<textureReference>) = get_flags;
        fn hipTexRefSetFilterMode(reference: Out<textureReference>, mode: hipTextureFilterMode) = set_filter;
        fn hipTexRefGetFilterMode(mode: Out<hipTextureFilterMode>, reference: Out<textureReference>) = get_filter;
        fn hipTexRefSetAddressMode(reference: Out<textureReference>, dimension: c_int, mode: hipTextureAddressMode) = set_addressing;
        fn hipTexRefGetAddressMode(mode: Out<hipTextureAddressMode>, reference: Out<textureReference>, dimension: c_int) = get_addressing;
        fn hipTexRefSetMaxAnisotropy(reference: Out<textureReference>, most: c_uint) = set_anisotropy;
        fn hipTexRefGetMaxAnisotropy(most: Out<c_int>, reference: Out<textureReference>) = get_anisotropy;
        fn hipTexRefSetMipmapFilterMode(reference: Out<textureReference>, mode: hipTextureFilterMode) = set_level_filter;
        fn hipTexRefGetMipmapFilterMode(mode: Out<hipTextureFilterMode>, reference: Out<textureReference>) = get_level_filter;
        fn hipTexRefSetMipmapLevelBias(reference: Out<textureReference>, bias: f32) = set_level_bias;
        fn hipTexRefGetMipmapLevelBias(bias: Out<f32>, reference: Out<textureReference>) = get_level_bias;
        fn hipTexRefSetMipmapLevelClamp(reference: Out<textureReference>, least: f32, most: f32) = set_level_clamp;
        fn hipTexRefGetMipmapLevelClamp(least: Out<f32>, most: Out<f32>, reference: Out<textureReference>) = get_level_clamp;
        fn hipTexRefSetBorderColor(reference: Out<textureReference>, colour: Out<f32>) = border;
        fn hipTexRefGetBorderColor(colour: Out<f32>, reference: Out<textureReference>) = get_border;
    }
    // Streams and events.
    stream {
        fn hipStreamCreate(stream: Out<hipStream_t>) = create;
        fn hipStreamCreateWithFlags(stream: Out<hipStream_t>, flags: c_uint) = create_with_flags;
        fn hipStreamCreateWithPriority(stream: Out<hipStream_t>, flags: c_uint, priority: c_int) = create_with_priority;
        fn hipExtStreamCreateWithCUMask(stream: Out<hipStream_t>, words: c_uint, mask: In<u32>) = create_with_cu_mask;
        fn hipExtStreamGetCUMask(stream: hipStream_t, words: c_uint, mask: Out<u32>) = cu_mask;
        fn hipStreamDestroy(stream: hipStream_t) = destroy;
        fn hipStreamSynchronize(stream: hipStream_t) = synchronize;
        fn hipStreamSynchronize_spt(stream: hipStream_t) = synchronize_spt;
        fn hipStreamQuery(stream: hipStream_t) = query;
        fn hipStreamQuery_spt(stream: hipStream_t) = query_spt;
        fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: c_uint) = wait_event;
        fn hipStreamWaitEvent_spt(stream: hipStream_t, event: hipEvent_t, flags: c_uint) = wait_event_spt;
        fn hipStreamGetFlags(stream: hipStream_t, flags: Out<c_uint>) = flags;
        fn hipStreamGetFlags_spt(stream: hipStream_t, flags: Out<c_uint>) = flags_spt;
        fn hipStreamGetPriority(stream: hipStream_t, priority: Out<c_int>) = priority;
        fn hipStreamGetPriority_spt(stream: hipStream_t, priority: Out<c_int>) = priority_spt;
        fn hipStreamGetDevice(stream: hipStream_t, device: Out<hipDevice_t>) = device;
        fn hipGetStreamDeviceId(stream: hipStream_t) -> c_int = device_id;
        fn hipStreamAddCallback(stream: hipStream_t, callback: hipStreamCallback_t, data: Address, flags: c_uint) = add_callback;
        fn hipStreamAddCallback_spt(stream: hipStream_t, callback: hipStreamCallback_t, data: Address, flags: c_uint) = add_callback_spt;
        fn hipLaunchHostFunc(stream: hipStream_t, function: hipHostFn_t, data: Address) = host_function;
        fn hipLaunchHostFunc_spt(stream: hipStream_t, function: hipHostFn_t, data: Address) = host_function_spt;
        fn hipStreamWriteValue32(stream: hipStream_t, address: Address, value: u32, flags: c_uint) = write_value_32;
        fn hipStreamWriteValue64(stream: hipStream_t, address: Address, value: u64, flags: c_uint) = write_value_64;
        fn hipStreamWaitValue32(stream: hipStream_t, address: Address, value: u32, flags: c_uint, mask: u32) = wait_value_32;
        fn hipStreamWaitValue64(stream: hipStream_t, address: Address, value: u64, flags: c_uint, mask: u64) = wait_value_64;
    }
    event {
        fn hipEventCreate(event: Out<hipEvent_t>) = create;
        fn hipEventCreateWithFlags(event: Out<hipEvent_t>, flags: c_uint) = create_with_flags;
        fn hipEventDestroy(event: hipEvent_t) = destroy;
        fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) = record;
        fn hipEventRecord_spt(event: hipEvent_t, stream: hipStream_t) = record_spt;
        fn hipEventRecordWithFlags(event: hipEvent_t, stream: hipStream_t, flags: c_uint) = record_with_flags;
        fn hipEventSynchronize(event: hipEvent_t) = synchronize;
        fn hipEventQuery(event: hipEvent_t) = query;
        fn hipEventElapsedTime(milliseconds: Out<f32>, start: hipEvent_t, stop: hipEvent_t) = elapsed_time;
    }
    // Memory pools, virtual memory, memory of other processes.
    pool {
        fn hipDeviceGetDefaultMemPool(pool: Out<hipMemPool_t>, device: c_int) = default;
        fn hipDeviceGetMemPool(pool: Out<hipMemPool_t>, device: c_int) = current;
        fn hipDeviceSetMemPool(device: c_int, pool: hipMemPool_t) = set_current;
        fn hipMemPoolCreate(pool: Out<hipMemPool_t>, props: In<hipMemPoolProps>) = create;
        fn hipMemPoolDestroy(pool: hipMemPool_t) = destroy;
        fn hipMemPoolTrimTo(pool: hipMemPool_t, keep: usize) = trim;
        fn hipMemPoolGetAttribute(pool: hipMemPool_t, attribute: hipMemPoolAttr, value: Address) = get_attribute;
        fn hipMemPoolSetAttribute(pool: hipMemPool_t, attribute: hipMemPoolAttr, value: Address) = set_attribute;
        fn hipMemPoolSetAccess(pool: hipMemPool_t, list: In<hipMemAccessDesc>, count: usize) = set_access;
        fn hipMemPoolGetAccess(flags: Out<hipMemAccessFlags>, pool: hipMemPool_t, location: In<hipMemLocation>) = get_access;
        fn hipMallocFromPoolAsync(pointer: Out<Address>, size: usize, pool: hipMemPool_t, stream: hipStream_t) = malloc;
        fn hipMemPoolExportToShareableHandle(handle: Address, pool: hipMemPool_t, kind: hipMemAllocationHandleType, flags: c_uint) = export;
    }
    vmm {
        fn hipMemGetAllocationGranularity(granularity: Out<usize>, prop: In<hipMemAllocationProp>, option: hipMemAllocationGranularity_flags) = granularity;
        fn hipMemAddressReserve(pointer: Out<Address>, size: usize, alignment: usize, wanted: Address, flags: c_ulonglong) = reserve;
        fn hipMemAddressFree(pointer: Address, size: usize) = free_addresses;
        fn hipMemCreate(handle: Out<hipMemGenericAllocationHandle_t>, size: usize, prop: In<hipMemAllocationProp>, flags: c_ulonglong) = create;
        fn hipMemRelease(handle: hipMemGenericAllocationHandle_t) = release;
        fn hipMemRetainAllocationHandle(handle: Out<hipMemGenericAllocationHandle_t>, pointer: Address) = retain;
        fn hipMemGetAllocationPropertiesFromHandle(prop: Out<hipMemAllocationProp>, handle: hipMemGenericAllocationHandle_t) = properties;
        fn hipMemMap(pointer: Address, size: usize, offset: usize, handle: hipMemGenericAllocationHandle_t, flags: c_ulonglong) = map;
        fn hipMemUnmap(pointer: Address, size: usize) = unmap;
        fn hipMemSetAccess(pointer: Address, size: usize, list: In<hipMemAccessDesc>, count: usize) = set_access;
        fn hipMemGetAccess(flags: Out<c_ulonglong>, location: In<hipMemLocation>, pointer: Address) = get_access;
        fn hipMemExportToShareableHandle(shared: Address, handle: hipMemGenericAllocationHandle_t, kind: hipMemAllocationHandleType, flags: c_ulonglong) = export;
        fn hipMemImportFromShareableHandle(handle: Out<hipMemGenericAllocationHandle_t>, shared: Address, kind: hipMemAllocationHandleType) = import;
    }
    advice {
        fn hipMemPrefetchAsync(pointer: ConstAddress, size: usize, device: c_int, stream: hipStream_t) = prefetch;
        fn hipMemAdvise(pointer: ConstAddress, size: usize, advice: hipMemoryAdvise, device: c_int) = advise;
        fn hipMemRangeGetAttribute(data: Address, data_size: usize, attribute: hipMemRangeAttribute, pointer: ConstAddress, size: usize) = range_attribute;
        fn hipMemRangeGetAttributes(data: In<Address>, sizes: In<usize>, attributes: In<hipMemRangeAttribute>, count: usize, pointer: ConstAddress, size: usize) = range_attributes;
    }
    ipc {
        fn hipIpcGetMemHandle(handle: Out<hipIpcMemHandle_t>, pointer: Address) = get_memory;
        fn hipIpcOpenMemHandle(pointer: Out<Address>, handle: hipIpcMemHandle_t, flags: c_uint) = open_memory;
        fn hipIpcCloseMemHandle(pointer: Address) = close_memory;
        fn hipIpcGetEventHandle(handle: Out<hipIpcEventHandle_t>, event: hipEvent_t) = get_event;
        fn hipIpcOpenEventHandle(event: Out<hipEvent_t>, handle: hipIpcEventHandle_t) = open_event;
    }
    // Graphs, what their nodes do, and stream capture.
    graph {
        fn hipGraphCreate(graph: Out<hipGraph_t>, flags: c_uint) = create;
        fn hipGraphDestroy(graph: hipGraph_t) = destroy;
        fn hipGraphClone(copy: Out<hipGraph_t>, graph: hipGraph_t) = duplicate;
        fn hipGraphNodeFindInClone(found: Out<hipGraphNode_t>, node: hipGraphNode_t, copy: hipGraph_t) = find_in_copy;
        fn hipGraphAddDependencies(graph: hipGraph_t, from: In<hipGraphNode_t>, to: In<hipGraphNode_t>, count: usize) = add_edges;
        fn hipGraphRemoveDependencies(graph: hipGraph_t, from: In<hipGraphNode_t>, to: In<hipGraphNode_t>, count: usize) = remove_edges;
        fn hipGraphGetNodes(graph: hipGraph_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) = nodes;
        fn hipGraphGetRootNodes(graph: hipGraph_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) = roots;
        fn hipGraphGetEdges(graph: hipGraph_t, from: Out<hipGraphNode_t>, to: Out<hipGraphNode_t>, count: Out<usize>) = get_edges;
        fn hipGraphNodeGetDependencies(node: hipGraphNode_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) = before;
        fn hipGraphNodeGetDependentNodes(node: hipGraphNode_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) = after;
        fn hipGraphNodeGetType(node: hipGraphNode_t, kind: Out<Numbered<hipGraphNodeType>>) = node_type;
        fn hipGraphNodeGetEnabled(exec: hipGraphExec_t, node: hipGraphNode_t, enabled: Out<c_uint>) = enabled;
        fn hipGraphNodeSetEnabled(exec: hipGraphExec_t, node: hipGraphNode_t, enabled: c_uint) = set_enabled;
        fn hipGraphDestroyNode(node: hipGraphNode_t) = destroy_node;
        fn hipGraphInstantiate(exec: Out<hipGraphExec_t>, graph: hipGraph_t, error_node: Out<hipGraphNode_t>, log: Out<c_char>, log_bytes: usize) = instantiate;
        fn hipGraphInstantiateWithFlags(exec: Out<hipGraphExec_t>, graph: hipGraph_t, flags: c_ulonglong) = instantiate_with_flags;
        fn hipGraphExecGetFlags(exec: hipGraphExec_t, flags: Out<c_ulonglong>) = exec_flags;
        fn hipGraphLaunch(exec: hipGraphExec_t, stream: hipStream_t) = launch;
        fn hipGraphLaunch_spt(exec: hipGraphExec_t, stream: hipStream_t) = launch_spt;
        fn hipGraphUpload(exec: hipGraphExec_t, stream: hipStream_t) = upload;
        fn hipGraphExecUpdate(exec: hipGraphExec_t, graph: hipGraph_t, error_node: Out<hipGraphNode_t>, result: Out<hipGraphExecUpdateResult>) = update;
        fn hipGraphExecDestroy(exec: hipGraphExec_t) = destroy_exec;
        fn hipGraphDebugDotPrint(graph: hipGraph_t, path: Text, flags: c_uint) = dot;
        fn hipUserObjectCreate(object: Out<hipUserObject_t>, value: Address, destroy: hipHostFn_t, references: c_uint, flags: c_uint) = create_object;
        fn hipUserObjectRetain(object: hipUserObject_t, count: c_uint) = retain_object;
        fn hipUserObjectRelease(object: hipUserObject_t, count: c_uint) = release_object;
        fn hipGraphRetainUserObject(graph: hipGraph_t, object: hipUserObject_t, count: c_uint, flags: c_uint) = graph_retain_object;
        fn hipGraphReleaseUserObject(graph: hipGraph_t, object: hipUserObject_t, count: c_uint) = graph_release_object;
    }
    node {
        fn hipGraphAddKernelNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, params: In<hipKernelNodeParams>) = add_kernel;
        fn hipGraphKernelNodeGetParams(node: hipGraphNode_t, params: Out<hipKernelNodeParams>) = get_kernel;
        fn hipGraphKernelNodeSetParams(node: hipGraphNode_t, params: In<hipKernelNodeParams>) = set_kernel;
        fn hipGraphExecKernelNodeSetParams(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipKernelNodeParams>) = set_exec_kernel;
        fn hipGraphAddMemcpyNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, params: In<hipMemcpy3DParms>) = add_copy;
        fn hipGraphMemcpyNodeGetParams(node: hipGraphNode_t, params: Out<hipMemcpy3DParms>) = get_copy;
        fn hipGraphMemcpyNodeSetParams(node: hipGraphNode_t, params: In<hipMemcpy3DParms>) = set_copy;
        fn hipGraphExecMemcpyNodeSetParams(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipMemcpy3DParms>) = set_exec_copy;
        fn hipGraphAddMemcpyNode1D(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind) = add_copy_1d;
        fn hipGraphMemcpyNodeSetParams1D(node: hipGraphNode_t, to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind) = set_copy_1d;
        fn hipGraphExecMemcpyNodeSetParams1D(exec: hipGraphExec_t, node: hipGraphNode_t, to: Address, from: ConstAddress, size: usize, kind: hipMemcpyKind) = set_exec_copy_1d;
        fn hipGraphAddMemcpyNodeFromSymbol(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = add_copy_from_symbol;
        fn hipGraphMemcpyNodeSetParamsFromSymbol(node: hipGraphNode_t, to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = set_copy_from_symbol;
        fn hipGraphExecMemcpyNodeSetParamsFromSymbol(exec: hipGraphExec_t, node: hipGraphNode_t, to: Address, symbol: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = set_exec_copy_from_symbol;
        fn hipGraphAddMemcpyNodeToSymbol(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = add_copy_to_symbol;
        fn hipGraphMemcpyNodeSetParamsToSymbol(node: hipGraphNode_t, symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = set_copy_to_symbol;
        fn hipGraphExecMemcpyNodeSetParamsToSymbol(exec: hipGraphExec_t, node: hipGraphNode_t, symbol: ConstAddress, from: ConstAddress, size: usize, offset: usize, kind: hipMemcpyKind) = set_exec_copy_to_symbol;
        fn hipGraphAddMemsetNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, params: In<hipMemsetParams>) = add_fill;
        fn hipGraphMemsetNodeGetParams(node: hipGraphNode_t, params: Out<hipMemsetParams>) = get_fill;
        fn hipGraphMemsetNodeSetParams(node: hipGraphNode_t, params: In<hipMemsetParams>) = set_fill;
        fn hipGraphExecMemsetNodeSetParams(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipMemsetParams>) = set_exec_fill;
        fn hipGraphAddHostNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, params: In<hipHostNodeParams>) = add_host;
        fn hipGraphHostNodeGetParams(node: hipGraphNode_t, params: Out<hipHostNodeParams>) = get_host;
        fn hipGraphHostNodeSetParams(node: hipGraphNode_t, params: In<hipHostNodeParams>) = set_host;
        fn hipGraphExecHostNodeSetParams(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipHostNodeParams>) = set_exec_host;
        fn hipGraphAddChildGraphNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, within: hipGraph_t) = add_graph;
        fn hipGraphChildGraphNodeGetGraph(node: hipGraphNode_t, graph: Out<hipGraph_t>) = get_graph;
        fn hipGraphExecChildGraphNodeSetParams(exec: hipGraphExec_t, node: hipGraphNode_t, within: hipGraph_t) = set_exec_graph;
        fn hipGraphAddEmptyNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize) = add_empty;
        fn hipGraphAddEventRecordNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, event: hipEvent_t) = add_record;
        fn hipGraphEventRecordNodeGetEvent(node: hipGraphNode_t, event: Out<hipEvent_t>) = get_record;
        fn hipGraphEventRecordNodeSetEvent(node: hipGraphNode_t, event: hipEvent_t) = set_record;
        fn hipGraphExecEventRecordNodeSetEvent(exec: hipGraphExec_t, node: hipGraphNode_t, event: hipEvent_t) = set_exec_record;
        fn hipGraphAddEventWaitNode(place: Out<hipGraphNode_t>, graph: hipGraph_t, before: In<hipGraphNode_t>, count: usize, event: hipEvent_t) = add_wait;
        fn hipGraphEventWaitNodeGetEvent(node: hipGraphNode_t, event: Out<hipEvent_t>) = get_wait;
        fn hipGraphEventWaitNodeSetEvent(node: hipGraphNode_t, event: hipEvent_t) = set_wait;
        fn hipGraphExecEventWaitNodeSetEvent(exec: hipGraphExec_t, node: hipGraphNode_t, event: hipEvent_t) = set_exec_wait;
    }
    capture {
        fn hipStreamBeginCapture(stream: hipStream_t, mode: hipStreamCaptureMode) = begin;
        fn hipStreamEndCapture(stream: hipStream_t, graph: Out<hipGraph_t>) = end;
        fn hipStreamIsCapturing(stream: hipStream_t, status: Out<hipStreamCaptureStatus>) = is_capturing;
        fn hipStreamGetCaptureInfo(stream: hipStream_t, status: Out<hipStreamCaptureStatus>, id: Out<c_ulonglong>) = info;
        fn hipStreamGetCaptureInfo_v2(stream: hipStream_t, status: Out<hipStreamCaptureStatus>, id: Out<c_ulonglong>, graph: Out<hipGraph_t>, dependencies: Out<*const hipGraphNode_t>, count: Out<usize>) = info_v2;
        fn hipStreamBeginCapture_spt(stream: hipStream_t, mode: hipStreamCaptureMode) = begin_spt;
        fn hipStreamEndCapture_spt(stream: hipStream_t, graph: Out<hipGraph_t>) = end_spt;
        fn hipStreamIsCapturing_spt(stream: hipStream_t, status: Out<hipStreamCaptureStatus>) = is_capturing_spt;
        fn hipStreamGetCaptureInfo_spt(stream: hipStream_t, status: Out<hipStreamCaptureStatus>, id: Out<c_ulonglong>) = info_spt;
        fn hipStreamGetCaptureInfo_v2_spt(stream: hipStream_t, status: Out<hipStreamCaptureStatus>, id: Out<c_ulonglong>, graph: Out<hipGraph_t>, dependencies: Out<*const hipGraphNode_t>, count: Out<usize>) = info_v2_spt;
        fn hipStreamUpdateCaptureDependencies(stream: hipStream_t, nodes: In<hipGraphNode_t>, count: usize, flags: c_uint) = update_dependencies;
        fn hipThreadExchangeStreamCaptureMode(mode: Out<hipStreamCaptureMode>) = exchange_mode;
    }
    // What returns text or structs, and therefore cannot be a stub.
    odds {
        fn hipApiName(id: c_uint) -> *const c_char = api_name;
        fn hipGetCmdName(id: c_uint) -> *const c_char = api_name;
        fn amd_dbgapi_get_build_name() -> *const c_char = no_text;
        fn amd_dbgapi_get_git_hash() -> *const c_char = no_text;
        fn amd_dbgapi_get_build_id() -> usize = no_id;
        fn __hipGetPCH(header: Out<*const c_char>, size: Out<c_uint>) -> () = no_header;
    }
    // Two conversions of the compiler's run-time library.
    half {
        fn __gnu_h2f_ieee(bits: u16) -> f32 = to_float;
        fn __gnu_f2h_ieee(value: f32) -> u16 = from_float;
    }
}
