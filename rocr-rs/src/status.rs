//! The layer's error type, and the one total function from it to `hsa_status_t`.

use hsa_sys::Status;

use crate::queue::QueueError;

/// What can go wrong in this layer: each says the thing, the place, and where there is one the way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside its range.
    #[error("{what}: {why}")]
    InvalidArgument {
        /// The argument.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Memory could not be had.
    #[error("{bytes} bytes of {kind} memory on {agent}: {source}")]
    Allocation {
        /// Agent that was asked.
        agent: String,
        /// Kind of memory.
        kind: &'static str,
        /// Bytes asked for.
        bytes: u64,
        /// What the thunk says.
        source: thunk_rs::Error,
    },
    /// The address is not the start of memory of this runtime.
    #[error("{va:#x} is not the start of an allocation of this runtime")]
    UnknownAddress {
        /// The address.
        va: u64,
    },
    /// No image of that format can be made.
    #[error("format of an image: {why}")]
    ImageFormat {
        /// Which, and for what.
        why: String,
    },
    /// No image of that size can be made.
    #[error("size of an image: {why}")]
    ImageSize {
        /// Which, and what would do.
        why: String,
    },
    /// No image with rows or layers so far apart can be made.
    #[error("pitch of an image: {why}")]
    ImagePitch {
        /// Which, and what would do.
        why: String,
    },
    /// It cannot be given back yet.
    #[error("{what} cannot be given back: {why}")]
    InUse {
        /// The thing.
        what: &'static str,
        /// Who uses it.
        why: &'static str,
    },
    /// The queue cannot be made.
    #[error("queue of {packets} packets on {agent}: {why}")]
    QueueCreation {
        /// Agent that was asked.
        agent: String,
        /// Packets asked for.
        packets: u32,
        /// What is wrong.
        why: String,
    },
    /// The queue stopped earlier.
    #[error("the queue no longer takes packets: {0}")]
    QueueInactive(Box<QueueError>),
    /// The GPU failed, and its SDMA engines take no more work.
    #[error(
        "the SDMA engines of the GPU stopped at a fault: what was asked of them is not done; open a new runtime"
    )]
    EngineStopped,
    /// The call is not allowed on a frozen executable, or only on one.
    #[error("the executable is {state}: {why}")]
    ExecutableState {
        /// `frozen` or `not frozen`.
        state: &'static str,
        /// What was tried.
        why: &'static str,
    },
    /// No such symbol.
    #[error("no {kind} `{name}` in the executable")]
    SymbolNotFound {
        /// `kernel` or `variable`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Nothing of that name is defined, and a code object refers to it.
    #[error("symbol `{name}` is used by a code object and defined nowhere: define it before loading")]
    UndefinedSymbol {
        /// The name.
        name: String,
    },
    /// The symbol is defined already.
    #[error("symbol `{name}` is defined twice")]
    DuplicateSymbol {
        /// The name.
        name: String,
    },
    /// The code object is malformed.
    #[error("code object: {0}")]
    CodeObject(#[from] amd_codeobj::Error),
    /// The code object's parts do not fit together in memory.
    #[error("code object: {why}")]
    CodeObjectLayout {
        /// What is wrong.
        why: String,
    },
    /// A relocation cannot be applied.
    #[error("{kind} at {offset:#x} of the code object: {why}")]
    Relocation {
        /// `R_AMDGPU_…`
        kind: String,
        /// Link address of what it patches.
        offset: u64,
        /// What is wrong.
        why: String,
    },
    /// The code object is for another target.
    #[error("code object for {code} does not run on {agent}: {why}")]
    IncompatibleTarget {
        /// Target ID of the code object.
        code: String,
        /// Target ID of the agent.
        agent: String,
        /// The reason.
        why: String,
    },
    /// The layer below refused.
    #[error("{what}: {source}")]
    Driver {
        /// What was tried.
        what: &'static str,
        /// What the thunk says.
        source: thunk_rs::Error,
    },
    /// The host could not start a thread.
    #[error("start a thread: {0}")]
    Thread(std::io::Error),
    /// A variable of the environment says something that cannot be.
    #[error("{name}={value} {why}")]
    Environment {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The device has no GPU that this runtime knows.
    #[error("{device}: {why}")]
    NoAgent {
        /// The device.
        device: String,
        /// What is missing.
        why: String,
    },
}

impl Error {
    /// The `hsa_status_t` that the C interface returns for this error.
    pub fn status(&self) -> Status {
        match self {
            Self::InvalidArgument { .. } => Status::ERROR_INVALID_ARGUMENT,
            Self::Allocation { .. } => Status::ERROR_OUT_OF_RESOURCES,
            Self::UnknownAddress { .. } => Status::ERROR_INVALID_ALLOCATION,
            Self::ImageFormat { .. } => Status::ERROR_IMAGE_FORMAT_UNSUPPORTED,
            Self::ImageSize { .. } => Status::ERROR_IMAGE_SIZE_UNSUPPORTED,
            Self::ImagePitch { .. } => Status::ERROR_IMAGE_PITCH_UNSUPPORTED,
            Self::InUse { .. } => Status::ERROR_RESOURCE_FREE,
            Self::QueueCreation { .. } => Status::ERROR_INVALID_QUEUE_CREATION,
            Self::QueueInactive(error) => error.status(),
            Self::EngineStopped => Status::ERROR,
            Self::ExecutableState { state: "frozen", .. } => Status::ERROR_FROZEN_EXECUTABLE,
            Self::ExecutableState { .. } => Status::ERROR_INVALID_EXECUTABLE,
            Self::SymbolNotFound { .. } => Status::ERROR_INVALID_SYMBOL_NAME,
            Self::UndefinedSymbol { .. } => Status::ERROR_VARIABLE_UNDEFINED,
            Self::DuplicateSymbol { .. } => Status::ERROR_VARIABLE_ALREADY_DEFINED,
            Self::CodeObject(_)
            | Self::CodeObjectLayout { .. }
            | Self::Relocation { .. }
            | Self::IncompatibleTarget { .. } => Status::ERROR_INVALID_CODE_OBJECT,
            Self::Driver { .. } | Self::Thread(_) | Self::Environment { .. } | Self::NoAgent { .. } => {
                Status::ERROR_OUT_OF_RESOURCES
            }
        }
    }
}
