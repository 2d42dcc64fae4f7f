//! What the library exports and does not do, and why. Each answers with the status of its API.
//!
//! KFD has no such thing for any GPU that is supported here (gfx9 and later), and so the vendor's library does not do it
//! either:
//!
//! - `hsaKmtMapGraphicHandle`: was for gfx7 APUs and never in the kernel: `NOT_IMPLEMENTED`.
//! - `hsaKmtSetMemoryPolicy`: for gfx7 APUs: `NOT_IMPLEMENTED`. The policy of the others is set when the library opens.
//! - `hsaKmtDbgRegister`, `hsaKmtDbgUnregister`, `hsaKmtDbgWavefrontControl`, `hsaKmtDbgAddressWatch`: the old debugger
//!   calls, which KFD answers with `EPERM` since 1.13: `ERROR`. `hsaKmtDbgEnable` and its kin took their place.
//! - `hsaKmtReplaceAsanHeaderPage`, `hsaKmtReturnAsanHeaderPage`: for builds with the address sanitizer: `NOT_SUPPORTED`.
//! - `hsaKmtPmcRegisterTrace` and the calls on a trace: for counters that the kernel reads, which only the IOMMU of APUs
//!   has: `INVALID_PARAMETER`. Counters of GPUs are read by packets of the program's queues.
//!
//! Only AMD's out-of-tree kernel driver has it; the calls are issued, and its absence is told:
//!
//! - `hsaKmtProcessVMRead`, `hsaKmtProcessVMWrite`, `hsaKmtSPM*`: `ERROR`, `hsaKmtPcSampling*`: `NOT_SUPPORTED`.
//!
//! Of the newest releases, which this library does not go along with:
//!
//! - `hsaKmtGetAMDGPUDeviceHandle` on the emulated device in the process, which `libdrm_amdgpu` cannot reach, and where there is no
//!   `libdrm_amdgpu.so.1`: `NOT_SUPPORTED`.
//! - `hsaKmtHandleImport`, `hsaKmtMemoryVaMap`, `hsaKmtMemoryVaUnmap`, `hsaKmtMemHandleFree`, `hsaKmtMemoryCpuMap`,
//!   `hsaKmtMemoryGetCpuAddr`: buffer objects of `libdrm_amdgpu`, "experimental" in the header: `NOT_SUPPORTED`.
//! - `hsaKmtAisReadWriteFile`: out-of-tree, from KFD to files and back: `NOT_SUPPORTED`.
//! - `hsaKmtImportExternalSemaphore`, `hsaKmtDestroyExternalSemaphore`: for Windows: `NOT_SUPPORTED`.
//! - `hsaKmtSetSigbusDelay`: about RAS: `NOT_SUPPORTED`.
//!
//! Structs are those of the thunks that were a library of their own, up to 6.2.4: none grew since 5.2.3. The thunk that later
//! releases of ROCr have within them puts fields in the middle of `HsaNodeProperties`; nobody links with that one.
//!
//! Not done: devices older than gfx9, APUs as APUs (they are treated as dedicated GPUs), `HSA_ZFB`, `HSAKMT_DEBUG_LEVEL`.
