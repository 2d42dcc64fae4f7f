//! What can go wrong, with the thing, the place and the way out.

use kfd_sys::Errno;

use crate::topology::NodeId;

/// An error of the thunk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A device file could not be opened.
    #[error("{path}: {errno}{}", open_advice(path, *errno))]
    Open {
        /// Which.
        path: String,
        /// Why.
        errno: Errno,
    },
    /// The device is there, but no GPU.
    #[error("{device}: lists no GPU (is the amdgpu driver loaded, and the card supported by it?)")]
    NoGpu {
        /// Which.
        device: String,
    },
    /// The kernel's interface is not the one that we know.
    #[error("{device}: speaks KFD interface {major}.{minor}; {} is needed", kfd_sys::version::MAJOR)]
    Version {
        /// Which device.
        device: String,
        /// Its major version.
        major: u32,
        /// Its minor version.
        minor: u32,
    },
    /// An ioctl failed.
    #[error("AMDKFD_IOC_{name} ({detail}): {errno}")]
    Ioctl {
        /// Name without `AMDKFD_IOC_`.
        name: &'static str,
        /// The arguments that matter.
        detail: String,
        /// Why.
        errno: Errno,
    },
    /// A file of the topology tree could not be read.
    #[error("topology/{path}: {errno}")]
    TopologyFile {
        /// Below `/sys/devices/virtual/kfd/kfd/topology/`.
        path: String,
        /// Why.
        errno: Errno,
    },
    /// A file of the topology tree holds something that we cannot read.
    #[error("topology/{path}, line {line}: {problem} in `{text}`")]
    TopologyLine {
        /// Below `/sys/devices/virtual/kfd/kfd/topology/`.
        path: String,
        /// Counted from 1.
        line: usize,
        /// The line, cut to a readable length.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The topology changed each time while it was read.
    #[error("topology: its generation changed during each of {tries} readings, last {last}")]
    TopologyUnstable {
        /// How often it was read.
        tries: u32,
        /// Generation seen last.
        last: u32,
    },
    /// There is no such node, or it is no GPU.
    #[error("node {0} is not a GPU of this device")]
    NotAGpu(NodeId),
    /// A GPU of a kind that we have no numbers for.
    #[error("node {node}: {gfx} is not known here, so its queues' save areas cannot be sized (see gfx.rs)")]
    UnknownGfx {
        /// Which node.
        node: NodeId,
        /// What it is.
        gfx: String,
    },
    /// A request that cannot be right.
    #[error("{call}: {problem}")]
    Request {
        /// The call.
        call: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// An offset outside of an allocation, or an allocation that the host cannot reach.
    #[error("host access to {len} bytes at offset {offset} of memory {va:#x} ({size} bytes): {problem}")]
    Access {
        /// Start of the memory.
        va: u64,
        /// Its size.
        size: u64,
        /// Where.
        offset: u64,
        /// How much.
        len: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// The host's address space or memory gave out.
    #[error("cannot {what} {len} bytes of host address space: {errno}")]
    HostMemory {
        /// `reserve`, `map`.
        what: &'static str,
        /// How much.
        len: u64,
        /// Why.
        errno: Errno,
    },
    /// An event was destroyed while it was waited for.
    #[error("AMDKFD_IOC_WAIT_EVENTS: an event was destroyed during the wait")]
    EventGone,
    /// `ROCRS_DEVICE` says something that we do not know.
    #[error("ROCRS_DEVICE: `{text}` is none of auto, kfd, emu, emu:CHIP[,CHIP...]")]
    DeviceChoice {
        /// What it says.
        text: String,
    },
    /// A variable of the emulated GPU says something that cannot be meant.
    #[error("{0}")]
    EmulatorOption(String),
    /// No such chip to emulate.
    #[error("no emulated chip `{name}`; there are: {known}")]
    UnknownChip {
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Built without the emulated GPU.
    #[error(
        "this build has no emulated GPU (cargo feature `emu` of thunk-rs), and no other device: {reason}"
    )]
    NoEmulator {
        /// Why there is no hardware.
        reason: String,
    },
}

impl Error {
    /// The kernel's error number, if one is the cause.
    pub fn errno(&self) -> Option<Errno> {
        match self {
            Error::Open { errno, .. }
            | Error::Ioctl { errno, .. }
            | Error::TopologyFile { errno, .. }
            | Error::HostMemory { errno, .. } => Some(*errno),
            _ => None,
        }
    }

    /// Is it memory, of host or GPU, that was not enough?
    pub fn is_out_of_memory(&self) -> bool {
        self.errno().is_some_and(|errno| errno == Errno::ENOMEM || errno == Errno::ENOSPC)
    }

    pub(crate) fn request(call: &'static str, problem: impl Into<String>) -> Error {
        Error::Request { call, problem: problem.into() }
    }
}

fn open_advice(path: &str, errno: Errno) -> String {
    match errno {
        Errno::EACCES | Errno::EPERM => {
            ": the user needs read and write access (on most systems: membership of the groups `render` and `video`)"
                .to_owned()
        }
        Errno::ENOENT if path.ends_with("kfd") => {
            ": is the amdgpu driver loaded? ROCRS_DEVICE=emu uses the emulated GPU".to_owned()
        }
        _ => String::new(),
    }
}
