//! `hipError_t`: the results of HIP calls, their names and texts. `hip/hip_runtime_api.h`, "hipError_t".

use std::ffi::CStr;

/// The result of a HIP call.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "the name of the C type")]
#[must_use]
pub struct hipError_t(pub u32);

macro_rules! errors {
    ($($value:literal $konst:ident $name:ident $text:literal;)*) => {
        impl hipError_t {
            $(
                #[doc = concat!("`", stringify!($name), "`: ", $text)]
                pub const $konst: Self = Self($value);
            )*

            /// Every value that has a name, once.
            pub const ALL: &[Self] = &[$(Self::$konst),*];

            /// The enumerator's name; values without one get that of `hipErrorUnknown`.
            pub const fn name(self) -> &'static CStr {
                match self.0 {
                    $($value => as_cstr(concat!(stringify!($name), "\0")),)*
                    _ => c"hipErrorUnknown",
                }
            }

            /// What the error means, for people.
            pub const fn text(self) -> &'static CStr {
                match self.0 {
                    $($value => as_cstr(concat!($text, "\0")),)*
                    _ => c"an error number that HIP does not define",
                }
            }
        }
    };
}

const fn as_cstr(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the rows hold no NUL"),
    }
}

#[rustfmt::skip]
errors! {
    0 SUCCESS hipSuccess "no error";
    1 INVALID_VALUE hipErrorInvalidValue "an argument has a value that this call does not take";
    2 OUT_OF_MEMORY hipErrorOutOfMemory "out of memory";
    3 NOT_INITIALIZED hipErrorNotInitialized "the runtime could not be initialised";
    4 DEINITIALIZED hipErrorDeinitialized "the runtime is shutting down";
    5 PROFILER_DISABLED hipErrorProfilerDisabled "the profiler is disabled";
    6 PROFILER_NOT_INITIALIZED hipErrorProfilerNotInitialized "the profiler is not initialised";
    7 PROFILER_ALREADY_STARTED hipErrorProfilerAlreadyStarted "the profiler is already started";
    8 PROFILER_ALREADY_STOPPED hipErrorProfilerAlreadyStopped "the profiler is already stopped";
    9 INVALID_CONFIGURATION hipErrorInvalidConfiguration "the launch asks for a grid or block that the device cannot run";
    12 INVALID_PITCH_VALUE hipErrorInvalidPitchValue "the pitch is out of range";
    13 INVALID_SYMBOL hipErrorInvalidSymbol "the symbol is not a device variable of this program";
    17 INVALID_DEVICE_POINTER hipErrorInvalidDevicePointer "the pointer is not one of device memory";
    21 INVALID_MEMCPY_DIRECTION hipErrorInvalidMemcpyDirection "the direction of the copy is not one of the known ones";
    35 INSUFFICIENT_DRIVER hipErrorInsufficientDriver "the driver is older than this runtime needs";
    52 MISSING_CONFIGURATION hipErrorMissingConfiguration "a kernel was launched with no configuration pushed before it";
    53 PRIOR_LAUNCH_FAILURE hipErrorPriorLaunchFailure "an earlier launch failed";
    98 INVALID_DEVICE_FUNCTION hipErrorInvalidDeviceFunction "the function is not a kernel of this program";
    100 NO_DEVICE hipErrorNoDevice "no AMD GPU was found";
    101 INVALID_DEVICE hipErrorInvalidDevice "there is no device of this number";
    200 INVALID_IMAGE hipErrorInvalidImage "the image is not a code object or a fat binary that can be read";
    201 INVALID_CONTEXT hipErrorInvalidContext "the context is not valid";
    202 CONTEXT_ALREADY_CURRENT hipErrorContextAlreadyCurrent "the context is current already";
    205 MAP_FAILED hipErrorMapFailed "the mapping failed";
    206 UNMAP_FAILED hipErrorUnmapFailed "the unmapping failed";
    207 ARRAY_IS_MAPPED hipErrorArrayIsMapped "the array is mapped";
    208 ALREADY_MAPPED hipErrorAlreadyMapped "the resource is mapped already";
    209 NO_BINARY_FOR_GPU hipErrorNoBinaryForGpu "the program holds no code for this GPU";
    210 ALREADY_ACQUIRED hipErrorAlreadyAcquired "the resource is acquired already";
    211 NOT_MAPPED hipErrorNotMapped "the resource is not mapped";
    212 NOT_MAPPED_AS_ARRAY hipErrorNotMappedAsArray "the resource is not mapped as an array";
    213 NOT_MAPPED_AS_POINTER hipErrorNotMappedAsPointer "the resource is not mapped as a pointer";
    214 ECC_NOT_CORRECTABLE hipErrorECCNotCorrectable "an ECC error that cannot be corrected";
    215 UNSUPPORTED_LIMIT hipErrorUnsupportedLimit "the device has no such limit";
    216 CONTEXT_ALREADY_IN_USE hipErrorContextAlreadyInUse "the context is in use";
    217 PEER_ACCESS_UNSUPPORTED hipErrorPeerAccessUnsupported "the devices cannot reach each other's memory";
    218 INVALID_KERNEL_FILE hipErrorInvalidKernelFile "the kernel file is damaged";
    219 INVALID_GRAPHICS_CONTEXT hipErrorInvalidGraphicsContext "the graphics context is not valid";
    300 INVALID_SOURCE hipErrorInvalidSource "the source is not valid";
    301 FILE_NOT_FOUND hipErrorFileNotFound "the file was not found";
    302 SHARED_OBJECT_SYMBOL_NOT_FOUND hipErrorSharedObjectSymbolNotFound "a symbol of a shared object was not found";
    303 SHARED_OBJECT_INIT_FAILED hipErrorSharedObjectInitFailed "a shared object could not be initialised";
    304 OPERATING_SYSTEM hipErrorOperatingSystem "a call to the operating system failed";
    400 INVALID_HANDLE hipErrorInvalidHandle "the handle is not valid";
    401 ILLEGAL_STATE hipErrorIllegalState "the object is in a state that forbids this call";
    500 NOT_FOUND hipErrorNotFound "nothing of this name was found";
    600 NOT_READY hipErrorNotReady "the work has not finished yet";
    700 ILLEGAL_ADDRESS hipErrorIllegalAddress "a kernel touched memory that is not mapped for it";
    701 LAUNCH_OUT_OF_RESOURCES hipErrorLaunchOutOfResources "the launch needs more registers or LDS than there are";
    702 LAUNCH_TIME_OUT hipErrorLaunchTimeOut "the kernel ran for too long";
    704 PEER_ACCESS_ALREADY_ENABLED hipErrorPeerAccessAlreadyEnabled "peer access is enabled already";
    705 PEER_ACCESS_NOT_ENABLED hipErrorPeerAccessNotEnabled "peer access is not enabled";
    708 SET_ON_ACTIVE_PROCESS hipErrorSetOnActiveProcess "this cannot be changed once a device is active";
    709 CONTEXT_IS_DESTROYED hipErrorContextIsDestroyed "the context is destroyed";
    710 ASSERT hipErrorAssert "an assertion of device code failed";
    712 HOST_MEMORY_ALREADY_REGISTERED hipErrorHostMemoryAlreadyRegistered "the host memory is registered already";
    713 HOST_MEMORY_NOT_REGISTERED hipErrorHostMemoryNotRegistered "the host memory is not registered";
    719 LAUNCH_FAILURE hipErrorLaunchFailure "a kernel ended with an exception";
    720 COOPERATIVE_LAUNCH_TOO_LARGE hipErrorCooperativeLaunchTooLarge "the cooperative grid does not fit on the device at once";
    801 NOT_SUPPORTED hipErrorNotSupported "this runtime does not support the call";
    900 STREAM_CAPTURE_UNSUPPORTED hipErrorStreamCaptureUnsupported "the call is not allowed while a stream is captured";
    901 STREAM_CAPTURE_INVALIDATED hipErrorStreamCaptureInvalidated "the capture was invalidated";
    902 STREAM_CAPTURE_MERGE hipErrorStreamCaptureMerge "the operation would merge two captures";
    903 STREAM_CAPTURE_UNMATCHED hipErrorStreamCaptureUnmatched "the capture was not begun in this stream";
    904 STREAM_CAPTURE_UNJOINED hipErrorStreamCaptureUnjoined "the capture has streams that were not joined";
    905 STREAM_CAPTURE_ISOLATION hipErrorStreamCaptureIsolation "the operation would depend on work outside the capture";
    906 STREAM_CAPTURE_IMPLICIT hipErrorStreamCaptureImplicit "the operation would depend on the null stream while capturing";
    907 CAPTURED_EVENT hipErrorCapturedEvent "the event belongs to a capture";
    908 STREAM_CAPTURE_WRONG_THREAD hipErrorStreamCaptureWrongThread "the capture was begun by another thread";
    910 GRAPH_EXEC_UPDATE_FAILURE hipErrorGraphExecUpdateFailure "the graph does not fit the executable graph";
    911 INVALID_CHANNEL_DESCRIPTOR hipErrorInvalidChannelDescriptor "the channel descriptor is not valid";
    912 INVALID_TEXTURE hipErrorInvalidTexture "the texture is not valid";
    999 UNKNOWN hipErrorUnknown "an error that has no name of its own";
    1052 RUNTIME_MEMORY hipErrorRuntimeMemory "a call for memory failed in the runtime";
    1053 RUNTIME_OTHER hipErrorRuntimeOther "a call failed in the runtime";
}

impl hipError_t {
    /// `hipErrorMemoryAllocation`, another name of the same value
    #[doc(alias = "hipErrorMemoryAllocation")]
    pub const MEMORY_ALLOCATION: Self = Self(2);
    /// `hipErrorInitializationError`, another name of the same value
    #[doc(alias = "hipErrorInitializationError")]
    pub const INITIALIZATION_ERROR: Self = Self(3);
    /// `hipErrorMapBufferObjectFailed`, another name of the same value
    #[doc(alias = "hipErrorMapBufferObjectFailed")]
    pub const MAP_BUFFER_OBJECT_FAILED: Self = Self(205);
    /// `hipErrorInvalidResourceHandle`, another name of the same value
    #[doc(alias = "hipErrorInvalidResourceHandle")]
    pub const INVALID_RESOURCE_HANDLE: Self = Self(400);

    /// The value, as C has it.
    pub const fn code(self) -> u32 {
        self.0
    }

    /// Whether the call did what it was asked for.
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }
}

impl std::fmt::Debug for hipError_t {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name().to_string_lossy(), self.0)
    }
}

impl std::fmt::Display for hipError_t {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}): {}", self.name().to_string_lossy(), self.0, self.text().to_string_lossy())
    }
}

impl std::error::Error for hipError_t {}

const _: () = assert!(size_of::<hipError_t>() == 4);
