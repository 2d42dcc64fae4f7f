//! Program control: branches, calls, end of program, traps, messages, barriers, and the waits and hints that a
//! functional model has nothing to do for. Vega ISA, chapter 4.

use super::simm;
use crate::{Flow, Group, Inst, Mode, Op, Refusal, Traits, Trap, TrapKind, Ty, Wave, refused_ops};

/// Declares ops by traits, operand types and a body that sees wave, group and instruction.
macro_rules! control_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal [$traits:ident] ($dst:ident <- $($src:ident),*) = |$w:ident, $g:ident, $i:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: Op = Op {
            name: $text,
            dst: Ty::$dst,
            src: &[$(Ty::$src),*],
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
    /// Nothing, for up to 16 cycles.
    S_NOP "s_nop" [NUMBER] (None <- ) = |_w, _g, _i| Flow::Next;
    /// The wave ends.
    S_ENDPGM "s_endpgm" [END] (None <- ) = |_w, _g, _i| Flow::End;
    /// The wave ends after its state has been saved.
    S_ENDPGM_SAVED "s_endpgm_saved" [ENDS_BLOCK] (None <- ) = |_w, _g, _i| Flow::End;
    /// The wave ends (graphics: with ordered pixels done).
    S_ENDPGM_ORDERED_PS_DONE "s_endpgm_ordered_ps_done" [ENDS_BLOCK] (None <- ) = |_w, _g, _i| Flow::End;
    /// Kills the wave if bit 0 of `simm16` is set.
    S_SETKILL "s_setkill" [NUMBER_ENDS_BLOCK] (None <- ) = |_w, _g, i| if i.imm & 1 != 0 { Flow::End } else { Flow::Next };
    /// `PC += 4 + 4 * simm16`.
    S_BRANCH "s_branch" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, true);
    /// Branches if `SCC` is 0.
    S_CBRANCH_SCC0 "s_cbranch_scc0" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, !w.scc);
    /// Branches if `SCC` is 1.
    S_CBRANCH_SCC1 "s_cbranch_scc1" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, w.scc);
    /// Branches if `VCC` is zero.
    S_CBRANCH_VCCZ "s_cbranch_vccz" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, w.vcc() == 0);
    /// Branches if `VCC` is not zero.
    S_CBRANCH_VCCNZ "s_cbranch_vccnz" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, w.vcc() != 0);
    /// Branches if `EXEC` is zero.
    S_CBRANCH_EXECZ "s_cbranch_execz" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, w.exec() == 0);
    /// Branches if `EXEC` is not zero.
    S_CBRANCH_EXECNZ "s_cbranch_execnz" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, w.exec() != 0);
    /// Branches if the system debugger asked for it: never.
    S_CBRANCH_CDBGSYS "s_cbranch_cdbgsys" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, false);
    /// Branches if the user debugger asked for it: never.
    S_CBRANCH_CDBGUSER "s_cbranch_cdbguser" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, false);
    /// Branches if either debugger asked for it: never.
    S_CBRANCH_CDBGSYS_OR_USER "s_cbranch_cdbgsys_or_user" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, false);
    /// Branches if both debuggers asked for it: never.
    S_CBRANCH_CDBGSYS_AND_USER "s_cbranch_cdbgsys_and_user" [BRANCH] (None <- ) = |w, _g, i| branch(w, i, false);
    /// `D` = address behind the instruction; then as `s_branch`.
    S_CALL_B64 "s_call_b64" [BRANCH] (B64 <- ) = |w, _g, i| {
        w.set_pair(i.dst, i.next_pc(w));
        branch(w, i, true)
    };
    /// `D` = address behind the instruction.
    S_GETPC_B64 "s_getpc_b64" [NONE] (B64 <- ) = |w, _g, i| {
        w.set_pair(i.dst, i.next_pc(w));
        Flow::Next
    };
    /// `PC = S0`.
    S_SETPC_B64 "s_setpc_b64" [JUMP] (None <- B64) = |w, _g, i| {
        w.pc = w.scalar64(i.src[0], Ty::B64, i.literal) & !3;
        Flow::Jump
    };
    /// `D` = address behind the instruction, `PC = S0`.
    S_SWAPPC_B64 "s_swappc_b64" [JUMP] (B64 <- B64) = |w, _g, i| {
        w.pc = w.scalar64(i.src[0], Ty::B64, i.literal) & !3;
        w.set_pair(i.dst, i.next_pc(w));
        Flow::Jump
    };
    /// Waits for the other waves of the group.
    S_BARRIER "s_barrier" [ENDS_BLOCK] (None <- ) = |_w, _g, _i| Flow::Barrier;
    /// Waits a while: others may run.
    S_SLEEP "s_sleep" [NUMBER_ENDS_BLOCK] (None <- ) = |_w, _g, _i| Flow::Sleep;
    /// Ends the sleep of the group's other waves: they wake by themselves.
    S_WAKEUP "s_wakeup" [NONE] (None <- ) = |_w, _g, _i| Flow::Next;
    /// Waits for memory operations: they are done in order here.
    S_WAITCNT "s_waitcnt" [WAITS] (None <- ) = |_w, _g, _i| Flow::Next;
    /// Halts the wave if bit 0 of `simm16` is set; only a debugger could go on.
    S_SETHALT "s_sethalt" [NUMBER_ENDS_BLOCK] (None <- ) = |w, _g, i| {
        if i.imm & 1 != 0 { crate::ops::refuse(w, i, Refusal::Halt) } else { Flow::Next }
    };
    /// Priority of the wave: a hint.
    S_SETPRIO "s_setprio" [NUMBER] (None <- ) = |_w, _g, _i| Flow::Next;
    /// Sends message `simm16` with `M0` to the machine.
    S_SENDMSG "s_sendmsg" [MESSAGE] (None <- ) = |w, g, i| {
        g.io.send_message(i.imm, w.m0());
        Flow::Next
    };
    /// Calls the trap handler: 2 is abort; 3 is `llvm.debugtrap`, which without a debugger goes on.
    S_TRAP "s_trap" [NUMBER_ENDS_BLOCK] (None <- ) = |w, _g, i| {
        let kind = match i.imm as u8 {
            2 => TrapKind::Abort,
            3 => return Flow::Next,
            n => TrapKind::Trap(n),
        };
        w.stop(Trap { kind, pc: i.pc(w), lane: None })
    };
    /// Forgets cached instructions: each dispatch looks anew at the code that it enters.
    S_ICACHE_INV "s_icache_inv" [NONE] (None <- ) = |_w, _g, _i| Flow::Next;
    /// Performance counters: none.
    S_INCPERFLEVEL "s_incperflevel" [NUMBER] (None <- ) = |_w, _g, _i| Flow::Next;
    /// Performance counters: none.
    S_DECPERFLEVEL "s_decperflevel" [NUMBER] (None <- ) = |_w, _g, _i| Flow::Next;
    /// `M0` to the thread trace: there is none.
    S_TTRACEDATA "s_ttracedata" [NONE] (None <- ) = |_w, _g, _i| Flow::Next;
    /// Vector-register indexing on, by `S0`; what is indexed is in the raw second source field.
    S_SET_GPR_IDX_ON "s_set_gpr_idx_on" [INDEXING] (None <- B32) = |w, _g, i| {
        let index = w.scalar32(i.src[0], i.literal) & 0xff;
        let m0 = w.m0() & !0xf0ff | index | (i.imm & 15) << 12;
        w.set_scalar(crate::Operand::M0, m0);
        w.mode.0 |= Mode::GPR_IDX_EN;
        Flow::Next
    };
    /// Vector-register indexing off.
    S_SET_GPR_IDX_OFF "s_set_gpr_idx_off" [ENDS_BLOCK] (None <- ) = |w, _g, _i| {
        w.mode.0 &= !Mode::GPR_IDX_EN;
        Flow::Next
    };
    /// What is indexed: `M0[15:12] = simm16[3:0]`.
    S_SET_GPR_IDX_MODE "s_set_gpr_idx_mode" [INDEXING] (None <- ) = |w, _g, i| {
        let m0 = w.m0() & !0xf000 | (i.imm & 15) << 12;
        w.set_scalar(crate::Operand::M0, m0);
        Flow::Next
    };
    /// `MODE.VSKIP` = bit `S1[4:0]` of `S0`: while it is set, vector instructions of all kinds are passed over.
    S_SETVSKIP "s_setvskip" [ENDS_BLOCK] (None <- B32, B32) = |w, _g, i| {
        let bit = w.scalar32(i.src[0], i.literal) >> (w.scalar32(i.src[1], i.literal) & 31) & 1;
        w.mode.0 = if bit != 0 { w.mode.0 | Mode::VSKIP } else { w.mode.0 & !Mode::VSKIP };
        Flow::Next
    };
    /// The index: `M0[7:0] = S0[7:0]`.
    S_SET_GPR_IDX_IDX "s_set_gpr_idx_idx" [ENDS_BLOCK] (None <- B32) = |w, _g, i| {
        let m0 = w.m0() & !0xff | w.scalar32(i.src[0], i.literal) & 0xff;
        w.set_scalar(crate::Operand::M0, m0);
        Flow::Next
    };
}

refused_ops! { TrapHandler;
    /// Returns from the trap handler, which is not run here.
    S_RFE_B64 "s_rfe_b64": None <- (B64);
    /// Returns from the context-restore handler.
    S_RFE_RESTORE_B64 "s_rfe_restore_b64": None <- (B64, B32);
}

refused_ops! { Halt;
    /// Sends a message and halts.
    S_SENDMSGHALT "s_sendmsghalt" [MESSAGE]: None <- ();
}

/// Jumps if `taken`, by the signed word offset behind the instruction.
#[inline(always)]
fn branch(w: &mut Wave, i: &Inst, taken: bool) -> Flow {
    let next = i.next_pc(w);
    w.pc = if taken { next.wrapping_add_signed(i64::from(simm(i)) * 4) } else { next };
    Flow::Jump
}

/// What an unknown encoding decodes to: runs into a trap with the words.
pub static ILLEGAL: Op = Op {
    name: "(illegal)",
    dst: Ty::None,
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
