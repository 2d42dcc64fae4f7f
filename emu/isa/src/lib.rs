//! AMD GPU machine code: decode, print and execute.
//!
//! An [`Op`] is an instruction's name, operand types and meaning, written once (`ops/`). A generation ([`Gen`], `gens/`)
//! says which number and encoding it has. [`CodeView`] decodes code into blocks of [`Inst`], and [`run`] executes a
//! [`Wave`] through them, whole waves at a time.
//!
//! How an instruction reads, here a float addition for 64 lanes with all its modifiers and its vector code:
//!
//! ```text
//! lane_ops! {
//!     /// `D = S0 + S1`.
//!     V_ADD_F32 "v_add_f32": F32 <- (a: F32, b: F32) = a + b;
//! }
//! ```
//!
//! Answers to AMD's "Vega", "AMD Instinct MI200" and "MI300" Instruction Set Architecture documents, and to what
//! LLVM's assembler accepts.

mod block;
mod count;
mod exact;
mod format;
pub mod gens;
mod group;
mod gws;
mod inst;
pub mod lanes;
pub mod mem;
mod mode;
mod op;
mod operand;
pub mod ops;
mod print;
mod refusal;
mod run;
pub mod simd;
pub mod table;
mod trap;
mod walk;
mod wave;

pub use block::{Block, CodeCache, CodeView, DecodeError};
pub use count::{Class, Counts, Traffic, run_counted};
pub use format::Format;
pub use gens::{Gen, Tables};
pub use group::{Group, Io};
pub use gws::{GWS_RESOURCES, GlobalWaveSync, GwsAction, GwsTicket};
pub use inst::{Extension, Inst, MemFields, Mods};
pub use mem::{Access, AddressSpace, MemFault, MemView, Window};
pub use mode::Mode;
pub use op::{Exec, Fast, FastExec, Flow, Imm, Moves, Op, Traits, Ty};
pub use operand::Operand;
pub use refusal::Refusal;
pub use run::{Stop, run};
pub use trap::{Trap, TrapKind};
pub use walk::{Step, Walk, walk};
pub use wave::{Lanes, ROWS, Row, Wave};
