//! Words of instructions: each opcode of a generation in each of its encodings, with operands of every kind.

use amdgpu_isa::{Gen, Op, Ty};

use super::Random;

/// Opcode rows of a generation, as words: what a table's row is called, and words to try.
pub struct Case {
    /// The encoding and the mnemonic.
    pub name: String,
    /// Words.
    pub words: Vec<[u32; 2]>,
}

/// A scalar source field of 8 bits: registers (tuples start where they may), constants, specials.
fn scalar(r: &mut Random) -> u32 {
    match r.below(16) {
        0..=4 => 4 * r.below(25),
        5 => r.below(102),
        6 => r.pick(&[106, 106, 126, 102, 104]),
        7 => r.pick(&[107, 127, 103, 105, 124]),
        8 => 108 + 4 * r.below(4),
        9..=10 => 128 + r.below(81),
        11..=12 => 240 + r.below(9),
        13 => 255,
        14 => r.pick(&[235, 236, 237, 238, 239, 251, 252, 253]),
        _ => r.below(256),
    }
}

/// A scalar destination.
fn scalar_dst(r: &mut Random) -> u32 {
    match r.below(8) {
        0..=4 => 4 * r.below(25),
        5 => r.pick(&[106, 126, 102, 104, 124]),
        6 => 108 + 4 * r.below(4),
        _ => r.below(128),
    }
}

/// A number of a vector register; tuples that start there end inside the file.
fn vector(r: &mut Random) -> u32 {
    match r.below(8) {
        0 => r.below(256),
        1 => r.below(220),
        _ => 2 * r.below(110),
    }
}

/// A source field of 9 bits.
fn source(r: &mut Random) -> u32 {
    match r.below(3) {
        0 => scalar(r),
        _ => 256 + vector(r),
    }
}

/// A literal, now and then with an inline constant's value.
fn literal(r: &mut Random) -> u32 {
    match r.below(8) {
        0 => r.below(81).wrapping_sub(16),
        1 => r.pick(&[0x3f80_0000, 0xbf00_0000, 0x3e22_f983, 0x3ff0_0000, 0x3c00, 0xb800, 0x3118, 0x4400]),
        2 => r.pick(&[0x3fc4_5f30, 0x3c00_3c00, 0xfff0, 0xffff_0001, 0xffff_3c00, 0x8000_0000, 41]),
        3 => r.below(0x1_0000),
        _ => r.word(),
    }
}

/// `bits` random bits, mostly none.
fn rare(r: &mut Random, bits: u32, one_in: u32) -> u32 {
    if r.below(one_in) == 0 { r.word() & ((1 << bits) - 1) } else { 0 }
}

/// Second word of SDWA.
fn sdwa(r: &mut Random, compare: bool) -> u32 {
    let part = |r: &mut Random| r.below(7);
    let src0_scalar = r.below(4) == 0;
    let src1_scalar = r.below(4) == 0;
    let src0 = if src0_scalar { scalar(r) & 0x7f } else { vector(r) };
    let dst = if compare {
        if r.below(2) == 0 { 0 } else { 0x80 | scalar_dst(r) }
    } else {
        part(r) | r.below(3) << 3 | rare(r, 1, 4) << 5 | rare(r, 2, 4) << 6
    };
    let mods = |r: &mut Random| rare(r, 1, 6) << 3 | rare(r, 2, 4) << 4;
    src0 | dst << 8
        | (part(r) | mods(r)) << 16
        | u32::from(src0_scalar) << 23
        | (part(r) | mods(r)) << 24
        | u32::from(src1_scalar) << 31
}

/// Second word of DPP.
fn dpp(r: &mut Random) -> u32 {
    let ctrl = match r.below(8) {
        0..=2 => r.below(256),
        3 => r.pick(&[0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143]),
        4..=5 => 0x150 + r.below(16),
        _ => r.pick(&[0x100, 0x110, 0x120]) + 1 + r.below(15),
    };
    let mask = |r: &mut Random| if r.below(2) == 0 { 15 } else { r.below(16) };
    vector(r) | ctrl << 8 | rare(r, 1, 3) << 19 | rare(r, 4, 4) << 20 | mask(r) << 24 | mask(r) << 28
}

fn vop3(r: &mut Random, number: u32, op: &Op) -> [u32; 2] {
    let sources = op.src.len() - usize::from(op.traits.tied);
    if op.dst == Ty::None && r.below(4) != 0 {
        return [0xd000_0000 | number << 16, 0];
    }
    if r.below(2) == 0 {
        // Without modifiers, and scalars where lanes are numbered.
        let scalar_dst_ = op.traits.scalar_dst || op.dst == Ty::Mask;
        let dst = if scalar_dst_ { scalar_dst(r) } else { vector(r) };
        let sdst = if op.traits.carry_out { scalar_dst(r) << 8 } else { 0 };
        let mut x = 0;
        for k in 0..sources {
            let scalars = op.src[k] == Ty::Mask || r.below(3) == 0;
            x |= if scalars { scalar(r) } else { source(r) } << (9 * k);
        }
        return [0xd000_0000 | number << 16 | sdst | dst, x];
    }
    let dst = if r.below(4) == 0 { scalar_dst(r) } else { vector(r) };
    let w = 0xd000_0000 | number << 16 | rare(r, 1, 4) << 15 | dst;
    // The bits of absolute values, or a scalar destination.
    let middle = match r.below(4) {
        0 => r.below(8),
        1 => scalar_dst(r),
        2 => r.below(16) << 3,
        _ => 0,
    };
    let mut x = rare(r, 2, 4) << 27 | rare(r, 3, 3) << 29;
    for k in 0..3 {
        if k < sources || r.below(16) == 0 {
            x |= source(r) << (9 * k);
        }
    }
    [w | middle << 8, x]
}

fn vop3p(r: &mut Random, number: u32, matrix: bool, sources: usize) -> [u32; 2] {
    let w = 0xd380_0000 | number << 16 | vector(r);
    let mut x = 0;
    for k in 0..3 {
        if k < sources || r.below(16) == 0 {
            x |= source(r) << (9 * k);
        }
    }
    if matrix {
        let middle = rare(r, 3, 3) << 8 | rare(r, 4, 3) << 11 | r.below(2) << 15;
        [w | middle, x | r.below(4) << 27 | rare(r, 3, 3) << 29]
    } else {
        let middle =
            rare(r, 3, 3) << 8 | rare(r, 3, 3) << 11 | u32::from(r.below(4) != 0) << 14 | rare(r, 1, 4) << 15;
        let hi = if r.below(3) == 0 { r.below(4) } else { 3 };
        [w | middle, x | hi << 27 | rare(r, 3, 3) << 29]
    }
}

/// A field of a vector register, and rarely anything where none is wanted.
fn field(r: &mut Random, wanted: bool) -> u32 {
    if wanted || r.below(16) == 0 { vector(r) } else { 0 }
}

/// Words for every opcode of a generation, `count` in each encoding.
pub fn cases(generation: &'static Gen, r: &mut Random, count: usize) -> Vec<Case> {
    let t = generation.tables;
    let mut out = Vec::new();
    let mut add = |name: String, r: &mut Random, f: &dyn Fn(&mut Random) -> [u32; 2]| {
        out.push(Case { name, words: (0..count).map(|_| f(r)).collect() });
    };
    for (n, op) in t.sop1.rows() {
        add(format!("SOP1 {}", op.name), r, &|r| {
            [0xbe80_0000 | scalar_dst(r) << 16 | n << 8 | scalar(r), literal(r)]
        });
    }
    for (n, op) in t.sop2.rows() {
        add(format!("SOP2 {}", op.name), r, &|r| {
            [0x8000_0000 | n << 23 | scalar_dst(r) << 16 | scalar(r) << 8 | scalar(r), literal(r)]
        });
    }
    for (n, op) in t.sopk.rows() {
        add(format!("SOPK {}", op.name), r, &|r| {
            [0xb000_0000 | n << 23 | scalar_dst(r) << 16 | literal(r) & 0xffff, literal(r)]
        });
    }
    for (n, op) in t.sopc.rows() {
        add(format!("SOPC {}", op.name), r, &|r| {
            [0xbf00_0000 | n << 16 | scalar(r) << 8 | scalar(r), literal(r)]
        });
    }
    for (n, op) in t.sopp.rows() {
        add(format!("SOPP {}", op.name), r, &|r| {
            let (small, any) = (r.below(16), literal(r) & 0xffff);
            let imm = r.pick(&[0, small, any]);
            [0xbf80_0000 | n << 16 | imm, literal(r)]
        });
    }
    for (n, op) in t.smem.rows() {
        add(format!("SMEM {}", op.name), r, &|r| {
            let (data, base) = (scalar_dst(r), 2 * r.below(48));
            let flags = rare(r, 1, 3) << 14 | rare(r, 1, 8) << 15 | rare(r, 1, 3) << 16 | r.below(2) << 17;
            let offset = match r.below(4) {
                0 => r.below(1 << 21),
                1 => scalar_dst(r),
                2 => r.below(256),
                _ => 0,
            };
            let soffset = if flags >> 14 & 1 != 0 { scalar_dst(r) << 25 } else { 0 };
            [0xc000_0000 | n << 18 | flags | data << 6 | base >> 1, offset | soffset]
        });
    }
    for (n, op) in t.vop1.rows() {
        let w = 0x7e00_0000 | n << 9;
        let dst = |r: &mut Random| if op.dst == Ty::None { 0 } else { vector(r) << 17 };
        if op.src.is_empty() {
            add(format!("VOP1 {}", op.name), r, &|r| [w, literal(r)]);
        } else {
            add(format!("VOP1 {}", op.name), r, &|r| [w | dst(r) | source(r), literal(r)]);
            add(format!("VOP1 SDWA {}", op.name), r, &|r| [w | dst(r) | 249, sdwa(r, false) & 0x00ff_ffff]);
            add(format!("VOP1 DPP {}", op.name), r, &|r| [w | dst(r) | 250, dpp(r) & 0xff3f_ffff]);
        }
        add(format!("VOP3 {}", op.name), r, &|r| vop3(r, 0x140 + n, op));
    }
    for (n, op) in t.vop2.rows() {
        let w = n << 25;
        add(format!("VOP2 {}", op.name), r, &|r| {
            [w | vector(r) << 17 | vector(r) << 9 | source(r), literal(r)]
        });
        add(format!("VOP2 SDWA {}", op.name), r, &|r| {
            [w | vector(r) << 17 | vector(r) << 9 | 249, sdwa(r, false)]
        });
        add(format!("VOP2 DPP {}", op.name), r, &|r| [w | vector(r) << 17 | vector(r) << 9 | 250, dpp(r)]);
        add(format!("VOP3 {}", op.name), r, &|r| vop3(r, 0x100 + n, op));
    }
    for (n, op) in t.vopc.rows() {
        let w = 0x7c00_0000 | n << 17;
        add(format!("VOPC {}", op.name), r, &|r| [w | vector(r) << 9 | source(r), literal(r)]);
        add(format!("VOPC SDWA {}", op.name), r, &|r| [w | vector(r) << 9 | 249, sdwa(r, true)]);
        add(format!("VOP3 {}", op.name), r, &|r| vop3(r, n, op));
    }
    // Attributes of pixels have a syntax of their own, which is not written yet.
    for (n, op) in t.vop3.rows().filter(|(_, op)| !op.name.starts_with("v_interp")) {
        add(format!("VOP3 {}", op.name), r, &|r| vop3(r, n, op));
    }
    for (n, op) in t.vop3p.rows() {
        let sources = op.src.len() - usize::from(op.traits.tied);
        add(format!("VOP3P {}", op.name), r, &|r| vop3p(r, n, op.traits.matrix, sources));
    }
    let acc = |r: &mut Random| if generation.has_unified_registers { rare(r, 1, 3) } else { 0 };
    for (n, op) in t.ds.rows() {
        let data = op.src.len();
        add(format!("DS {}", op.name), r, &|r| {
            let offset = if r.below(2) == 0 { r.word() & 0xffff } else { r.below(3) };
            let gds =
                u32::from(op.name.contains("gws") || op.name.contains("ordered") || r.below(6) == 0) << 16;
            let addr = field(r, !op.traits.no_address);
            let dst = field(r, op.dst != Ty::None);
            let [a, b] = [field(r, data > 0), field(r, data > 1)];
            [0xd800_0000 | n << 17 | acc(r) << 25 | gds | offset, addr | a << 8 | b << 16 | dst << 24]
        });
    }
    for (segment, name, table) in [(0, "FLAT", &t.flat), (1, "SCRATCH", &t.scratch), (2, "GLOBAL", &t.global)]
    {
        for (n, op) in table.rows() {
            add(format!("{name} {}", op.name), r, &|r| {
                let offset = if r.below(2) == 0 { r.word() & 0x1fff } else { 0 };
                let glc = rare(r, 1, 2) << 16;
                let flags = glc | rare(r, 1, 4) << 17 | rare(r, 1, 6) << 25 | rare(r, 1, 6) << 13;
                let saddr = if segment == 0 {
                    rare(r, 7, 8)
                } else if r.below(2) == 0 {
                    0x7f
                } else {
                    scalar_dst(r)
                };
                let dst = field(r, op.dst != Ty::None && (!op.traits.atomic || glc != 0));
                let data = field(r, !op.src.is_empty());
                let addr = if segment == 1 && r.below(2) == 0 { 0 } else { vector(r) };
                [
                    0xdc00_0000 | n << 18 | segment << 14 | flags | offset,
                    addr | data << 8 | saddr << 16 | acc(r) << 23 | dst << 24,
                ]
            });
        }
    }
    let buffer = |r: &mut Random, data: bool, no_address: bool| {
        if no_address && r.below(8) != 0 {
            return [0, 0];
        }
        let offset = if r.below(2) == 0 { r.below(1 << 12) } else { 0 };
        let low = offset | r.below(4) << 12 | rare(r, 1, 3) << 14;
        let soffset = r.pick(&[128, 128, 124, 106, 240]) & 255;
        let soffset = if r.below(2) == 0 { soffset } else { scalar(r) };
        let vdata = if data { vector(r) } else { 0 };
        let tfe = rare(r, 1, 4) << 23;
        [low, vector(r) | vdata << 8 | r.below(25) << 16 | tfe | soffset << 24]
    };
    for (n, op) in t.mubuf.rows() {
        add(format!("MUBUF {}", op.name), r, &|r| {
            let lds = rare(r, 1, 4);
            let [low, x] = buffer(r, lds == 0, op.traits.no_address);
            [0xe000_0000 | n << 18 | low | lds << 16 | rare(r, 1, 4) << 15 | rare(r, 1, 3) << 17, x]
        });
    }
    for (n, op) in t.mtbuf.rows() {
        add(format!("MTBUF {}", op.name), r, &|r| {
            let [low, x] = buffer(r, true, false);
            [0xe800_0000 | n << 15 | r.below(128) << 19 | low, x | rare(r, 1, 3) << 22 | rare(r, 1, 4) << 21]
        });
    }
    for (n, op) in t.vintrp.rows() {
        add(format!("VINTRP {}", op.name), r, &|r| {
            let source = if n == 2 { r.below(3) } else { vector(r) };
            [0xd400_0000 | n << 16 | vector(r) << 18 | r.below(256) << 8 | source, 0]
        });
    }
    if let Some(op) = t.exp {
        add(format!("EXP {}", op.name), r, &|r| [0xc400_0000 | r.below(1 << 13), r.word()]);
    }
    for (n, op) in t.mimg.rows().filter(|(_, op)| !op.name.contains("atomic")) {
        add(format!("MIMG {}", op.name), r, &|r| {
            let flags = rare(r, 1, 3) << 12 | rare(r, 1, 3) << 13 | rare(r, 1, 3) << 14 | rare(r, 1, 3) << 15;
            let flags = flags | rare(r, 1, 4) << 16 | rare(r, 1, 3) << 17 | rare(r, 1, 3) << 25;
            let sampler = if op.src.len() > 1 { r.below(24) } else { 0 };
            // LLVM has no three registers for a gathering with a status, and prints four.
            let halves = if op.name.contains("gather") { 0 } else { rare(r, 1, 4) << 31 };
            let number = |r: &mut Random| r.below(240);
            [
                0xf000_0000 | n << 18 | r.below(16) << 8 | flags,
                number(r) | number(r) << 8 | r.below(22) << 16 | sampler << 21 | halves,
            ]
        });
    }
    out
}
