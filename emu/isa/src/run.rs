//! Runs a wave: block after block, until it stops.

#![allow(
    unsafe_code,
    reason = "calls the bodies compiled for SIMD features, which the decoder chose after detection"
)]

use crate::{Block, CodeView, Flow, Format, Group, Inst, Trap, Wave};

/// Why [`run`] came back.
#[derive(Debug)]
pub enum Stop {
    /// The wave waits for the others of its group at a barrier.
    Barrier,
    /// The wave sleeps or has used up its time slice: it wants to run on, but others may go first.
    Yield,
    /// The wave has ended.
    End,
    /// The wave cannot go on.
    Trap(Box<Trap>),
}

/// Runs `w` until it stops, or until `budget` instructions are over at the end of a block.
pub fn run(w: &mut Wave, g: &mut Group<'_>, code: &mut CodeView, budget: u64) -> Stop {
    run_blocks(w, g, code, budget, run_block)
}

/// [`run`], with a way to run a block.
#[inline(always)]
pub(crate) fn run_blocks(
    w: &mut Wave,
    g: &mut Group<'_>,
    code: &mut CodeView,
    budget: u64,
    mut run_block: impl FnMut(&mut Wave, &mut Group<'_>, &Block) -> (Flow, usize),
) -> Stop {
    let limit = w.instructions.saturating_add(budget);
    loop {
        let block = match code.block(w.pc, &mut g.mem) {
            Ok(block) => block,
            Err(trap) => return Stop::Trap(Box::new(trap)),
        };
        // A loop of one block does not look it up again.
        loop {
            w.block_pc = block.start;
            let (flow, done) = run_block(w, g, block);
            w.instructions += done as u64;
            match flow {
                Flow::Next => w.pc = block.end,
                Flow::Jump => {}
                Flow::End => return Stop::End,
                Flow::Trap => {
                    let pc = block.insts[done - 1].pc(w);
                    w.pc = pc;
                    let unknown = || Box::new(Trap { kind: crate::TrapKind::Abort, pc, lane: None });
                    return Stop::Trap(w.trap.take().unwrap_or_else(unknown));
                }
                Flow::Again => {
                    w.instructions -= 1;
                    w.pc = block.insts[done - 1].pc(w);
                    return Stop::Yield;
                }
                Flow::Barrier | Flow::Sleep => {
                    w.pc = block.insts[done - 1].next_pc(w);
                    return if flow == Flow::Barrier { Stop::Barrier } else { Stop::Yield };
                }
            }
            if w.instructions >= limit {
                return Stop::Yield;
            }
            if w.pc != block.start {
                break;
            }
        }
    }
}

/// Runs the instructions of a block until one does not flow into the next; tells how many ran.
#[inline]
fn run_block(w: &mut Wave, g: &mut Group<'_>, block: &Block) -> (Flow, usize) {
    if w.mode.alters_instructions() {
        return run_altered(w, g, block);
    }
    let plain = w.mode.is_plain();
    for (n, inst) in block.insts.iter().enumerate() {
        let flow = step(w, g, inst, plain);
        if flow != Flow::Next {
            return (flow, n + 1);
        }
    }
    (Flow::Next, block.insts.len())
}

/// Runs an instruction; `plain` says that the wave's mode is.
#[inline(always)]
pub(crate) fn step(w: &mut Wave, g: &mut Group<'_>, inst: &Inst, plain: bool) -> Flow {
    if plain {
        // SAFETY: `exec` is the general body, callable anywhere, or a fast one that the decoder took after
        // `simd::available` found the features that it is compiled for.
        unsafe { (inst.exec)(w, g, inst) }
    } else {
        (inst.general)(w, g, inst)
    }
}

/// As [`run_block`], in a mode in which instructions do not run as they are written.
#[cold]
fn run_altered(w: &mut Wave, g: &mut Group<'_>, block: &Block) -> (Flow, usize) {
    for (n, inst) in block.insts.iter().enumerate() {
        let flow = step_altered(w, g, inst);
        if flow != Flow::Next {
            return (flow, n + 1);
        }
    }
    (Flow::Next, block.insts.len())
}

/// Runs an instruction in a mode that skips vector instructions (but still runs scalar ones), or that indexes vector
/// registers: `M0[15:12]` says which of three sources and the destination have `M0[7:0]` added to their register number.
pub(crate) fn step_altered(w: &mut Wave, g: &mut Group<'_>, inst: &Inst) -> Flow {
    if w.mode.skips_vectors() && inst.format.is_vector() {
        return Flow::Next;
    }
    let mut inst = inst.clone();
    let indexes = w.mode.indexes_registers();
    if indexes
        && matches!(inst.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p)
    {
        let (index, what) = (w.m0() as u16 & 0xff, w.m0() >> 12);
        for (k, o) in inst.src.iter_mut().chain([&mut inst.dst]).enumerate() {
            if !o.is_vector() || what >> k & 1 == 0 {
                continue;
            }
            let number = (o.0 & 0xff) + index;
            match number {
                0..=0xff => o.0 = o.0 & !0xff | number,
                // Beyond the file a source is the first register, and with such a destination nothing happens.
                _ if k < 3 => o.0 &= !0xff,
                _ => return Flow::Next,
            }
        }
    }
    (inst.general)(w, g, &inst)
}
