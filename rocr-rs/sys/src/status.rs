//! `hsa_status_t` (`hsa.h`, and the additions of `hsa_ext_amd.h`).

use crate::abi::abi_value;

abi_value! {
    /// The result of every HSA call.
    pub struct Status(u32) {
        /// The call did what it says.
        SUCCESS = 0,
        /// A callback asked to stop the traversal.
        INFO_BREAK = 1,
        /// `hsa_amd_memory_pool_t` is not valid.
        ERROR_INVALID_MEMORY_POOL = 40,
        /// An agent went beyond the limits of an aperture.
        ERROR_MEMORY_APERTURE_VIOLATION = 41,
        /// An agent met an instruction that it does not have.
        ERROR_ILLEGAL_INSTRUCTION = 42,
        /// An agent touched memory that is not mapped for it.
        ERROR_MEMORY_FAULT = 43,
        /// The mask of compute units was applied in part.
        CU_MASK_REDUCED = 44,
        /// A kernel needs more registers than a work-group of that size can have.
        ERROR_OUT_OF_REGISTERS = 45,
        /// Anything without a code of its own.
        ERROR = 0x1000,
        /// An argument is out of its range.
        ERROR_INVALID_ARGUMENT = 0x1001,
        /// The agent cannot make the queue that was asked for.
        ERROR_INVALID_QUEUE_CREATION = 0x1002,
        /// Memory of that size or kind cannot be had.
        ERROR_INVALID_ALLOCATION = 0x1003,
        /// `hsa_agent_t` is not valid.
        ERROR_INVALID_AGENT = 0x1004,
        /// `hsa_region_t` is not valid.
        ERROR_INVALID_REGION = 0x1005,
        /// `hsa_signal_t` is not valid.
        ERROR_INVALID_SIGNAL = 0x1006,
        /// `hsa_queue_t` is not valid.
        ERROR_INVALID_QUEUE = 0x1007,
        /// The system has no more of what is needed.
        ERROR_OUT_OF_RESOURCES = 0x1008,
        /// An AQL packet is malformed.
        ERROR_INVALID_PACKET_FORMAT = 0x1009,
        /// A resource could not be released.
        ERROR_RESOURCE_FREE = 0x100a,
        /// `hsa_init` was not called.
        ERROR_NOT_INITIALIZED = 0x100b,
        /// A reference count is at its end.
        ERROR_REFCOUNT_OVERFLOW = 0x100c,
        /// The arguments do not go together.
        ERROR_INCOMPATIBLE_ARGUMENTS = 0x100d,
        /// An index is out of range.
        ERROR_INVALID_INDEX = 0x100e,
        /// `hsa_isa_t` is not valid.
        ERROR_INVALID_ISA = 0x100f,
        /// A code object is malformed or not for this agent.
        ERROR_INVALID_CODE_OBJECT = 0x1010,
        /// `hsa_executable_t` is not valid.
        ERROR_INVALID_EXECUTABLE = 0x1011,
        /// The executable is frozen already.
        ERROR_FROZEN_EXECUTABLE = 0x1012,
        /// No symbol of that name.
        ERROR_INVALID_SYMBOL_NAME = 0x1013,
        /// The variable has a definition already.
        ERROR_VARIABLE_ALREADY_DEFINED = 0x1014,
        /// The variable has no definition.
        ERROR_VARIABLE_UNDEFINED = 0x1015,
        /// A kernel raised an exception.
        ERROR_EXCEPTION = 0x1016,
        /// The text does not name an ISA.
        ERROR_INVALID_ISA_NAME = 0x1017,
        /// `hsa_code_symbol_t` is not valid.
        ERROR_INVALID_CODE_SYMBOL = 0x1018,
        /// `hsa_executable_symbol_t` is not valid.
        ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019,
        /// The file descriptor is not usable.
        ERROR_INVALID_FILE = 0x1020,
        /// `hsa_code_object_reader_t` is not valid.
        ERROR_INVALID_CODE_OBJECT_READER = 0x1021,
        /// `hsa_cache_t` is not valid.
        ERROR_INVALID_CACHE = 0x1022,
        /// `hsa_wavefront_t` is not valid.
        ERROR_INVALID_WAVEFRONT = 0x1023,
        /// `hsa_signal_group_t` is not valid.
        ERROR_INVALID_SIGNAL_GROUP = 0x1024,
        /// The call is not allowed in the runtime's present state.
        ERROR_INVALID_RUNTIME_STATE = 0x1025,
        /// The queue or runtime cannot go on.
        ERROR_FATAL = 0x1026,
        /// No image of that format can be made (`hsa_ext_image.h`).
        ERROR_IMAGE_FORMAT_UNSUPPORTED = 0x3000,
        /// No image of that size can be made.
        ERROR_IMAGE_SIZE_UNSUPPORTED = 0x3001,
        /// No image with rows or layers so far apart can be made.
        ERROR_IMAGE_PITCH_UNSUPPORTED = 0x3002,
    }
}

impl Status {
    /// Whether the call did what it says: anything below the error codes.
    pub fn is_ok(self) -> bool {
        matches!(self, Self::SUCCESS | Self::INFO_BREAK | Self::CU_MASK_REDUCED)
    }
}
