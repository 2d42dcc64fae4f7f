//! Tables of what handles stand for. A handle that is not in its table is answered with an error, never followed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

/// Handles are addresses or counted up: they need little mixing.
#[derive(Default)]
pub struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

type Map<T> = HashMap<u64, T, BuildHasherDefault<HandleHasher>>;

const fn map<T>() -> Map<T> {
    HashMap::with_hasher(BuildHasherDefault::new())
}

/// What has a handle by count.
pub struct Table<T> {
    rows: RwLock<Map<T>>,
    next: AtomicU64,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: RwLock::new(map()), next: AtomicU64::new(1) }
    }
}

impl<T: Clone> Table<T> {
    /// A handle for `value`.
    pub fn add(&self, value: T) -> u64 {
        // Handles of other kinds look different, so that a mistaken one is seen.
        let handle = self.next.fetch_add(1, Ordering::Relaxed) << 4 | 0x8;
        self.rows.write().insert(handle, value);
        handle
    }

    /// What a handle stands for.
    pub fn get(&self, handle: u64) -> Option<T> {
        self.rows.read().get(&handle).cloned()
    }

    /// Takes it out.
    pub fn remove(&self, handle: u64) -> Option<T> {
        self.rows.write().remove(&handle)
    }

    /// All handles that are valid now, in the order in which they were given out.
    pub fn handles(&self) -> Vec<u64> {
        let mut handles: Vec<u64> = self.rows.read().keys().copied().collect();
        handles.sort_unstable();
        handles
    }

    /// Takes all out whose row is like that.
    pub fn remove_if(&self, mut like: impl FnMut(&T) -> bool) {
        self.rows.write().retain(|_, row| !like(row));
    }
}

const SHARDS: usize = 64;

/// What has an address for a handle, and is looked up often by many threads.
pub struct AddressTable<T> {
    shards: [RwLock<Map<T>>; SHARDS],
}

impl<T> AddressTable<T> {
    /// An empty one.
    pub const fn new() -> Self {
        Self { shards: [const { RwLock::new(map()) }; SHARDS] }
    }

    fn shard(&self, handle: u64) -> &RwLock<Map<T>> {
        // Signals are 128 bytes apart, queues whole pages.
        &self.shards[((handle >> 7 ^ handle >> 13) as usize) % SHARDS]
    }

    /// Adds a row.
    pub fn add(&self, handle: u64, value: T) {
        self.shard(handle).write().insert(handle, value);
    }

    /// Takes a row out.
    pub fn remove(&self, handle: u64) -> Option<T> {
        self.shard(handle).write().remove(&handle)
    }

    /// Looks at a row.
    pub fn with<R>(&self, handle: u64, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.shard(handle).read().get(&handle).map(look)
    }

    /// Takes all out.
    pub fn take_all(&self) -> Vec<T> {
        self.shards.iter().flat_map(|shard| std::mem::take(&mut *shard.write()).into_values()).collect()
    }
}

impl<T: Clone> AddressTable<T> {
    /// A row.
    pub fn get(&self, handle: u64) -> Option<T> {
        self.with(handle, T::clone)
    }
}
