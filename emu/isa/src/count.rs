//! Counts of what waves do: instructions by class, active lanes, bytes.
//!
//! [`crate::run`] counts nothing but instructions; [`run_counted`] does the same work by the same bodies and counts.
//! What is the same at every execution of a block ([`Costs`]) is found once, when it is first counted.

use core::ops::{AddAssign, Range};

use crate::ops::memory::buffer::Resource;
use crate::run::{run_blocks, step, step_altered};
use crate::{Block, CodeView, Flow, Format, Group, Inst, Moves, Stop, Wave};

/// What kind of work an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Scalar arithmetic, moves and compares: SOP1, SOP2, SOPK, SOPC without branches.
    ScalarAlu,
    /// Scalar loads, stores, atomics, cache upkeep and clocks: SMEM.
    ScalarMemory,
    /// Vector arithmetic, moves and compares: VOP1, VOP2, VOPC, VOP3, VOP3P without matrix instructions.
    VectorAlu,
    /// Matrix instructions: MFMA, SMFMAC.
    Matrix,
    /// Reads, writes and atomics of LDS, and exchange between lanes by way of it: DS.
    Lds,
    /// Vector loads: FLAT (global and scratch too), MUBUF, MTBUF. Also those into LDS.
    VectorLoad,
    /// Vector stores.
    VectorStore,
    /// Vector atomics.
    VectorAtomic,
    /// Branches, calls and returns, taken or not.
    Branch,
    /// Waits, barriers (global wave sync too), messages, sleep, the end of the program, upkeep of vector caches.
    Other,
}

impl Class {
    /// All classes, in the order in which they are shown.
    pub const ALL: [Class; 10] = [
        Class::ScalarAlu,
        Class::ScalarMemory,
        Class::VectorAlu,
        Class::Matrix,
        Class::Lds,
        Class::VectorLoad,
        Class::VectorStore,
        Class::VectorAtomic,
        Class::Branch,
        Class::Other,
    ];

    /// The class of an instruction.
    pub fn of(i: &Inst) -> Class {
        let traits = &i.op.traits;
        match i.format {
            _ if traits.jumps => Class::Branch,
            Format::Ds if traits.gds => Class::Other,
            Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Sopc => Class::ScalarAlu,
            Format::Sopp | Format::Vintrp | Format::Exp => Class::Other,
            Format::Smem => Class::ScalarMemory,
            Format::Vop3p if traits.matrix => Class::Matrix,
            Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => Class::VectorAlu,
            Format::Ds => Class::Lds,
            Format::Flat | Format::Mubuf | Format::Mtbuf | Format::Mimg if traits.atomic => {
                Class::VectorAtomic
            }
            Format::Flat | Format::Mubuf | Format::Mtbuf | Format::Mimg => match traits.moves {
                Moves { writes: 1.., .. } => Class::VectorStore,
                Moves { reads: 1.., .. } => Class::VectorLoad,
                _ => Class::Other,
            },
        }
    }

    /// Whether its instructions work on the lanes of a wave.
    pub const fn is_vector(self) -> bool {
        matches!(
            self,
            Class::VectorAlu
                | Class::Matrix
                | Class::Lds
                | Class::VectorLoad
                | Class::VectorStore
                | Class::VectorAtomic
        )
    }
}

/// Bytes that instructions ask for: an active lane counts with the width of its access, whatever its neighbours access,
/// and whether or not the address is inside a buffer. An access that converts formats counts with the registers that
/// it fills or takes. An atomic both reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.read += other.read;
        self.written += other.written;
    }
}

/// What waves did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Instructions, one for a whole wave, in the order of [`Class::ALL`]; see [`Counts::of`].
    pub instructions: [u64; Class::ALL.len()],
    /// Active lanes, summed over the instructions of vector classes: bits of `EXEC` before the instruction. Matrix
    /// instructions work on all lanes all the same.
    pub lanes: u64,
    /// Global memory by vector instructions: FLAT outside the apertures, GLOBAL, buffers.
    pub global: Traffic,
    /// LDS: DS, FLAT in its aperture, loads into LDS.
    pub lds: Traffic,
    /// Memory of single lanes: SCRATCH, FLAT in its aperture, buffers that are swizzled by lane.
    pub scratch: Traffic,
    /// Memory by scalar instructions.
    pub scalar: Traffic,
}

impl Counts {
    /// Instructions of a class.
    pub const fn of(&self, class: Class) -> u64 {
        self.instructions[class as usize]
    }

    /// All instructions.
    pub fn total(&self) -> u64 {
        self.instructions.iter().sum()
    }

    /// Instructions of vector classes.
    pub fn vector(&self) -> u64 {
        Class::ALL.into_iter().filter(|class| class.is_vector()).map(|class| self.of(class)).sum()
    }

    /// Lanes active in a vector instruction, on average; `None` where there was none.
    pub fn mean_lanes(&self) -> Option<f64> {
        let vector = self.vector();
        (vector > 0).then(|| self.lanes as f64 / vector as f64)
    }
}

impl Counts {
    /// Applies `f` to each number of these and the same one of others.
    fn zip(&mut self, other: &Counts, f: impl Fn(&mut u64, u64)) {
        self.instructions.iter_mut().zip(other.instructions).for_each(|(x, y)| f(x, y));
        f(&mut self.lanes, other.lanes);
        for (x, y) in [
            (&mut self.global, other.global),
            (&mut self.lds, other.lds),
            (&mut self.scratch, other.scratch),
            (&mut self.scalar, other.scalar),
        ] {
            f(&mut x.read, y.read);
            f(&mut x.written, y.written);
        }
    }

    fn less(mut self, other: &Counts) -> Counts {
        self.zip(other, |x, y| *x -= y);
        self
    }

    /// What each active lane adds; the instructions it adds to are counted already.
    fn add_times(&mut self, other: &Counts, times: u64) {
        self.zip(other, |x, y| *x += times * y);
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.zip(other, |x, y| *x += y);
    }
}

/// Which memory an instruction reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Nothing,
    Scalar,
    Global,
    Lds,
    Scratch,
    /// As the high half of each lane's address says.
    Flat,
    /// As the descriptor says.
    Buffer,
}

/// What is the same at every execution of an instruction.
#[derive(Debug, Clone, Copy)]
struct Cost {
    class: Class,
    reach: Reach,
    moves: Moves,
}

impl Cost {
    fn of(i: &Inst) -> Cost {
        let mut moves = i.op.traits.moves;
        moves.to_lds |= i.mem.lds;
        let reach = match i.format {
            _ if moves.reads == 0 && moves.writes == 0 => Reach::Nothing,
            Format::Smem => Reach::Scalar,
            Format::Ds => Reach::Lds,
            Format::Flat => match i.mem.segment {
                0 => Reach::Flat,
                1 => Reach::Scratch,
                _ => Reach::Global,
            },
            Format::Mubuf | Format::Mtbuf => Reach::Buffer,
            Format::Mimg => Reach::Global,
            _ => Reach::Nothing,
        };
        Cost { class: Class::of(i), reach, moves }
    }

    /// Whether registers say which memory is reached.
    fn is_open(self) -> bool {
        matches!(self.reach, Reach::Flat | Reach::Buffer)
    }

    /// Counts the instruction, with so many lanes active; it is not open.
    fn add(self, counts: &mut Counts, lanes: u64) {
        counts.instructions[self.class as usize] += 1;
        counts.lanes += if self.class.is_vector() { lanes } else { 0 };
        self.add_moves(counts, self.reach, lanes);
    }

    /// Counts what moves between registers and a memory.
    fn add_moves(self, counts: &mut Counts, reach: Reach, lanes: u64) {
        let times = if self.moves.once { 1 } else { lanes };
        let (read, written) = (times * u64::from(self.moves.reads), times * u64::from(self.moves.writes));
        match reach {
            Reach::Scalar => counts.scalar += Traffic { read, written },
            Reach::Global => counts.global += Traffic { read, written },
            Reach::Lds => counts.lds += Traffic { read, written },
            Reach::Scratch => counts.scratch += Traffic { read, written },
            Reach::Nothing | Reach::Flat | Reach::Buffer => {}
        }
        if self.moves.to_lds {
            counts.lds.written += read;
        }
    }

    /// Counts an instruction that is about to run, open or not.
    fn add_open(self, counts: &mut Counts, w: &Wave, g: &Group<'_>, i: &Inst) {
        let exec = w.exec();
        let lanes = u64::from(exec.count_ones());
        self.add(counts, lanes);
        match self.reach {
            Reach::Buffer => {
                let reach = if Resource::is_scratch(w, i) { Reach::Scratch } else { Reach::Global };
                // What goes to LDS is counted already.
                Cost { moves: Moves { to_lds: false, ..self.moves }, ..self }.add_moves(counts, reach, lanes);
            }
            Reach::Flat => {
                let high = &w.v[i.mem.addr.plus(1).row()].0;
                let in_aperture = |aperture: u32| {
                    (0..64).filter(|l| exec >> l & 1 != 0 && high[*l] == aperture).count() as u64
                };
                let (lds, scratch) = (in_aperture(g.shared_aperture_hi), in_aperture(g.private_aperture_hi));
                self.add_moves(counts, Reach::Lds, lds);
                self.add_moves(counts, Reach::Scratch, scratch);
                self.add_moves(counts, Reach::Global, lanes - lds - scratch);
            }
            _ => {}
        }
    }
}

/// What is the same at every execution of a block.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    each: Vec<Cost>,
    /// The whole block with no lane active, and what each active lane adds. `None` if registers say which memory is
    /// reached.
    whole: Option<Box<(Counts, Counts)>>,
}

impl Costs {
    pub(crate) fn of(insts: &[Inst]) -> Costs {
        let each: Vec<Cost> = insts.iter().map(Cost::of).collect();
        let closed = !each.iter().any(|cost| cost.is_open());
        let whole = closed.then(|| {
            let sum = |lanes| {
                let mut counts = Counts::default();
                each.iter().for_each(|cost| cost.add(&mut counts, lanes));
                counts
            };
            let (none, one) = (sum(0), sum(1));
            Box::new((none, one.less(&none)))
        });
        Costs { each, whole }
    }

    /// Counts some instructions of a block that is not open, with the lanes of `exec` active.
    fn add(&self, counts: &mut Counts, range: Range<usize>, exec: u64) {
        let lanes = u64::from(exec.count_ones());
        match &self.whole {
            Some(whole) if range.len() == self.each.len() => {
                *counts += &whole.0;
                counts.add_times(&whole.1, lanes);
            }
            _ => self.each[range].iter().for_each(|cost| cost.add(counts, lanes)),
        }
    }
}

/// As [`crate::run`], and counts what the wave does. It is a little slower.
pub fn run_counted(
    w: &mut Wave,
    g: &mut Group<'_>,
    code: &mut CodeView,
    budget: u64,
    counts: &mut Counts,
) -> Stop {
    run_blocks(w, g, code, budget, |w, g, block| {
        if block.costs().whole.is_none() || w.mode.alters_instructions() {
            return run_open(w, g, block, counts);
        }
        let plain = w.mode.is_plain();
        // Counted are stretches in which `EXEC` stays as it is: mostly the whole block.
        let (mut from, mut exec) = (0, w.exec());
        for (n, inst) in block.insts.iter().enumerate() {
            let now = w.exec();
            if now != exec {
                block.costs().add(counts, from..n, exec);
                (from, exec) = (n, now);
            }
            let flow = step(w, g, inst, plain);
            if flow != Flow::Next {
                // What is to come again counts then.
                block.costs().add(counts, from..n + usize::from(flow != Flow::Again), exec);
                return (flow, n + 1);
            }
        }
        block.costs().add(counts, from..block.insts.len(), exec);
        (Flow::Next, block.insts.len())
    })
}

/// A block that is counted an instruction at a time: before each, registers say what it will do.
fn run_open(w: &mut Wave, g: &mut Group<'_>, block: &Block, counts: &mut Counts) -> (Flow, usize) {
    let (plain, altered) = (w.mode.is_plain(), w.mode.alters_instructions());
    for (n, (inst, cost)) in block.insts.iter().zip(&block.costs().each).enumerate() {
        let skipped = altered && w.mode.skips_vectors() && inst.format.is_vector();
        // Of those that may have to come again it is known afterwards that they did something; they change no register.
        let late = inst.op.traits.gds;
        if !skipped && !late {
            cost.add_open(counts, w, g, inst);
        }
        let flow = if altered { step_altered(w, g, inst) } else { step(w, g, inst, plain) };
        if !skipped && late && flow != Flow::Again {
            cost.add_open(counts, w, g, inst);
        }
        if flow != Flow::Next {
            return (flow, n + 1);
        }
    }
    (Flow::Next, block.insts.len())
}
