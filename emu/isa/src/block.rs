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

/// All blocks decoded for a process on a device, shared by its workers.
pub struct CodeCache {
    generation: &'static Gen,
    blocks: Mutex<HashMap<u64, Arc<Block>>>,
}

impl CodeCache {
    /// An empty cache for code of `generation`.
    pub fn new(generation: &'static Gen) -> CodeCache {
        CodeCache { generation, blocks: Mutex::new(HashMap::new()) }
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
        let known = self.cache.blocks.lock().get(&pc).cloned();
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
        self.cache.blocks.lock().insert(pc, block.clone());
        Ok(block)
    }
}
