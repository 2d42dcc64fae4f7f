//! Device memory that was freed and is likely to be wanted again. Each piece is an allocation of its own, so that what runs
//! past its end still faults; and memory is kept only of sizes that the program frees again and again, so that a program
//! which uses what it freed once is still told.

use parking_lot::Mutex;
use rocr_rs::Memory;
use std::collections::BTreeMap;

const PAGE: usize = 4096;
/// Larger pieces take long enough to use that getting them does not matter.
const LARGEST: usize = 1 << 20;
/// Bytes that are kept at most.
const MOST: usize = 64 << 20;
/// Frees of a size after which it is kept.
const HABIT: u32 = 32;

/// Pieces of one size.
#[derive(Default)]
struct Class {
    frees: u32,
    free: Vec<Memory>,
}

#[derive(Default)]
struct Kept {
    classes: BTreeMap<usize, Class>,
    bytes: usize,
}

/// The memory that a device keeps.
#[derive(Default)]
pub struct Recycler {
    kept: Mutex<Kept>,
}

/// What `bytes` become: whole pages.
fn class(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(PAGE).filter(|bytes| *bytes <= LARGEST)
}

impl Recycler {
    /// Memory of `bytes`: a piece that was kept, or what `allocate` brings. When there is none, what is kept goes back first.
    pub fn take<E>(&self, bytes: usize, allocate: impl Fn() -> Result<Memory, E>) -> Result<Memory, E> {
        if let Some(class) = class(bytes) {
            let mut kept = self.kept.lock();
            if let Some(memory) = kept.classes.get_mut(&class).and_then(|class| class.free.pop()) {
                kept.bytes -= class;
                return Ok(memory);
            }
        }
        match allocate() {
            Err(_) if self.give_back() > 0 => allocate(),
            result => result,
        }
    }

    /// Takes memory that the program freed: keeps it, or lets it go.
    pub fn put(&self, memory: Memory, bytes: usize) {
        let Some(size) = class(bytes) else { return };
        let mut kept = self.kept.lock();
        let room = kept.bytes + size <= MOST;
        let class = kept.classes.entry(size).or_default();
        class.frees = class.frees.saturating_add(1);
        if room && class.frees > HABIT {
            class.free.push(memory);
            kept.bytes += size;
        }
    }

    /// Lets everything go; the bytes that it was.
    pub fn give_back(&self) -> usize {
        let kept = std::mem::take(&mut *self.kept.lock());
        kept.bytes
    }

    /// Bytes that are kept, which the program does not have.
    pub fn bytes(&self) -> usize {
        self.kept.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_pages_up_to_a_limit() {
        assert_eq!(class(1), Some(4096));
        assert_eq!(class(4096), Some(4096));
        assert_eq!(class(4097), Some(8192));
        assert_eq!(class(LARGEST), Some(LARGEST));
        assert_eq!(class(LARGEST + 1), None);
        assert_eq!(class(usize::MAX), None);
    }
}
