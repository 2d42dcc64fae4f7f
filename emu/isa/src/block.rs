//! Blocks: straight-line code decoded once per address, and the cache of them.
//!
//! Code may be replaced at the same address (a module unloaded, another loaded). So a block keeps the words that it
//! was made from, and each dispatch compares them with memory when it first enters the block.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::count::Costs;
use crate::mem::{MemFault, MemView};
use crate::ops::scalar::control;
use crate::{Gen, Inst, Trap, TrapKind};

/// A block ends at a branch, or here at the latest.
const MAX_INSTS: usize = 512;

/// Straight-line code, ready to run.
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
    /// The instructions; never empty.
    pub insts: Vec<Inst>,
    /// What counting needs to know of each of them.
    costs: OnceLock<Costs>,
    /// What the code looked like when it was decoded.
    words: Vec<u32>,
}

/// Words that no instruction of the generation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no instruction has the encoding {:08x} {:08x}", words[0], words[1])]
pub struct DecodeError {
    /// The words.
    pub words: [u32; 2],
}

impl Block {
    fn decode(generation: &'static Gen, start: u64, mem: &mut MemView<'_>) -> Result<Block, MemFault> {
        let mut block =
            Block { start, end: start, insts: Vec::new(), costs: OnceLock::new(), words: Vec::new() };
        while block.insts.len() < MAX_INSTS {
            let words = match mem.fetch(block.end) {
                Ok(words) => words,
                // Running off the mapping is a fault when it is reached, not now.
                Err(_) if !block.insts.is_empty() => break,
                Err(fault) => return Err(fault),
            };
            let mut inst = match (generation.decode)(generation, words) {
                Ok(inst) => inst,
                Err(DecodeError { words }) => control::illegal(words),
            };
            inst.offset = (block.end - start) as u32;
            block.words.extend_from_slice(&words[..usize::from(inst.size) / 4]);
            block.end += u64::from(inst.size);
            let last = inst.op.traits.ends_block;
            block.insts.push(inst);
            if last {
                break;
            }
        }
        block.insts.shrink_to_fit();
        block.words.shrink_to_fit();
        Ok(block)
    }

    /// What is the same at every execution; found when somebody counts.
    pub(crate) fn costs(&self) -> &Costs {
        self.costs.get_or_init(|| Costs::of(&self.insts))
    }

    fn is_current(&self, mem: &mut MemView<'_>) -> bool {
        let mut bytes = vec![0; self.words.len() * 4];
        mem.load_bytes(self.start, &mut bytes).is_ok()
            && bytes.chunks_exact(4).zip(&self.words).all(|(b, w)| b == w.to_le_bytes())
    }
}

/// Instructions in the younger half of a cache, at most.
const HALF: usize = 1 << 17;

/// Blocks by address, in two halves: what nobody asks for while the younger one fills is dropped with the older one. So
/// a process that loads and unloads code without end needs no more room than one that runs much code at once.
#[derive(Default)]
struct Halves {
    young: HashMap<u64, Arc<Block>>,
    old: HashMap<u64, Arc<Block>>,
    /// Instructions in the younger half.
    insts: usize,
}

impl Halves {
    fn get(&mut self, pc: u64) -> Option<Arc<Block>> {
        if let Some(block) = self.young.get(&pc) {
            return Some(block.clone());
        }
        let block = self.old.remove(&pc)?;
        self.insert(block.clone());
        Some(block)
    }

    /// Takes in a block, in the place of another at its address.
    fn insert(&mut self, block: Arc<Block>) {
        if self.insts + block.insts.len() > HALF {
            self.old = std::mem::take(&mut self.young);
            self.insts = 0;
        }
        self.old.remove(&block.start);
        self.insts += block.insts.len();
        if let Some(replaced) = self.young.insert(block.start, block) {
            self.insts -= replaced.insts.len();
        }
    }
}

/// The blocks decoded for a process on a device, shared by its workers.
pub struct CodeCache {
    generation: &'static Gen,
    blocks: Mutex<Halves>,
}

impl CodeCache {
    /// An empty cache for code of `generation`.
    pub fn new(generation: &'static Gen) -> CodeCache {
        CodeCache { generation, blocks: Mutex::default() }
    }

    /// The generation whose code it holds.
    pub fn generation(&self) -> &'static Gen {
        self.generation
    }
}

const SLOTS: usize = 1024;

/// One worker's view of a [`CodeCache`] during one dispatch.
pub struct CodeView {
    cache: Arc<CodeCache>,
    slots: Vec<Option<Arc<Block>>>,
    /// The slots that are filled: most dispatches are of a few blocks.
    filled: Vec<usize>,
}

impl CodeView {
    /// A view; call [`CodeView::begin_dispatch`] before each dispatch.
    pub fn new(cache: Arc<CodeCache>) -> CodeView {
        CodeView { cache, slots: vec![None; SLOTS], filled: Vec::new() }
    }

    /// Forgets what was checked: code may have changed since the dispatch before.
    pub fn begin_dispatch(&mut self) {
        for slot in self.filled.drain(..) {
            self.slots[slot] = None;
        }
    }

    /// The block that starts at `pc`.
    #[inline]
    pub fn block(&mut self, pc: u64, mem: &mut MemView<'_>) -> Result<&Block, Trap> {
        let slot = (pc >> 2) as usize % SLOTS;
        if self.slots[slot].as_ref().is_none_or(|b| b.start != pc) {
            let block = self.find(pc, mem)?;
            if self.slots[slot].replace(block).is_none() {
                self.filled.push(slot);
            }
        }
        match &self.slots[slot] {
            Some(block) => Ok(block),
            None => unreachable!("filled above"),
        }
    }

    #[inline(never)]
    fn find(&self, pc: u64, mem: &mut MemView<'_>) -> Result<Arc<Block>, Trap> {
        let known = self.cache.blocks.lock().get(pc);
        if let Some(block) = known
            && block.is_current(mem)
        {
            return Ok(block);
        }
        let block = Block::decode(self.cache.generation, pc, mem).map_err(|f| Trap {
            kind: TrapKind::MemoryFault { va: f.va, access: f.access },
            pc,
            lane: None,
        })?;
        let block = Arc::new(block);
        self.cache.blocks.lock().insert(block.clone());
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64) -> Arc<Block> {
        let insts = vec![control::illegal([0; 2]); MAX_INSTS];
        Arc::new(Block { start, end: start + 8, insts, costs: OnceLock::new(), words: Vec::new() })
    }

    #[test]
    fn code_that_is_no_longer_run_is_dropped_and_code_that_is_stays() {
        let mut halves = Halves::default();
        let much = 10 * (HALF / MAX_INSTS) as u64;
        let run_all_the_time = block(0);
        halves.insert(run_all_the_time.clone());
        for start in 1..=much {
            halves.insert(block(start));
            let found = halves.get(0).expect("asked for all the time");
            assert!(Arc::ptr_eq(&found, &run_all_the_time));
            let insts = |half: &HashMap<u64, Arc<Block>>| half.values().map(|b| b.insts.len()).sum::<usize>();
            assert_eq!(halves.insts, insts(&halves.young));
            assert!(halves.insts <= HALF && insts(&halves.old) <= HALF);
        }
        assert!(halves.get(1).is_none() && halves.get(much).is_some());
        // The same place again: one block, the newer.
        let newer = block(much);
        halves.insert(newer.clone());
        assert!(Arc::ptr_eq(&halves.get(much).unwrap(), &newer));
    }
}
