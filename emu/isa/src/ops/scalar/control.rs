//! Program control: branches, end of program, waits that a functional model has nothing to do for.

use crate::{Flow, Group, Inst, Op, Traits, Trap, TrapKind, Wave};

/// Declares ops without operands in the manual's sense; the body sees wave, group and instruction.
macro_rules! control_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal [$traits:ident] = |$w:ident, $g:ident, $i:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: Op = Op {
            name: $text,
            dst: crate::Ty::None,
            src: &[],
            traits: Traits::$traits,
            general: {
                fn general($w: &mut Wave, $g: &mut Group<'_>, $i: &Inst) -> Flow { $body }
                general
            },
            fast: None,
            fast_modified: None,
        };
    )*};
}

control_ops! {
    /// Nothing.
    S_NOP "s_nop" [NONE] = |_w, _g, _i| Flow::Next;
    /// The wave ends.
    S_ENDPGM "s_endpgm" [ENDS_BLOCK] = |_w, _g, _i| Flow::End;
    /// `PC += 4 + 4 * simm16`.
    S_BRANCH "s_branch" [ENDS_BLOCK] = |w, _g, i| branch(w, i, true);
}

/// Jumps if `taken`, by the signed word offset behind the instruction.
fn branch(w: &mut Wave, i: &Inst, taken: bool) -> Flow {
    let next = i.next_pc(w);
    let offset = if taken { i64::from(i.imm as i16) * 4 } else { 0 };
    w.pc = next.wrapping_add_signed(offset);
    Flow::Jump
}

/// What an unknown encoding decodes to: runs into a trap with the words.
pub static ILLEGAL: Op = Op {
    name: "(illegal)",
    dst: crate::Ty::None,
    src: &[],
    traits: Traits::ENDS_BLOCK,
    general: |w, _, i| {
        let kind = TrapKind::IllegalInstruction { words: i.words };
        w.stop(Trap { kind, pc: i.pc(w), lane: None })
    },
    fast: None,
    fast_modified: None,
};

/// The instruction for words that are none.
pub fn illegal(words: [u32; 2]) -> Inst {
    Inst::new(&ILLEGAL, crate::Format::Sopp, words, 4)
}
