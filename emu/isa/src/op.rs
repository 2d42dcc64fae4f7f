//! `Op`: one instruction's name, operand types and meaning, written once.
//!
//! What a generation's manual says of it (number, encoding) is a row in `gens/`; what it does is here, in `ops/`.

use crate::simd::Level;
use crate::{Group, Inst, Refusal, Wave};

/// What an operand holds; tells its width, how inline constants read, and how it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the manuals' operand types")]
pub enum Ty {
    None,
    U16,
    I16,
    F16,
    BF16,
    /// Two 16-bit values in a dword: VOP3P.
    P16,
    B32,
    U32,
    I32,
    F32,
    B64,
    U64,
    I64,
    F64,
    /// Two 32-bit floats in a register pair: VOP3P of gfx90a and later.
    P32,
    /// One bit a lane, in a pair of SGPRs.
    Mask,
    B96,
    B128,
    B192,
    B256,
    B512,
    B1024,
}

impl Ty {
    /// Width in dwords, which is the number of registers.
    pub const fn dwords(self) -> usize {
        match self {
            Ty::None => 0,
            Ty::U16 | Ty::I16 | Ty::F16 | Ty::BF16 | Ty::P16 => 1,
            Ty::B32 | Ty::U32 | Ty::I32 | Ty::F32 => 1,
            Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 | Ty::P32 | Ty::Mask => 2,
            Ty::B96 => 3,
            Ty::B128 => 4,
            Ty::B192 => 6,
            Ty::B256 => 8,
            Ty::B512 => 16,
            Ty::B1024 => 32,
        }
    }

    /// Width in bytes, in whole registers.
    pub const fn bytes(self) -> usize {
        4 * self.dwords()
    }

    /// Whether negate, absolute value, output modifiers and clamping to 0..1 apply.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::BF16 | Ty::F32 | Ty::F64 | Ty::P32)
    }

    /// Whether a constant reads as a 16-bit value.
    pub const fn is_16_bit(self) -> bool {
        matches!(self, Ty::U16 | Ty::I16 | Ty::F16 | Ty::BF16 | Ty::P16)
    }
}

/// What comes after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The instruction behind it.
    Next,
    /// The instruction at `wave.pc`, which it has set.
    Jump,
    /// The wave waits at a barrier.
    Barrier,
    /// The wave sleeps: another one may run.
    Sleep,
    /// The wave waits at this instruction, which has not done anything yet: another one may run.
    Again,
    /// The wave has ended.
    End,
    /// `wave.trap` says why the wave stopped.
    Trap,
}

/// An instruction's effect on a wave. Runs on any machine and honours every modifier and mode.
pub type Exec = for<'a, 'b> fn(&'a mut Wave, &'a mut Group<'b>, &'a Inst) -> Flow;

/// The same effect, compiled for a processor's [`Level`], with less generality (see [`Op::fast`]).
pub type FastExec = for<'a, 'b> unsafe fn(&'a mut Wave, &'a mut Group<'b>, &'a Inst) -> Flow;

/// The fast bodies of an instruction, one for each [`Level`] that has vector code.
#[derive(Clone, Copy)]
pub struct Fast {
    /// Compiled for [`Level::Avx2`].
    pub avx2: FastExec,
    /// Compiled for [`Level::Avx512`].
    pub avx512: FastExec,
}

impl Fast {
    /// One body for all levels: what moves eights of lanes gains nothing from wider registers.
    pub const fn avx2(body: FastExec) -> Fast {
        Fast { avx2: body, avx512: body }
    }

    /// The body for a processor of this level.
    pub fn body(self, level: Level) -> Option<FastExec> {
        match level {
            Level::Portable => None,
            Level::Avx2 => Some(self.avx2),
            Level::Avx512 => Some(self.avx512),
        }
    }
}

/// What the 16-bit immediate of an instruction says, which tells how it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Imm {
    /// Nothing; in SOPK a number, in memory instructions a byte offset.
    #[default]
    None,
    /// A number.
    Number,
    /// A number that is left out when it is zero.
    Code,
    /// A distance in words, to where the program goes on.
    Target,
    /// Counters and what they are waited to reach.
    Waits,
    /// A message and its operation.
    Message,
    /// A hardware register, first bit and width.
    Register,
    /// Which operands are indexed.
    Indexing,
    /// A pattern of lanes: `ds_swizzle_b32`.
    Swizzle,
    /// A truth table of eight bits, in the places of modifiers: `v_bitop3_b32`.
    TruthTable,
    /// Whether lanes outside, and inactive ones, are read; in the places of `op_sel`: `v_permlane16_swap_b32`.
    LaneBounds,
}

/// What a memory instruction moves: for each active lane, or for the wave where no lanes have addresses of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moves {
    /// Bytes read from memory.
    pub reads: u8,
    /// Bytes written to memory.
    pub writes: u8,
    /// Once for the wave, and not for each active lane.
    pub once: bool,
    /// What is read goes to LDS, and not to registers.
    pub to_lds: bool,
}

impl Moves {
    /// No memory is touched.
    pub const NOTHING: Moves = Moves { reads: 0, writes: 0, once: false, to_lds: false };

    /// Reads.
    pub const fn reads(bytes: usize) -> Moves {
        Moves { reads: bytes as u8, ..Moves::NOTHING }
    }

    /// Writes.
    pub const fn writes(bytes: usize) -> Moves {
        Moves { writes: bytes as u8, ..Moves::NOTHING }
    }

    /// Reads, modifies and writes.
    pub const fn modifies(bytes: usize) -> Moves {
        Moves { reads: bytes as u8, writes: bytes as u8, ..Moves::NOTHING }
    }

    /// The same, once for the wave.
    pub const fn once(self) -> Moves {
        Moves { once: true, ..self }
    }

    /// The same, into LDS.
    pub const fn to_lds(self) -> Moves {
        Moves { to_lds: true, ..self }
    }
}

/// Peculiarities that the decoder and the printer must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// The last source is the destination's old value (`v_fmac_f32`); it has no field in the encoding.
    pub tied: bool,
    /// Writes a lane mask beside its destination: `VCC` in VOP2, the `sdst` field in VOP3.
    pub carry_out: bool,
    /// A basic block ends behind it.
    pub ends_block: bool,
    /// The destination of a vector instruction is a scalar register (`v_readlane_b32`).
    pub scalar_dst: bool,
    /// VOP3P: a matrix instruction or an accumulation-register move, with operand bits of its own.
    pub matrix: bool,
    /// The destination is an accumulation register whatever the encoding says.
    pub acc_dst: bool,
    /// A vector register as the source is an accumulation register whatever the encoding says.
    pub acc_src: bool,
    /// Exists in its short encoding alone: no VOP3, SDWA or DPP form.
    pub short_only: bool,
    /// A 16-bit result leaves the destination's high half as it is; without this it becomes zero.
    pub keeps_high: bool,
    /// A 32-bit literal follows as an operand of its own: `Some(k)` names the source it fills (`v_fmaak_f32`).
    pub literal_source: Option<u8>,
    /// What the immediate says.
    pub imm: Imm,
    /// DS: two offsets of 8 bits in place of one of 16.
    pub two_offsets: bool,
    /// Memory: no register or descriptor gives an address.
    pub no_address: bool,
    /// DS: an instruction of the global data share.
    pub gds: bool,
    /// SDWA chooses parts of the sources alone: the destination is written whole.
    pub whole_dst: bool,
    /// VOP3: `op_sel` chooses parts of sources and destination, though none of them is of a 16-bit type.
    pub selects: bool,
    /// With that, two bits choose a byte of the destination.
    pub dst_byte: bool,
    /// Matrix: `cbsz` and `blgp` name the formats of the sources, which tell how many registers they take.
    pub formats: bool,
    /// Memory: reads, modifies and writes; the old value comes back with `glc` alone.
    pub atomic: bool,
    /// A compare whose result becomes `EXEC` as well.
    pub sets_exec: bool,
    /// The program may go on elsewhere: a branch, a call, a return.
    pub jumps: bool,
    /// Memory: what moves.
    pub moves: Moves,
    /// Why it is not run.
    pub refused: Option<Refusal>,
}

impl Traits {
    /// No peculiarity.
    pub const NONE: Traits = Traits {
        tied: false,
        carry_out: false,
        ends_block: false,
        scalar_dst: false,
        matrix: false,
        acc_dst: false,
        acc_src: false,
        short_only: false,
        keeps_high: false,
        literal_source: None,
        imm: Imm::None,
        two_offsets: false,
        no_address: false,
        gds: false,
        whole_dst: false,
        selects: false,
        dst_byte: false,
        formats: false,
        atomic: false,
        sets_exec: false,
        jumps: false,
        moves: Moves::NOTHING,
        refused: None,
    };
    /// See [`Traits::tied`].
    pub const TIED: Traits = Traits { tied: true, ..Traits::NONE };
    /// See [`Traits::carry_out`].
    pub const CARRY_OUT: Traits = Traits { carry_out: true, ..Traits::NONE };
    /// See [`Traits::scalar_dst`].
    pub const SCALAR_DST: Traits = Traits { scalar_dst: true, ..Traits::NONE };
    /// See [`Traits::matrix`].
    pub const MATRIX: Traits = Traits { matrix: true, ..Traits::NONE };
    /// Reads an accumulation register.
    pub const ACC_READ: Traits = Traits { acc_src: true, ..Traits::NONE };
    /// Writes an accumulation register.
    pub const ACC_WRITE: Traits = Traits { acc_dst: true, ..Traits::NONE };
    /// From one accumulation register to another.
    pub const ACC_MOV: Traits = Traits { acc_src: true, acc_dst: true, short_only: true, ..Traits::NONE };
    /// See [`Traits::short_only`].
    pub const SHORT_ONLY: Traits = Traits { short_only: true, ..Traits::NONE };
    /// Tied, and short only.
    pub const TIED_SHORT_ONLY: Traits = Traits { short_only: true, ..Traits::TIED };
    /// A scalar destination, and short only.
    pub const SCALAR_DST_SHORT_ONLY: Traits = Traits { short_only: true, ..Traits::SCALAR_DST };
    /// See [`Traits::keeps_high`].
    pub const KEEPS_HIGH: Traits = Traits { keeps_high: true, ..Traits::NONE };
    /// Tied, and keeps the high half.
    pub const TIED_KEEPS_HIGH: Traits = Traits { keeps_high: true, ..Traits::TIED };
    /// The constant is the second source.
    pub const LITERAL_1: Traits = Traits { literal_source: Some(1), short_only: true, ..Traits::NONE };
    /// The constant is the third source.
    pub const LITERAL_2: Traits = Traits { literal_source: Some(2), short_only: true, ..Traits::NONE };
    /// The constant is the second source; keeps the high half.
    pub const LITERAL_1_KEEPS_HIGH: Traits = Traits { keeps_high: true, ..Traits::LITERAL_1 };
    /// The constant is the third source; keeps the high half.
    pub const LITERAL_2_KEEPS_HIGH: Traits = Traits { keeps_high: true, ..Traits::LITERAL_2 };
    /// See [`Traits::ends_block`].
    pub const ENDS_BLOCK: Traits = Traits { ends_block: true, ..Traits::NONE };
    /// See [`Traits::jumps`]; a block ends.
    pub const JUMP: Traits = Traits { jumps: true, ..Traits::ENDS_BLOCK };
    /// The immediate is a number.
    pub const NUMBER: Traits = Traits { imm: Imm::Number, ..Traits::NONE };
    /// The immediate is a number; a block ends.
    pub const NUMBER_ENDS_BLOCK: Traits = Traits { imm: Imm::Number, ..Traits::ENDS_BLOCK };
    /// The program ends, with a code.
    pub const END: Traits = Traits { imm: Imm::Code, ..Traits::ENDS_BLOCK };
    /// The immediate is a target.
    pub const BRANCH: Traits = Traits { imm: Imm::Target, ..Traits::JUMP };
    /// The immediate names counters.
    pub const WAITS: Traits = Traits { imm: Imm::Waits, ..Traits::NONE };
    /// The immediate is a message.
    pub const MESSAGE: Traits = Traits { imm: Imm::Message, ..Traits::NONE };
    /// The immediate is a hardware register.
    pub const REGISTER: Traits = Traits { imm: Imm::Register, ..Traits::NONE };
    /// The immediate is a hardware register; a block ends.
    pub const REGISTER_ENDS_BLOCK: Traits = Traits { imm: Imm::Register, ..Traits::ENDS_BLOCK };
    /// The immediate says which operands are indexed; a block ends.
    pub const INDEXING: Traits = Traits { imm: Imm::Indexing, ..Traits::ENDS_BLOCK };
    /// The offset is a pattern of lanes.
    pub const SWIZZLE: Traits = Traits { imm: Imm::Swizzle, ..Traits::NONE };
    /// See [`Traits::two_offsets`].
    pub const TWO_OFFSETS: Traits = Traits { two_offsets: true, ..Traits::NONE };
    /// See [`Traits::no_address`].
    pub const NO_ADDRESS: Traits = Traits { no_address: true, ..Traits::NONE };
    /// A truth table stands in the places of modifiers.
    pub const TRUTH_TABLE: Traits = Traits { imm: Imm::TruthTable, ..Traits::NONE };
    /// See [`Imm::LaneBounds`].
    pub const LANE_BOUNDS: Traits = Traits { imm: Imm::LaneBounds, ..Traits::NONE };
    /// See [`Traits::gds`].
    pub const GDS: Traits = Traits { gds: true, ..Traits::NONE };
    /// See [`Traits::gds`]; without an address.
    pub const GDS_NO_ADDRESS: Traits = Traits { gds: true, ..Traits::NO_ADDRESS };
    /// See [`Traits::whole_dst`].
    pub const WHOLE_DST: Traits = Traits { whole_dst: true, ..Traits::NONE };
    /// See [`Traits::atomic`].
    pub const ATOMIC: Traits = Traits { atomic: true, ..Traits::NONE };
    /// See [`Traits::sets_exec`].
    pub const SETS_EXEC: Traits = Traits { sets_exec: true, ..Traits::NONE };
}

/// An instruction: name, operand types, meaning.
pub struct Op {
    /// The mnemonic without encoding suffix: `v_add_f32`.
    pub name: &'static str,
    /// What the destination holds; `Ty::None` without one. [`Ty::Mask`] for compares.
    pub dst: Ty,
    /// What each source holds, in the order of the assembly text. [`Ty::Mask`] is a carry or a condition: `VCC` in VOP2.
    pub src: &'static [Ty],
    /// Peculiarities for the decoder.
    pub traits: Traits,
    /// The full meaning.
    pub general: Exec,
    /// The meaning without modifiers, SDWA or DPP, in a wave of plain mode ([`crate::Mode::is_plain`]).
    pub fast: Option<Fast>,
    /// As `fast`, with source and output modifiers.
    pub fast_modified: Option<Fast>,
}

impl Op {
    /// Whether it runs: otherwise it decodes and prints, and stops the wave by name.
    pub fn is_implemented(&self) -> bool {
        self.traits.refused.is_none()
    }
}

impl core::fmt::Debug for Op {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        core::ptr::eq(self, other)
    }
}
