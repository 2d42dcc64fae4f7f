//! What can stop a queue, and its `hsa_status_t`.

use std::fmt;

use hsa_sys::{QueueHandle, QueueInactive, Status};
use thunk_rs::kfd_sys::WaveReport;

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
    /// Its `amd_queue_t`.
    pub handle: QueueHandle,
    /// What happened.
    pub kind: QueueErrorKind,
    /// The bits that the packet processor reported.
    pub bits: QueueInactive,
    /// The bits that the driver reported: bit `n` is exception `n + 1` of KFD (`EC_*` in `kfd_ioctl.h`).
    pub exceptions: u64,
    /// First packet that was not consumed.
    pub packet_index: u64,
    /// Descriptor of the kernel in that packet; 0 when it is not a dispatch.
    pub kernel_object: u64,
    /// The wave that did it, where the driver can tell.
    pub wave: Option<WaveReport>,
}

/// KFD's exceptions: code, and what it is here.
const EXCEPTIONS: &[(u32, QueueErrorKind)] = &[
    (1, QueueErrorKind::Trap),
    (2, QueueErrorKind::Trap),
    (3, QueueErrorKind::Trap),
    (4, QueueErrorKind::IllegalInstruction),
    (5, QueueErrorKind::MemoryFault),
    (6, QueueErrorKind::ApertureViolation),
    (16, QueueErrorKind::InvalidDimension),
    (17, QueueErrorKind::InvalidGroupMemory),
    (18, QueueErrorKind::InvalidCode),
    (20, QueueErrorKind::InvalidPacket),
    (21, QueueErrorKind::WorkgroupTooLarge),
    (22, QueueErrorKind::OutOfRegisters),
    (23, QueueErrorKind::InvalidPacket),
    (33, QueueErrorKind::MemoryFault),
    (34, QueueErrorKind::DeviceLost),
    (35, QueueErrorKind::DeviceLost),
    (36, QueueErrorKind::DeviceLost),
];

/// What the packet processor reports.
const INACTIVE: &[(QueueInactive, QueueErrorKind)] = &[
    (QueueInactive::INVALID_DIM, QueueErrorKind::InvalidDimension),
    (QueueInactive::INVALID_GROUP_MEMORY, QueueErrorKind::InvalidGroupMemory),
    (QueueInactive::INVALID_CODE, QueueErrorKind::InvalidCode),
    (QueueInactive::INVALID_PACKET, QueueErrorKind::InvalidPacket),
    (QueueInactive::INVALID_VENDOR_PACKET, QueueErrorKind::InvalidPacket),
    (QueueInactive::WORKGROUP_TOO_LARGE, QueueErrorKind::WorkgroupTooLarge),
    (QueueInactive::OUT_OF_REGISTERS, QueueErrorKind::OutOfRegisters),
    (QueueInactive::APERTURE_VIOLATION, QueueErrorKind::ApertureViolation),
    (QueueInactive::ILLEGAL_INSTRUCTION, QueueErrorKind::IllegalInstruction),
    (QueueInactive::DEBUG_TRAP, QueueErrorKind::Trap),
];

impl QueueErrorKind {
    /// Whether a wave caused it, and not the packet. (A memory fault's wave is told with the [`crate::Fault`].)
    pub(crate) fn is_of_a_wave(self) -> bool {
        matches!(self, Self::ApertureViolation | Self::IllegalInstruction | Self::Trap | Self::Unknown)
    }

    /// Of the bits in the queue's inactive signal.
    pub(crate) fn of_inactive(bits: QueueInactive) -> Self {
        INACTIVE.iter().find(|(bit, _)| bits.contains(*bit)).map_or(Self::Unknown, |(_, kind)| *kind)
    }

    /// Of the driver's exception bits; gives them back with it.
    pub(crate) fn of_exception(bits: u64) -> (Self, u64) {
        let kind = EXCEPTIONS.iter().find(|(code, _)| bits >> (code - 1) & 1 != 0);
        (kind.map_or(Self::Unknown, |(_, kind)| *kind), bits)
    }
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
        use QueueErrorKind as K;
        let what = match self.kind {
            K::InvalidDimension => "a dimension of grid or work-group is zero or too large",
            K::InvalidGroupMemory => "the kernel needs more LDS than a work-group can have",
            K::InvalidCode => "the kernel object is not a kernel of this agent",
            K::InvalidPacket => "the packet processor does not know this packet",
            K::WorkgroupTooLarge => "the work-group has too many work-items",
            K::OutOfRegisters => "the kernel needs more registers than a work-group of this size can have",
            K::OutOfScratch => "there is no scratch memory for the kernel",
            K::ApertureViolation => "a wave went beyond the LDS or scratch aperture",
            K::IllegalInstruction => "a wave met an illegal instruction",
            K::Trap => "a wave trapped (abort, assertion or __builtin_trap)",
            K::MemoryFault => "a wave's memory access was refused",
            K::DeviceLost => "the agent was reset or is gone",
            K::Inactivated => "the program put it out of service",
            K::Unknown => "no known reason was reported",
        };
        write!(f, "queue {} stopped at packet {}: {what}", self.queue, self.packet_index)?;
        if !self.bits.is_empty() {
            write!(f, " (reported {:#x})", self.bits)?;
        }
        if self.exceptions != 0 {
            write!(f, " (exceptions {:#x})", self.exceptions)?;
        }
        match &self.wave {
            Some(wave) => write!(f, "; {wave}"),
            None => Ok(()),
        }
    }
}
impl std::error::Error for QueueError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_have_names() {
        assert_eq!(QueueErrorKind::of_inactive(QueueInactive::INVALID_CODE), QueueErrorKind::InvalidCode);
        assert_eq!(
            QueueErrorKind::of_inactive(QueueInactive::from_bits_retain(0x4000_0000)),
            QueueErrorKind::IllegalInstruction
        );
        assert_eq!(
            QueueErrorKind::of_inactive(QueueInactive::from_bits_retain(1 << 50)),
            QueueErrorKind::Unknown
        );
        assert_eq!(QueueErrorKind::of_exception(1 << 3).0, QueueErrorKind::IllegalInstruction);
        assert_eq!(QueueErrorKind::of_exception(1 << 32).0, QueueErrorKind::MemoryFault);
        assert_eq!(QueueErrorKind::of_exception(1 << 60).0, QueueErrorKind::Unknown);
    }
}
