//! What HIP exports (5.2 up to 7.2) and this library does not do: programs link and start, and a call gives
//! `hipErrorNotSupported` (801) and names itself once on stderr.
#![allow(non_snake_case, reason = "the names are those of the C API")]

crate::export::stubs! {
    // Graphs: what HIP 5.3 and later have besides.
    hipGraphKernelNodeSetAttribute
    hipGraphKernelNodeGetAttribute
    hipGraphKernelNodeCopyAttributes
    hipGraphAddExternalSemaphoresSignalNode
    hipGraphAddExternalSemaphoresWaitNode
    hipGraphExternalSemaphoresSignalNodeSetParams
    hipGraphExternalSemaphoresSignalNodeGetParams
    hipGraphExternalSemaphoresWaitNodeSetParams
    hipGraphExternalSemaphoresWaitNodeGetParams
    hipGraphExecExternalSemaphoresSignalNodeSetParams
    hipGraphExecExternalSemaphoresWaitNodeSetParams
    hipGraphAddMemAllocNode
    hipGraphMemAllocNodeGetParams
    hipGraphAddMemFreeNode
    hipGraphMemFreeNodeGetParams
    hipGraphAddNode
    hipGraphNodeSetParams
    hipGraphExecNodeSetParams
    hipGraphInstantiateWithParams
    hipStreamBeginCaptureToGraph
    hipDrvGraphAddMemcpyNode
    hipDrvGraphAddMemsetNode
    hipDrvGraphAddMemFreeNode
    hipDrvGraphMemcpyNodeGetParams
    hipDrvGraphMemcpyNodeSetParams
    hipDrvGraphExecMemcpyNodeSetParams
    hipDrvGraphExecMemsetNodeSetParams
    hipGraphAddBatchMemOpNode
    hipGraphBatchMemOpNodeGetParams
    hipGraphBatchMemOpNodeSetParams
    hipGraphExecBatchMemOpNodeSetParams
    hipDeviceGetGraphMemAttribute
    hipDeviceSetGraphMemAttribute
    hipDeviceGraphMemTrim
    // Textures, surfaces, arrays.
    hipMipmappedArrayGetMemoryRequirements
    hipGraphicsSubResourceGetMappedArray
    hipMemMapArrayAsync
    // Memory pools.
    hipMemSetMemPool
    hipMemGetMemPool
    hipMemPoolExportPointer
    hipMemPoolImportFromShareableHandle
    hipMemPoolImportPointer
    // Interprocess, external and graphics memory.
    hipDestroyExternalMemory
    hipDestroyExternalSemaphore
    hipExternalMemoryGetMappedBuffer
    hipGLGetDevices
    hipGraphicsGLRegisterBuffer
    hipGraphicsMapResources
    hipGraphicsResourceGetMappedPointer
    hipGraphicsUnmapResources
    hipGraphicsUnregisterResource
    hipImportExternalMemory
    hipImportExternalSemaphore
    hipSignalExternalSemaphoresAsync
    hipWaitExternalSemaphoresAsync
    hipGraphicsGLRegisterImage
    // Profilers' call-backs.
    hipEnableActivityCallback
    hipInitActivityCallback
    hipRegisterActivityCallback
    hipRegisterApiCallback
    hipRemoveActivityCallback
    hipRemoveApiCallback
    // Others.
    _ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv
    // What HIP 5.3 to 7.2 added.
    hipExtModuleLaunchKernel
    hipPointerSetAttribute
    hipRegisterTracerCallback
    hipGetProcAddress
    hipGetFuncBySymbol
    hipSetValidDevices
    hipStreamBatchMemOp
    hipDrvLaunchKernelEx
    hipLaunchKernelExC
    hipMemGetHandleForAddressRange
    hipGetDriverEntryPoint
    hipGetDriverEntryPoint_spt
    hipMemAdvise_v2
    hipMemPrefetchAsync_v2
    hipMemcpy3DBatchAsync
    hipMemcpy3DPeer
    hipMemcpy3DPeerAsync
    hipMemcpyBatchAsync
    hipMemsetD2D16
    hipMemsetD2D16Async
    hipMemsetD2D32
    hipMemsetD2D32Async
    hipMemsetD2D8
    hipMemsetD2D8Async
    hipModuleGetFunctionCount
    hipModuleLoadFatBinary
    hipStreamGetAttribute
    hipStreamGetId
    hipStreamSetAttribute
    hipExtDisableLogging
    hipExtEnableLogging
    hipExtSetLoggingParams
    hipGetProcAddress_spt
    hipKernelGetAttribute
    hipKernelGetFunction
    hipKernelGetLibrary
    hipKernelGetName
    hipKernelGetParamInfo
    hipKernelSetAttribute
    hipLibraryEnumerateKernels
    hipLibraryGetKernel
    hipLibraryGetKernelCount
    hipLibraryLoadData
    hipLibraryLoadFromFile
    hipLibraryUnload
    hipMemPrefetchBatchAsync
    hipOccupancyAvailableDynamicSMemPerBlock
    hipStreamCopyAttributes
}
