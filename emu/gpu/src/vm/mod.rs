//! GPU virtual memory of one process on one device: which addresses are mapped, with which rights, to which memory.
//!
//! GPU addresses equal host addresses above the boundary, but the device never goes through the program's own
//! mappings for memory that it owns: device memory has a second mapping that stays for as long as anyone reads the
//! table. A page table is immutable once published; readers hold it by `Arc`, and with it everything it maps. User
//! pointers are the exception: their memory is the program's, and may go at any time (`guard`).

mod access;
pub(crate) mod guard;
mod object;
mod pool;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

pub use access::{Fault, FaultKind};
pub use object::{Backing, MemoryObject};
pub use pool::{Extent, Pool, host_range_exists};

/// Bytes of the smallest page.
pub const PAGE: u64 = 4096;

/// What a device may do with a range. Reading is always allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rights {
    /// Stores and atomics.
    pub write: bool,
    /// Instruction fetch.
    pub execute: bool,
    /// Float atomics are lost here ([`Chip::drops_float_atomics`](crate::chips::Chip::drops_float_atomics)).
    pub no_float_atomics: bool,
}

/// One mapped range.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// First address of the range, as the GPU sees it.
    pub va: u64,
    /// Bytes.
    pub len: u64,
    /// Address in this process where the device reaches the same bytes.
    pub host: u64,
    /// Rights.
    pub rights: Rights,
    /// The object that is mapped: held so that the memory outlives every reader of this table.
    pub object: Arc<MemoryObject>,
}

impl Mapping {
    /// First address after the range.
    pub const fn end(&self) -> u64 {
        self.va + self.len
    }

    /// Is its memory the program's?
    pub fn is_user(&self) -> bool {
        matches!(self.object.backing, Backing::User(_))
    }
}

/// A set of disjoint mapped ranges, by address.
#[derive(Debug, Clone, Default)]
pub struct PageTable {
    maps: Vec<Mapping>,
    /// Its number among those of its device.
    version: u64,
    /// How many of them are user pointers.
    user: usize,
}

impl PageTable {
    /// The mapping that holds `va`.
    pub fn find(&self, va: u64) -> Option<&Mapping> {
        let after = self.maps.partition_point(|map| map.va <= va);
        let map = self.maps.get(after.checked_sub(1)?)?;
        (va - map.va < map.len).then_some(map)
    }

    /// The GPU address of a host address in the program's memory, if a user pointer has it.
    pub fn user_va(&self, host: u64) -> Option<u64> {
        let inside = |map: &&Mapping| map.is_user() && host.wrapping_sub(map.host) < map.len;
        self.maps.iter().find(inside).map(|map| map.va + (host - map.host))
    }

    /// Is there a range between two addresses whose object is such?
    pub fn any_in(&self, start: u64, end: u64, is: impl Fn(&MemoryObject) -> bool) -> bool {
        let first = self.maps.partition_point(|map| map.end() <= start);
        self.maps[first..].iter().take_while(|map| map.va < end).any(|map| is(&map.object))
    }

    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.maps.len()
    }

    /// Are there user pointers?
    pub fn has_user(&self) -> bool {
        self.user > 0
    }

    fn insert(&mut self, map: Mapping) -> bool {
        let at = self.maps.partition_point(|other| other.va <= map.va);
        let clear_below = at == 0 || self.maps[at - 1].end() <= map.va;
        let clear_above = self.maps.get(at).is_none_or(|next| map.end() <= next.va);
        let fits = clear_below && clear_above;
        if fits {
            self.user += usize::from(map.is_user());
            self.maps.insert(at, map);
        }
        fits
    }

    fn remove(&mut self, object: &MemoryObject) {
        self.maps.retain(|map| map.object.handle != object.handle);
        self.user = self.maps.iter().filter(|map| map.is_user()).count();
    }
}

/// The page table of one process on one device, as it changes.
#[derive(Debug, Default)]
pub struct Vm {
    table: RwLock<Arc<PageTable>>,
    /// How often it has changed.
    version: AtomicU64,
}

impl Vm {
    /// The table as it is now. Who publishes work maps first what it names: a queue must take the table after it has read
    /// what published the work (a packet's header, a write pointer, a value waited for), or it may miss those ranges.
    pub fn table(&self) -> Arc<PageTable> {
        self.table.read().clone()
    }

    /// Whether nothing has changed since a table was taken.
    pub fn is_current(&self, table: &PageTable) -> bool {
        self.version.load(Ordering::Acquire) == table.version
    }

    /// Numbers a table that has changed. Its writer publishes nothing before it comes back from here.
    fn number(&self, table: &mut PageTable) {
        table.version = self.version.load(Ordering::Relaxed) + 1;
        self.version.store(table.version, Ordering::Release);
    }

    /// Adds a range. False if part of it is mapped already.
    #[must_use]
    pub fn map(&self, map: Mapping) -> bool {
        let mut table = self.table.write();
        let table = Arc::make_mut(&mut table);
        let added = table.insert(map);
        if added {
            self.number(table);
        }
        added
    }

    /// Removes the ranges that map some objects and adds others, in one step. False, and nothing done, if part of those
    /// is mapped by others.
    #[must_use]
    pub fn exchange(&self, gone: &[&MemoryObject], new: impl Iterator<Item = Mapping>) -> bool {
        let mut table = self.table.write();
        let mut next = PageTable::clone(&table);
        gone.iter().for_each(|object| next.remove(object));
        for map in new {
            if !next.insert(map) {
                return false;
            }
        }
        self.number(&mut next);
        *table = Arc::new(next);
        true
    }

    /// Removes the range that maps `object`. False if there is none.
    pub fn unmap(&self, object: &MemoryObject) -> bool {
        let mut table = self.table.write();
        let found = table.find(object.va).is_some_and(|map| map.object.handle == object.handle);
        if found {
            let table = Arc::make_mut(&mut table);
            table.remove(object);
            self.number(table);
        }
        found
    }
}

#[cfg(test)]
mod tests;
