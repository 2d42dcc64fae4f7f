//! `HSAKMT_STATUS`, and what becomes of our errors.

use std::fmt;

use kfd_sys::Errno;
use thunk_rs::{Error, TableError};

/// What every call returns. A newtype: callers may compare it with values that we do not know.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($name:ident = $value:literal, $doc:literal;)*) => {
        impl Status {
            $( #[doc = $doc] pub const $name: Status = Status($value); )*

            /// The header's name without its prefix, if it has one.
            pub fn symbol(self) -> Option<&'static str> {
                match self { $( Status::$name => Some(stringify!($name)), )* _ => None }
            }
        }

        /// All that the header names.
        pub const STATUSES: &[(&str, Status)] = &[$( (stringify!($name), Status::$name) ),*];
    };
}

statuses! {
    SUCCESS = 0, "It was done.";
    ERROR = 1, "It failed.";
    DRIVER_MISMATCH = 2, "The kernel speaks another interface.";
    INVALID_PARAMETER = 3, "A parameter cannot be meant.";
    INVALID_HANDLE = 4, "A handle is none.";
    INVALID_NODE_UNIT = 5, "There is no such node, or no snapshot of the topology.";
    NO_MEMORY = 6, "There is not enough memory.";
    BUFFER_TOO_SMALL = 7, "A buffer is too small.";
    NOT_IMPLEMENTED = 10, "Not for these parameters.";
    NOT_SUPPORTED = 11, "Not on this node, or by this kernel.";
    UNAVAILABLE = 12, "Not now.";
    OUT_OF_RESOURCES = 13, "Somebody else has it.";
    KERNEL_IO_CHANNEL_NOT_OPENED = 20, "The library is not open in this process.";
    KERNEL_COMMUNICATION_ERROR = 21, "The kernel did not answer.";
    KERNEL_ALREADY_OPENED = 22, "The library is open already; it counts.";
    HSAMMU_UNAVAILABLE = 23, "There is no IOMMU.";
    WAIT_FAILURE = 30, "A wait failed.";
    WAIT_TIMEOUT = 31, "Time ran out.";
    MEMORY_ALREADY_REGISTERED = 35, "The memory is registered already, to other nodes.";
    MEMORY_NOT_REGISTERED = 36, "The memory is not registered.";
    MEMORY_ALIGNMENT = 37, "The memory is not aligned.";
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbol() {
            Some(name) => f.write_str(name),
            None => write!(f, "Status({})", self.0),
        }
    }
}

/// A call's result.
pub type Result<T> = std::result::Result<T, Status>;

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        match error {
            Error::Version { .. } => Status::DRIVER_MISMATCH,
            Error::NotAGpu(_) => Status::INVALID_NODE_UNIT,
            Error::Open { .. } | Error::NoGpu { .. } | Error::NoEmulator { .. } => {
                Status::KERNEL_IO_CHANNEL_NOT_OPENED
            }
            Error::HostMemory { errno: Errno::ENOMEM, .. } => Status::NO_MEMORY,
            _ => Status::ERROR,
        }
    }
}

impl From<TableError> for Status {
    fn from(error: TableError) -> Status {
        match error {
            TableError::NotRegistered(_) => Status::MEMORY_NOT_REGISTERED,
            TableError::OtherNodes(_) => Status::MEMORY_ALREADY_REGISTERED,
            TableError::ScratchTaken(_) => Status::NO_MEMORY,
            TableError::Thunk(error) => error.into(),
            _ => Status::ERROR,
        }
    }
}
