//! Graphs and stream capture. `hip/hip_runtime_api.h`, section "Graph Management".

use crate::abi::{abi_struct, abi_values, handle};
use crate::major::renumbered;
use crate::{dim3, hipHostFn_t};
use std::ffi::c_void;

handle! {
    /// `hipGraph_t`
    hipGraph_t;
    /// `hipGraphNode_t`
    hipGraphNode_t;
    /// `hipGraphExec_t`
    hipGraphExec_t;
    /// `hipUserObject_t`
    hipUserObject_t;
}

abi_struct! {
    /// `hipKernelNodeParams`
    pub struct hipKernelNodeParams [64] {
        0 blockDim: dim3,
        16 extra: *mut *mut c_void,
        24 func: *mut c_void,
        32 gridDim: dim3,
        48 kernelParams: *mut *mut c_void,
        56 sharedMemBytes: u32,
    }
}

abi_struct! {
    /// `hipMemsetParams`
    pub struct hipMemsetParams [48] {
        0 dst: *mut c_void,
        8 elementSize: u32,
        16 height: usize,
        24 pitch: usize,
        32 value: u32,
        40 width: usize,
    }
}

abi_struct! {
    /// `hipHostNodeParams`
    pub struct hipHostNodeParams [16] {
        0 fn_: hipHostFn_t,
        8 userData: *mut c_void,
    }
}

renumbered! {
    /// `hipGraphNodeType`. HIP 6 has no kind of its own for one-dimensional copies; what is new in it has no number in HIP 5.
    pub struct hipGraphNodeType {
        1 0 KERNEL hipGraphNodeTypeKernel;
        2 1 MEMCPY hipGraphNodeTypeMemcpy;
        3 2 MEMSET hipGraphNodeTypeMemset;
        4 3 HOST hipGraphNodeTypeHost;
        5 4 GRAPH hipGraphNodeTypeGraph;
        6 5 EMPTY hipGraphNodeTypeEmpty;
        7 6 WAIT_EVENT hipGraphNodeTypeWaitEvent;
        8 7 EVENT_RECORD hipGraphNodeTypeEventRecord;
        9 1 MEMCPY_1D hipGraphNodeTypeMemcpy1D;
        10 12 MEMCPY_FROM_SYMBOL hipGraphNodeTypeMemcpyFromSymbol;
        11 13 MEMCPY_TO_SYMBOL hipGraphNodeTypeMemcpyToSymbol;
        6 8 EXT_SEMAPHORE_SIGNAL hipGraphNodeTypeExtSemaphoreSignal;
        6 9 EXT_SEMAPHORE_WAIT hipGraphNodeTypeExtSemaphoreWait;
        6 10 MEM_ALLOC hipGraphNodeTypeMemAlloc;
        6 11 MEM_FREE hipGraphNodeTypeMemFree;
        6 14 BATCH_MEM_OP hipGraphNodeTypeBatchMemOp;
    }
}

abi_values! {
    /// `hipGraphExecUpdateResult`
    pub struct hipGraphExecUpdateResult(u32) {
        0 SUCCESS hipGraphExecUpdateSuccess;
        1 ERROR hipGraphExecUpdateError;
        2 TOPOLOGY_CHANGED hipGraphExecUpdateErrorTopologyChanged;
        3 NODE_TYPE_CHANGED hipGraphExecUpdateErrorNodeTypeChanged;
        4 FUNCTION_CHANGED hipGraphExecUpdateErrorFunctionChanged;
        5 PARAMETERS_CHANGED hipGraphExecUpdateErrorParametersChanged;
        6 NOT_SUPPORTED hipGraphExecUpdateErrorNotSupported;
        7 UNSUPPORTED_FUNCTION_CHANGE hipGraphExecUpdateErrorUnsupportedFunctionChange;
    }
}

abi_values! {
    /// `hipStreamCaptureMode`
    pub struct hipStreamCaptureMode(u32) {
        0 GLOBAL hipStreamCaptureModeGlobal;
        1 THREAD_LOCAL hipStreamCaptureModeThreadLocal;
        2 RELAXED hipStreamCaptureModeRelaxed;
    }
}

abi_values! {
    /// `hipStreamUpdateCaptureDependenciesFlags`
    pub struct hipStreamUpdateCaptureDependenciesFlags(u32) {
        0 ADD hipStreamAddCaptureDependencies;
        1 SET hipStreamSetCaptureDependencies;
    }
}
