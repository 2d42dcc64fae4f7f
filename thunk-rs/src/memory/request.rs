//! What can be asked for, and the flags that it becomes.

use kfd_sys::memory::AllocFlags;

use crate::topology::NodeId;

/// Where memory is and how it is kept coherent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Memory of the GPU; coherent at the end of a kernel.
    Vram,
    /// Memory of the GPU; coherent at all times.
    VramFine,
    /// Pages of this process; coherent at all times.
    SystemFine,
    /// Pages of this process; coherent at the end of a kernel.
    SystemCoarse,
    /// Memory of the host that the kernel owns; coherent at all times, uncached by the GPU.
    Gtt,
    /// Registers of the GPU; not to be asked for, see [`Thunk::hdp_flush_page`](crate::Thunk::hdp_flush_page).
    Mmio,
}

impl MemoryKind {
    /// Is it memory of the host?
    pub fn is_system(self) -> bool {
        matches!(self, MemoryKind::SystemFine | MemoryKind::SystemCoarse | MemoryKind::Gtt)
    }
}

/// The GPUs that memory is mapped to when it is allocated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GpuAccess {
    /// None yet.
    None,
    /// The one that it is allocated on.
    #[default]
    Owner,
    /// All.
    All,
    /// These.
    Nodes(Vec<NodeId>),
}

/// An allocation.
#[derive(Debug, Clone)]
pub struct AllocRequest {
    /// What.
    pub kind: MemoryKind,
    /// On which GPU; a host node will do for memory of the host.
    pub node: NodeId,
    /// Bytes; rounded up to pages.
    pub size: u64,
    /// A power of two, or 0 for what is natural.
    pub alignment: u64,
    /// The host reads and writes it. Memory of the host always is.
    pub host_access: bool,
    /// It holds instructions.
    pub executable: bool,
    /// GPUs do not write it.
    pub read_only: bool,
    /// GPUs do not cache it.
    pub uncached: bool,
    /// Who gets it at once.
    pub access: GpuAccess,
    /// Where it shall lie, and nowhere else; for `None` the thunk chooses.
    pub fixed_address: Option<u64>,
    /// It is a ring that is to be seen twice, back to back: it takes twice the address space.
    pub seen_twice: bool,
    /// NUMA node of the host that its pages shall come from, if they are pages of this process.
    pub numa: Option<Numa>,
    /// KFD's own flags, for whoever has them already; otherwise they follow from the above.
    pub raw_flags: Option<AllocFlags>,
}

/// A NUMA node of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numa {
    /// Which.
    pub node: u32,
    /// No other node will do.
    pub strict: bool,
}

impl AllocRequest {
    /// A request with what is usual: host access, data, and access for the GPU itself (memory of the GPU) or for all
    /// (memory of the host).
    pub fn new(kind: MemoryKind, node: NodeId, size: u64) -> AllocRequest {
        AllocRequest {
            kind,
            node,
            size,
            alignment: 0,
            host_access: true,
            executable: false,
            read_only: false,
            uncached: false,
            access: if kind.is_system() { GpuAccess::All } else { GpuAccess::Owner },
            fixed_address: None,
            seen_twice: false,
            numa: None,
            raw_flags: None,
        }
    }

    /// It holds instructions.
    pub fn executable(mut self) -> AllocRequest {
        self.executable = true;
        self
    }

    /// The host does not reach it.
    pub fn device_only(mut self) -> AllocRequest {
        self.host_access = false;
        self
    }

    /// GPUs do not cache it.
    pub fn uncached(mut self) -> AllocRequest {
        self.uncached = true;
        self
    }

    /// Its address is a multiple of this power of two.
    pub fn aligned(mut self, alignment: u64) -> AllocRequest {
        self.alignment = alignment;
        self
    }

    /// Who gets it at once.
    pub fn access(mut self, access: GpuAccess) -> AllocRequest {
        self.access = access;
        self
    }

    /// KFD's flags for it.
    pub fn flags(&self) -> AllocFlags {
        if let Some(flags) = self.raw_flags {
            return flags;
        }
        let mut flags = AllocFlags::NO_SUBSTITUTE
            | match self.kind {
                MemoryKind::Vram => AllocFlags::VRAM,
                MemoryKind::VramFine => AllocFlags::VRAM | AllocFlags::COHERENT,
                MemoryKind::SystemFine => AllocFlags::USERPTR | AllocFlags::COHERENT,
                MemoryKind::SystemCoarse => AllocFlags::USERPTR,
                MemoryKind::Gtt => AllocFlags::GTT | AllocFlags::COHERENT | AllocFlags::UNCACHED,
                MemoryKind::Mmio => AllocFlags::MMIO_REMAP | AllocFlags::COHERENT,
            };
        flags.set(AllocFlags::PUBLIC, flags.contains(AllocFlags::VRAM) && self.host_access);
        flags.set(AllocFlags::EXECUTABLE, self.executable);
        flags.set(AllocFlags::WRITABLE, !self.read_only);
        if self.uncached {
            flags |= AllocFlags::UNCACHED;
        }
        if self.seen_twice {
            flags |= AllocFlags::AQL_QUEUE_MEM | AllocFlags::UNCACHED;
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_a_real_run() {
        let new = |kind| AllocRequest::new(kind, NodeId(1), 4096).executable();
        for (request, bits) in [
            (new(MemoryKind::Vram), 0xf000_0001),
            (new(MemoryKind::Vram).device_only(), 0xd000_0001),
            (new(MemoryKind::SystemFine), 0xd400_0004),
            (new(MemoryKind::SystemFine).uncached(), 0xd600_0004),
            (new(MemoryKind::SystemCoarse), 0xd000_0004),
            (new(MemoryKind::Gtt), 0xd600_0002),
        ] {
            assert_eq!(request.flags().bits(), bits, "{request:?}");
        }
    }
}
