//! What the tests of vector instructions share: a wave to run in, and words to decode.

use amdgpu_isa::{AddressSpace, Gen, Group, Io, MemView, Operand, Wave, Window};

use super::Random;

/// Nothing is mapped.
pub struct Unmapped;
impl AddressSpace for Unmapped {
    fn window(&self, _: u64) -> Option<Window> {
        None
    }
}

/// Nobody listens.
pub struct Silent;
impl Io for Silent {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self) -> u64 {
        0
    }
}

/// A group without memory.
pub fn group<'a>(space: &'a Unmapped, io: &'a Silent) -> Group<'a> {
    Group { lds: vec![0; 4096], mem: MemView::new(space), shared_aperture_hi: 1, private_aperture_hi: 2, io }
}

/// A wave with random registers, some of its lanes active.
pub fn random_wave(generation: &'static Gen, r: &mut Random) -> Wave {
    let mut w = Wave::new(generation);
    for row in w.v.iter_mut() {
        row.0.fill_with(|| r.value());
    }
    for n in 0..Operand::EXEC_LO.0 {
        w.set_scalar(Operand(n), r.value());
    }
    let exec = match r.below(4) {
        0 => !0,
        1 => 0,
        _ => r.next(),
    };
    w.set_exec(exec);
    w.scc = r.below(2) == 1;
    w
}

/// A wave with the same registers.
pub fn copy(w: &Wave) -> Wave {
    let mut c = Wave::new(w.generation);
    c.v.clone_from_slice(&w.v[..]);
    c.s = w.s;
    c.scc = w.scc;
    c.mode = w.mode;
    c
}

/// Random words that are mostly a vector instruction: its opcode's words, with plausible operands.
pub fn vector_words(r: &mut Random) -> [u32; 2] {
    let src9 = |r: &mut Random| match r.below(8) {
        0 => r.below(102),
        1 => 128 + r.below(81),
        2 => 240 + r.below(9),
        3 => r.pick(&[106, 107, 124, 126, 235, 251, 253]),
        _ => 256 + r.below(256),
    };
    let v = |r: &mut Random| r.below(256);
    match r.below(6) {
        0 => {
            let extension = r.below(4);
            let w = 0x7e00_0000 | v(r) << 17 | r.below(0x60) << 9;
            match extension {
                0 => [w | 249, sdwa(r)],
                1 => [w | 250, dpp(r)],
                2 => [w | 255, r.value()],
                _ => [w | src9(r), r.word()],
            }
        }
        1 => {
            let w = r.below(62) << 25 | v(r) << 17 | v(r) << 9;
            match r.below(4) {
                0 => [w | 249, sdwa(r)],
                1 => [w | 250, dpp(r)],
                2 => [w | 255, r.value()],
                _ => [w | src9(r), r.value()],
            }
        }
        2 => {
            let w = 0x7c00_0000 | r.below(256) << 17 | v(r) << 9;
            match r.below(4) {
                0 => [w | 249, sdwa(r)],
                1 => [w | 255, r.value()],
                _ => [w | src9(r), r.value()],
            }
        }
        3 | 4 => {
            let number = if r.below(2) == 0 { 0x1c0 + r.below(0x100) } else { r.below(0x380) };
            let modifiers = if r.below(2) == 0 { 0 } else { r.word() & 0xff00 };
            let high = if r.below(2) == 0 { 0 } else { r.word() & 0xf800_0000 };
            [0xd000_0000 | number << 16 | modifiers | v(r), src9(r) | src9(r) << 9 | src9(r) << 18 | high]
        }
        _ => {
            let modifiers = if r.below(2) == 0 { 0x4000 } else { r.word() & 0xff00 };
            let high = if r.below(2) == 0 { 0x1800_0000 } else { r.word() & 0xf800_0000 };
            let number = r.below(0x80);
            if number >= 0x3c && number & 0x7e != 0x58 {
                // LLVM 19 crashes on matrix instructions with constants.
                let sources = v(r) | v(r) << 9 | v(r) << 18 | 0x0402_0100;
                return [0xd380_0000 | number << 16 | modifiers | v(r), sources | high];
            }
            [0xd380_0000 | number << 16 | modifiers | v(r), src9(r) | src9(r) << 9 | src9(r) << 18 | high]
        }
    }
}

/// A second word of SDWA.
pub fn sdwa(r: &mut Random) -> u32 {
    let sel = r.below(7) << 8 | r.below(3) << 11 | r.below(7) << 16 | r.below(7) << 24;
    let modifiers = if r.below(2) == 0 { 0 } else { r.word() & 0x3838_e000 };
    r.below(256) | sel | modifiers
}

/// A second word of DPP.
pub fn dpp(r: &mut Random) -> u32 {
    let ctrl = match r.below(3) {
        0 => r.below(256),
        1 => r.pick(&[
            0x101, 0x10f, 0x111, 0x11f, 0x121, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143,
        ]),
        _ => 0x150 + r.below(16),
    };
    let modifiers = if r.below(2) == 0 { 0 } else { r.word() & 0x00f8_0000 };
    r.below(256) | ctrl << 8 | modifiers | r.word() & 0xff00_0000
}
