//! What can stop a queue, and its `hsa_status_t`.

use std::fmt;

use hsa_sys::{QueueInactive, Status};

/// Why a queue stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueueErrorKind {
    /// A dimension of grid or work-group is zero or too large.
    InvalidDimension,
    /// More group memory than there is.
    InvalidGroupMemory,
    /// The kernel object is null or not a kernel.
    InvalidCode,
    /// A packet that the processor does not know.
    InvalidPacket,
    /// Too many work-items in a work-group.
    WorkgroupTooLarge,
    /// More vector registers than a work-group can have.
    OutOfRegisters,
    /// Scratch memory could not be had.
    OutOfScratch,
    /// A wave went beyond an aperture.
    ApertureViolation,
    /// A wave met an instruction that it does not have.
    IllegalInstruction,
    /// A wave trapped: `abort()`, `__builtin_trap()`, a failed assertion.
    Trap,
    /// A wave's memory access was refused.
    MemoryFault,
    /// The agent was reset or is gone.
    DeviceLost,
    /// The program put the queue out of service.
    Inactivated,
    /// Something that has no name here.
    Unknown,
}

/// A stopped queue's error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueError {
    /// The queue's number.
    pub queue: u64,
    /// What happened.
    pub kind: QueueErrorKind,
    /// The bits that the packet processor reported.
    pub bits: QueueInactive,
    /// First packet that was not consumed.
    pub packet_index: u64,
    /// Descriptor of the kernel in that packet; 0 when it is not a dispatch.
    pub kernel_object: u64,
}

impl QueueError {
    /// The status that `hsa_queue_create`'s callback is given.
    pub fn status(&self) -> Status {
        use QueueErrorKind as K;
        match self.kind {
            K::InvalidDimension => Status::ERROR_INCOMPATIBLE_ARGUMENTS,
            K::InvalidGroupMemory => Status::ERROR_INVALID_ALLOCATION,
            K::InvalidCode => Status::ERROR_INVALID_CODE_OBJECT,
            K::InvalidPacket => Status::ERROR_INVALID_PACKET_FORMAT,
            K::WorkgroupTooLarge => Status::ERROR_INVALID_ARGUMENT,
            K::OutOfRegisters => Status::ERROR_OUT_OF_REGISTERS,
            K::OutOfScratch => Status::ERROR_OUT_OF_RESOURCES,
            K::ApertureViolation => Status::ERROR_MEMORY_APERTURE_VIOLATION,
            K::IllegalInstruction => Status::ERROR_ILLEGAL_INSTRUCTION,
            K::Trap => Status::ERROR_EXCEPTION,
            K::MemoryFault => Status::ERROR_MEMORY_FAULT,
            K::Inactivated => Status::ERROR_INVALID_QUEUE,
            K::DeviceLost | K::Unknown => Status::ERROR,
        }
    }
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "queue {} stopped at packet {}: {:?}", self.queue, self.packet_index, self.kind)
    }
}
impl std::error::Error for QueueError {}
