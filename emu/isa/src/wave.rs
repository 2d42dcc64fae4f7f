//! `Wave`: the registers of 64 work-items that run together.
//!
//! Vega ISA, "Program state". The scalar file holds the inline constants too, at their operand numbers, so that a
//! scalar source is one load; `VCC`, `M0` and `EXEC` live in it at theirs.

use crate::ops::matrix::tile::Scratch;
use crate::{Gen, GwsTicket, Mode, Operand, Trap, Ty};

/// One value a lane.
pub type Lanes = [u32; 64];

/// A vector register: one dword a lane, on its own cache lines.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Row(pub Lanes);

/// Rows of a wave's register file: 256 vector registers, then 256 accumulation registers.
pub const ROWS: usize = 512;

/// The registers of a wave and where it stands.
pub struct Wave {
    /// Vector registers (0..256) and accumulation registers (256..512).
    pub v: Box<[Row; ROWS]>,
    /// Scalar registers by operand number; constants at 128 and up. Write only below 128.
    pub s: [u32; 256],
    /// Scalar condition code.
    pub scc: bool,
    /// Address of the next instruction. Inside a block it is brought up to date by those that need it.
    pub pc: u64,
    /// Address of the block that runs; an instruction's own address is this plus its offset.
    pub block_pc: u64,
    /// The `MODE` register.
    pub mode: Mode,
    /// Base of this wave's scratch where the hardware sets it (`FLAT_SCRATCH` of architected generations).
    pub flat_scratch: u64,
    /// Bytes of scratch a lane; an access beyond it is a fault. 0 without scratch.
    pub scratch_lane_bytes: u32,
    /// Position of the wave in its work-group.
    pub id_in_group: u32,
    /// Instructions executed so far.
    pub instructions: u64,
    /// What `Flow::Trap` means.
    pub trap: Option<Box<Trap>>,
    /// What it waits for at a global wave sync.
    pub gws: Option<GwsTicket>,
    /// What matrix instructions work in; made by the first of them.
    pub matrix: Option<Box<Scratch>>,
    /// The generation.
    pub generation: &'static Gen,
}

impl Wave {
    /// A wave with all registers zero and no lane active.
    pub fn new(generation: &'static Gen) -> Wave {
        let rows = vec![Row([0; 64]); ROWS].into_boxed_slice();
        let v = match rows.try_into() {
            Ok(v) => v,
            Err(_) => unreachable!("made with ROWS rows"),
        };
        let mut s = [0; 256];
        for (n, slot) in s.iter_mut().enumerate().skip(128) {
            *slot = Operand(n as u16).constant32(0);
        }
        Wave {
            v,
            s,
            scc: false,
            pc: 0,
            block_pc: 0,
            mode: Mode(0xf0 | 3 << 8),
            flat_scratch: 0,
            scratch_lane_bytes: 0,
            id_in_group: 0,
            instructions: 0,
            trap: None,
            gws: None,
            matrix: None,
            generation,
        }
    }

    /// Sets what the aperture operands (`SRC_SHARED_BASE` …) read: the high halves of the aperture addresses.
    pub fn set_apertures(&mut self, shared_hi: u32, private_hi: u32) {
        self.s[Operand::SHARED_BASE.scalar()] = shared_hi;
        self.s[Operand::SHARED_LIMIT.scalar()] = shared_hi;
        self.s[Operand::PRIVATE_BASE.scalar()] = private_hi;
        self.s[Operand::PRIVATE_LIMIT.scalar()] = private_hi;
    }

    /// The active lanes.
    #[inline(always)]
    pub fn exec(&self) -> u64 {
        self.pair(Operand::EXEC_LO)
    }

    /// Sets the active lanes.
    #[inline(always)]
    pub fn set_exec(&mut self, mask: u64) {
        self.set_pair(Operand::EXEC_LO, mask);
    }

    /// The vector condition code.
    #[inline(always)]
    pub fn vcc(&self) -> u64 {
        self.pair(Operand::VCC_LO)
    }

    /// Memory register 0.
    #[inline(always)]
    pub fn m0(&self) -> u32 {
        self.s[Operand::M0.scalar()]
    }

    /// Two scalar registers as one value.
    #[inline(always)]
    pub fn pair(&self, o: Operand) -> u64 {
        u64::from(self.s[o.scalar()]) | u64::from(self.s[o.plus(1).scalar()]) << 32
    }

    /// Writes two scalar registers. A constant cannot be written: the value is dropped, as hardware drops it.
    #[inline(always)]
    pub fn set_pair(&mut self, o: Operand, value: u64) {
        self.set_scalar(o, value as u32);
        self.set_scalar(o.plus(1), (value >> 32) as u32);
    }

    /// Writes one scalar register. A constant cannot be written: the value is dropped, as hardware drops it.
    #[inline(always)]
    pub fn set_scalar(&mut self, o: Operand, value: u32) {
        if o.0 < 128 {
            self.s[o.scalar()] = value;
        }
    }

    /// A 32-bit scalar source: register, constant, literal or special.
    #[inline(always)]
    pub fn scalar32(&self, o: Operand, literal: u32) -> u32 {
        match o.0 {
            251..=255 => self.special(o, literal),
            _ => self.s[o.scalar()],
        }
    }

    fn special(&self, o: Operand, literal: u32) -> u32 {
        match o {
            Operand::VCCZ => u32::from(self.vcc() == 0),
            Operand::EXECZ => u32::from(self.exec() == 0),
            Operand::SCC => u32::from(self.scc),
            Operand::LITERAL => literal,
            _ => 0,
        }
    }

    /// A 64-bit scalar source; `ty` says how constants read.
    #[inline(always)]
    pub fn scalar64(&self, o: Operand, ty: Ty, literal: u32) -> u64 {
        match o.0 {
            0..=127 => self.pair(o),
            // The aperture registers read as an address: nothing below bit 32.
            235..=238 => u64::from(self.s[o.scalar()]) << 32,
            251..=254 => u64::from(self.special(o, literal)),
            _ => o.constant64(ty, literal),
        }
    }

    /// Stops the wave with a trap.
    #[cold]
    pub fn stop(&mut self, trap: Trap) -> crate::Flow {
        self.trap = Some(Box::new(trap));
        crate::Flow::Trap
    }
}
