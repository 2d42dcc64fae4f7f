//! Encodings of gfx9: bits → [`Inst`]. Vega ISA, chapter 13; MI200 and MI300 ISA for the accumulation-register bits.

use crate::gens::Gen;
use crate::inst::{Extension, Inst, MemFields, Mods};
use crate::{DecodeError, Format, Op, Operand, Ty};

/// Number at which VOP1, VOP2 and VOPC instructions start among the VOP3 opcodes.
const VOP3_OF_VOP2: u32 = 0x100;
const VOP3_OF_VOP1: u32 = 0x140;
const VOP3_NATIVE: u32 = 0x1c0;

/// Decodes one instruction.
pub fn decode(generation: &'static Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    if w >> 31 == 0 {
        return match w >> 25 {
            0x3f => vop1(generation, words),
            0x3e => vopc(generation, words),
            _ => vop2(generation, words),
        };
    }
    if w >> 30 == 0b10 {
        return match w >> 23 {
            0x17d => sop1(generation, words),
            0x17e => sopc(generation, words),
            0x17f => sopp(generation, words),
            _ if w >> 28 == 0b1011 => sopk(generation, words),
            _ => sop2(generation, words),
        };
    }
    match w >> 26 {
        0b110000 => smem(generation, words),
        0b110100 if bits(w, 16, 10) >> 7 == 0b111 => vop3p(generation, words),
        0b110100 => vop3(generation, words),
        0b110110 => ds(generation, words),
        0b110111 => flat(generation, words),
        0b111000 => mubuf(generation, words),
        0b111010 => mtbuf(generation, words),
        0b110101 => vintrp(generation, words),
        0b110001 => exp(generation, words),
        0b111100 => mimg(generation, words),
        _ => Err(DecodeError { words }),
    }
}

/// `len` bits of `w` from bit `low`.
const fn bits(w: u32, low: u32, len: u32) -> u32 {
    w >> low & ((1u64 << len) - 1) as u32
}

const fn bit(w: u32, n: u32) -> bool {
    w >> n & 1 != 0
}

fn found(op: Option<&'static Op>, words: [u32; 2]) -> Result<&'static Op, DecodeError> {
    op.ok_or(DecodeError { words })
}

/// A 9-bit source field.
fn source(field: u32) -> Operand {
    Operand(field as u16)
}

/// The bit that makes a memory instruction's data accumulation registers, where there is one register file.
const fn acc_bit(generation: &Gen, w: u32, n: u32) -> bool {
    generation.has_unified_registers && bit(w, n)
}

fn vgpr_or_agpr(number: u32, acc: bool) -> Operand {
    if acc { Operand::agpr(number) } else { Operand::vgpr(number) }
}

/// If a source says "literal", the second word is it.
fn take_literal(i: &mut Inst) {
    if i.src.contains(&Operand::LITERAL) && i.size == 4 {
        i.literal = i.words[1];
        i.size = 8;
    }
}

fn sop2(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.sop2.get(bits(w, 23, 7)), words)?;
    let mut i = Inst::new(op, Format::Sop2, words, 4);
    i.dst = Operand::sgpr(bits(w, 16, 7));
    i.src[0] = source(bits(w, 0, 8));
    i.src[1] = source(bits(w, 8, 8));
    take_literal(&mut i);
    Ok(i)
}

fn sop1(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.sop1.get(bits(w, 8, 8)), words)?;
    let mut i = Inst::new(op, Format::Sop1, words, 4);
    i.dst = Operand::sgpr(bits(w, 16, 7));
    // `s_getpc_b64` has no source: what stands in the field means nothing.
    if !op.src.is_empty() {
        i.src[0] = source(bits(w, 0, 8));
    }
    take_literal(&mut i);
    Ok(i)
}

fn sopk(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.sopk.get(bits(w, 23, 5)), words)?;
    let mut i = Inst::new(op, Format::Sopk, words, 4);
    i.dst = Operand::sgpr(bits(w, 16, 7));
    i.src[0] = i.dst;
    i.imm = bits(w, 0, 16);
    // s_setreg_imm32_b32 brings its value in a second word.
    if op.traits.literal_source.is_some() {
        i.literal = words[1];
        i.size = 8;
    }
    Ok(i)
}

fn sopc(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.sopc.get(bits(w, 16, 7)), words)?;
    let mut i = Inst::new(op, Format::Sopc, words, 4);
    i.src[0] = source(bits(w, 0, 8));
    if op.src.len() > 1 {
        i.src[1] = source(bits(w, 8, 8));
    } else {
        // s_set_gpr_idx_on has plain bits there.
        i.imm = bits(w, 8, 8);
    }
    take_literal(&mut i);
    Ok(i)
}

fn sopp(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let op = found(generation.tables.sopp.get(bits(words[0], 16, 7)), words)?;
    let mut i = Inst::new(op, Format::Sopp, words, 4);
    i.imm = bits(words[0], 0, 16);
    Ok(i)
}

fn smem(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let op = found(generation.tables.smem.get(bits(w, 18, 8)), words)?;
    let mut i = Inst::new(op, Format::Smem, words, 8);
    i.dst = Operand::sgpr(bits(w, 6, 7));
    let (soffset_en, imm) = (bit(w, 14), bit(w, 17));
    i.mem = MemFields {
        saddr: Operand::sgpr(bits(w, 0, 6) << 1),
        glc: bit(w, 16),
        data: i.dst,
        ..MemFields::default()
    };
    // Offset: a 21-bit signed immediate, an SGPR, or both.
    match (imm, soffset_en) {
        (true, _) => {
            i.mem.offset = (bits(x, 0, 21) << 11) as i32 >> 11;
            if soffset_en {
                i.mem.soffset = Operand::sgpr(bits(x, 25, 7));
            }
        }
        (false, true) => i.mem.soffset = Operand::sgpr(bits(x, 25, 7)),
        (false, false) => i.mem.soffset = Operand::sgpr(bits(x, 0, 7)),
    }
    Ok(i)
}

/// SDWA and DPP: the first source field says so, the second word holds the rest.
fn take_extension(i: &mut Inst, compare: bool) {
    let x = i.words[1];
    match i.src[0] {
        Operand::SDWA => {
            let whole = compare || i.op.traits.whole_dst;
            i.size = 8;
            i.src[0] = if bit(x, 23) { source(bits(x, 0, 8)) } else { Operand::vgpr(bits(x, 0, 8)) };
            if !i.src[1].is_none() && i.op.src.len() > 1 && i.op.src[1] != Ty::Mask && bit(x, 31) {
                // The VOP2 field named a VGPR; with S1 it names a scalar.
                i.src[1] = source(u32::from(i.src[1].0) & 0xff);
            }
            i.ext = Extension::Sdwa {
                dst_sel: if whole { 6 } else { bits(x, 8, 3) as u8 },
                dst_unused: if whole { 0 } else { bits(x, 11, 2) as u8 },
                src_sel: [bits(x, 16, 3) as u8, bits(x, 24, 3) as u8],
                sext: bits(x, 19, 1) as u8 | (bits(x, 27, 1) as u8) << 1,
            };
            i.mods.neg = bits(x, 20, 1) as u8 | (bits(x, 28, 1) as u8) << 1;
            i.mods.abs = bits(x, 21, 1) as u8 | (bits(x, 29, 1) as u8) << 1;
            if compare {
                i.dst = if bit(x, 15) { Operand::sgpr(bits(x, 8, 7)) } else { Operand::VCC_LO };
            } else {
                i.mods.clamp = bit(x, 13);
                i.mods.omod = bits(x, 14, 2) as u8;
            }
        }
        Operand::DPP => {
            i.size = 8;
            i.src[0] = Operand::vgpr(bits(x, 0, 8));
            i.ext = Extension::Dpp {
                ctrl: bits(x, 8, 9) as u16,
                bound_ctrl: bit(x, 19),
                bank_mask: bits(x, 24, 4) as u8,
                row_mask: bits(x, 28, 4) as u8,
            };
            i.mods.neg = bits(x, 20, 1) as u8 | (bits(x, 22, 1) as u8) << 1;
            i.mods.abs = bits(x, 21, 1) as u8 | (bits(x, 23, 1) as u8) << 1;
        }
        _ => take_literal(i),
    }
}

/// Whether register pairs are pairs: `VCC`, `EXEC` and their like start at the low half, vector registers end inside
/// the file. (LLVM lets SGPR pairs start anywhere.)
fn check_pairs(i: &Inst) -> Result<(), DecodeError> {
    let is_pair = |o: Operand, ty: Ty| match o.0 {
        102..=107 | 124..=127 if ty.dwords() > 1 => o.0 & 1 == 0 && o != Operand::M0,
        256..768 => usize::from(o.0 & 255) + ty.dwords() <= 256,
        _ => true,
    };
    let sources = i.op.src.iter().zip(i.src).all(|(ty, o)| is_pair(o, *ty));
    if sources && is_pair(i.dst, i.op.dst) && is_pair(i.sdst, Ty::Mask) {
        Ok(())
    } else {
        Err(DecodeError { words: i.words })
    }
}

/// Whether the instruction has the extension that its words ask for.
fn check_extension(generation: &Gen, i: &Inst) -> Result<(), DecodeError> {
    let op = i.op;
    let wide = op.dst != Ty::Mask && op.dst.dwords() > 1
        || op.src.iter().any(|ty| *ty != Ty::Mask && ty.dwords() > 1);
    let has = match i.ext {
        Extension::None => true,
        Extension::Sdwa { .. } => !op.traits.short_only && !op.traits.tied && (!wide || op.traits.whole_dst),
        Extension::Dpp { ctrl, .. } => {
            let is_newbcast = matches!(ctrl, 0x150..=0x15f);
            !op.traits.short_only
                && i.format != Format::Vopc
                && (generation.has_wide_dpp || !wide)
                && (generation.has_row_newbcast || !is_newbcast)
        }
    };
    if has { Ok(()) } else { Err(DecodeError { words: i.words }) }
}

/// Sources that the short encodings imply: the tied destination, and `VCC` for a carry or condition.
fn fill_implied(i: &mut Inst) {
    let count = i.op.src.len();
    if i.op.traits.tied && count > 0 && count <= 3 {
        i.src[count - 1] = i.dst;
    }
    for k in 0..count.min(3) {
        if i.op.src[k] == Ty::Mask && i.src[k].is_none() {
            i.src[k] = Operand::VCC_LO;
        }
    }
    if i.op.traits.carry_out && i.sdst.is_none() {
        i.sdst = Operand::VCC_LO;
    }
}

/// A vector instruction may write a scalar register (`v_readfirstlane_b32`): those say so by having no lanes.
fn vop1(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.vop1.get(bits(w, 9, 8)), words)?;
    let mut i = Inst::new(op, Format::Vop1, words, 4);
    i.dst = if op.traits.scalar_dst { Operand::sgpr(bits(w, 17, 8)) } else { Operand::vgpr(bits(w, 17, 8)) };
    if op.traits.scalar_dst && bit(w, 24) {
        return Err(DecodeError { words });
    }
    i.src[0] = source(bits(w, 0, 9));
    // `v_nop` and its like have no operands.
    if op.src.is_empty() {
        i.src[0] = Operand::NONE;
        return if bits(w, 0, 9) == 0 { Ok(i) } else { Err(DecodeError { words }) };
    }
    take_extension(&mut i, false);
    check_extension(generation, &i)?;
    check_pairs(&i)?;
    fill_implied(&mut i);
    if op.traits.acc_dst {
        i.dst = as_agpr(i.dst);
        i.src[0] = as_agpr(i.src[0]);
    }
    choose(&mut i);
    Ok(i)
}

/// The accumulation register of a vector register's number.
fn as_agpr(o: Operand) -> Operand {
    if o.is_vector() { Operand::agpr(u32::from(o.0)) } else { o }
}

fn vop2(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.vop2.get(bits(w, 25, 6)), words)?;
    let mut i = Inst::new(op, Format::Vop2, words, 4);
    i.dst = Operand::vgpr(bits(w, 17, 8));
    i.src[0] = source(bits(w, 0, 9));
    i.src[1] = Operand::vgpr(bits(w, 9, 8));
    if let Some(k) = op.traits.literal_source {
        // v_madmk/v_fmamk put the constant second, v_madak/v_fmaak third.
        let register = i.src[1];
        i.src = match k {
            1 => [i.src[0], Operand::LITERAL, register],
            _ => [i.src[0], register, Operand::LITERAL],
        };
        i.literal = words[1];
        i.size = 8;
    } else {
        take_extension(&mut i, false);
        check_extension(generation, &i)?;
    }
    if op.traits.literal_source.is_some() && matches!(i.src[0], Operand::SDWA | Operand::DPP) {
        return Err(DecodeError { words });
    }
    check_pairs(&i)?;
    fill_implied(&mut i);
    // Packed instructions of this format take halves where they lie.
    i.mods.op_sel_hi = 7;
    choose(&mut i);
    Ok(i)
}

fn vopc(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.vopc.get(bits(w, 17, 8)), words)?;
    let mut i = Inst::new(op, Format::Vopc, words, 4);
    i.dst = Operand::VCC_LO;
    i.src[0] = source(bits(w, 0, 9));
    i.src[1] = Operand::vgpr(bits(w, 9, 8));
    take_extension(&mut i, true);
    check_extension(generation, &i)?;
    check_pairs(&i)?;
    choose(&mut i);
    Ok(i)
}

fn vop3(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let number = bits(w, 16, 10);
    let tables = generation.tables;
    let op = match number {
        0..VOP3_OF_VOP2 => tables.vopc.get(number),
        VOP3_OF_VOP2..VOP3_OF_VOP1 => tables.vop2.get(number - VOP3_OF_VOP2),
        VOP3_OF_VOP1..VOP3_NATIVE => tables.vop1.get(number - VOP3_OF_VOP1),
        _ => tables.vop3.get(number),
    };
    let op = found(op, words)?;
    if op.traits.short_only {
        return Err(DecodeError { words });
    }
    let mut i = Inst::new(op, Format::Vop3, words, 8);
    let scalar_dst = op.traits.scalar_dst || op.dst == Ty::Mask;
    i.dst = if scalar_dst { Operand::sgpr(bits(w, 0, 8)) } else { Operand::vgpr(bits(w, 0, 8)) };
    for k in 0..op.src.len().min(3) {
        i.src[k] = source(bits(x, 9 * k as u32, 9));
    }
    if op.traits.tied {
        i.src[op.src.len() - 1] = i.dst;
    }
    if op.traits.carry_out {
        // VOP3B: the field of the absolute-value bits holds the scalar destination.
        i.sdst = Operand::sgpr(bits(w, 8, 7));
    } else {
        i.mods.abs = bits(w, 8, 3) as u8;
        i.mods.op_sel = bits(w, 11, 4) as u8;
    }
    i.mods.clamp = bit(w, 15);
    i.mods.omod = bits(x, 27, 2) as u8;
    i.mods.neg = bits(x, 29, 3) as u8;
    if scalar_dst && bit(w, 7) {
        return Err(DecodeError { words });
    }
    check_pairs(&i)?;
    choose(&mut i);
    Ok(i)
}

fn vop3p(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let op = found(generation.tables.vop3p.get(bits(w, 16, 7)), words)?;
    let mut i = Inst::new(op, Format::Vop3p, words, 8);
    if op.traits.matrix {
        // MFMA and accumulation moves: bits say which operands are accumulation registers.
        let acc = bits(x, 27, 2);
        // With a file of their own, accumulation registers are the only place for sums.
        let acc_sum = !generation.has_unified_registers || bit(w, 15);
        i.dst = vgpr_or_agpr(bits(w, 0, 8), acc_sum);
        for k in 0..op.src.len().min(3) {
            let field = bits(x, 9 * k as u32, 9);
            // The third source of sparse products is an index.
            let is_acc = if k == 2 { acc_sum && op.src[2] == op.dst } else { acc >> k & 1 != 0 };
            i.src[k] = if field >= 256 { vgpr_or_agpr(field - 256, is_acc) } else { source(field) };
        }
        // cbsz, abid and blgp.
        i.imm = bits(w, 8, 3) | bits(w, 11, 4) << 3 | bits(x, 29, 3) << 7;
    } else {
        i.dst = Operand::vgpr(bits(w, 0, 8));
        for k in 0..op.src.len().min(3) {
            i.src[k] = source(bits(x, 9 * k as u32, 9));
        }
        if op.traits.tied {
            i.src[op.src.len() - 1] = i.dst;
        }
        if op.traits.acc_dst {
            i.dst = as_agpr(i.dst);
        }
        if op.traits.acc_src {
            i.src[0] = as_agpr(i.src[0]);
        }
        i.mods = Mods {
            neg: bits(x, 29, 3) as u8,
            abs: bits(w, 8, 3) as u8,
            clamp: bit(w, 15),
            omod: 0,
            op_sel: bits(w, 11, 3) as u8,
            op_sel_hi: bits(x, 27, 2) as u8 | (bits(w, 14, 1) as u8) << 2,
        };
    }
    check_pairs(&i)?;
    choose(&mut i);
    Ok(i)
}

fn ds(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let op = found(generation.tables.ds.get(bits(w, 17, 8)), words)?;
    let mut i = Inst::new(op, Format::Ds, words, 8);
    let acc = acc_bit(generation, w, 25);
    i.dst = vgpr_or_agpr(bits(x, 24, 8), acc);
    i.mem = MemFields {
        offset: bits(w, 0, 16) as i32,
        offset1: bits(w, 8, 8) as u8,
        gds: bit(w, 16),
        // What goes to the global data share is data, though it stands in the field of the address.
        addr: vgpr_or_agpr(bits(x, 0, 8), acc && op.traits.gds),
        data: vgpr_or_agpr(bits(x, 8, 8), acc),
        data1: vgpr_or_agpr(bits(x, 16, 8), acc),
        ..MemFields::default()
    };
    choose(&mut i);
    if i.mem.gds && !op.traits.gds {
        // Those that are of the global data share alone say themselves what they are.
        i.general = |w, _, i| crate::ops::refuse(w, i, crate::Refusal::GlobalShare);
        i.exec = i.general;
    }
    Ok(i)
}

fn flat(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let segment = bits(w, 14, 2) as u8;
    let number = bits(w, 18, 7);
    let tables = generation.tables;
    let op = match segment {
        0 => tables.flat.get(number),
        1 => tables.scratch.get(number),
        2 => tables.global.get(number),
        _ => None,
    };
    let op = found(op, words)?;
    let mut i = Inst::new(op, Format::Flat, words, 8);
    let acc = acc_bit(generation, x, 23);
    i.dst = vgpr_or_agpr(bits(x, 24, 8), acc);
    let saddr = bits(x, 16, 7);
    // Flat addresses take 12 unsigned bits, global and scratch 13 signed ones.
    let offset = if segment == 0 { bits(w, 0, 12) as i32 } else { (bits(w, 0, 13) << 19) as i32 >> 19 };
    // Bit 13 of gfx90a is LDS; gfx940 uses it as `sve` of scratch and has LDS loads as opcodes of their own.
    let bit13 = bit(w, 13);
    i.mem = MemFields {
        offset,
        glc: bit(w, 16),
        slc: bit(w, 17),
        scc: generation.has_scc && bit(w, 25),
        lds: bit13 && !generation.has_architected_flat_scratch,
        sve: bit13 && generation.has_architected_flat_scratch,
        segment,
        addr: Operand::vgpr(bits(x, 0, 8)),
        saddr: if segment == 0 || saddr == 0x7f { Operand::NONE } else { Operand::sgpr(saddr) },
        data: vgpr_or_agpr(bits(x, 8, 8), acc),
        ..MemFields::default()
    };
    choose(&mut i);
    Ok(i)
}

fn mubuf(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.mubuf.get(bits(w, 18, 7)), words)?;
    let mut i = Inst::new(op, Format::Mubuf, words, 8);
    buffer_fields(generation, &mut i, words, bit(w, 15), bit(w, 17));
    i.mem.lds = bit(w, 16);
    choose(&mut i);
    refuse_tfe(generation, &mut i, bit(words[1], 23));
    Ok(i)
}

fn mtbuf(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let op = found(generation.tables.mtbuf.get(bits(w, 15, 4)), words)?;
    let mut i = Inst::new(op, Format::Mtbuf, words, 8);
    buffer_fields(generation, &mut i, words, bit(x, 21), bit(x, 22));
    i.mem.dfmt = bits(w, 19, 4) as u8;
    i.mem.nfmt = bits(w, 23, 3) as u8;
    choose(&mut i);
    refuse_tfe(generation, &mut i, bit(words[1], 23));
    Ok(i)
}

/// Where buffer and image instructions have no accumulation registers their bit is `tfe`: a status dword behind the data.
fn refuse_tfe(generation: &Gen, i: &mut Inst, tfe: bool) {
    if !generation.has_unified_registers && tfe {
        i.general = |w, _, i| crate::ops::refuse(w, i, crate::Refusal::LoadStatus);
        i.exec = i.general;
    }
}

/// What MUBUF and MTBUF have in common.
fn buffer_fields(generation: &Gen, i: &mut Inst, [w, x]: [u32; 2], scc: bool, slc: bool) {
    let acc = acc_bit(generation, x, 23);
    i.dst = vgpr_or_agpr(bits(x, 8, 8), acc);
    i.mem = MemFields {
        offset: bits(w, 0, 12) as i32,
        offen: bit(w, 12),
        idxen: bit(w, 13),
        glc: bit(w, 14),
        slc,
        scc: generation.has_scc && scc,
        addr: Operand::vgpr(bits(x, 0, 8)),
        saddr: Operand::sgpr(bits(x, 16, 5) << 2),
        soffset: source(bits(x, 24, 8)),
        data: i.dst,
        ..MemFields::default()
    };
}

/// Interpolation; `imm` has channel and attribute.
fn vintrp(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let w = words[0];
    let op = found(generation.tables.vintrp.get(bits(w, 16, 2)), words)?;
    let mut i = Inst::new(op, Format::Vintrp, words, 4);
    i.dst = Operand::vgpr(bits(w, 18, 8));
    i.src[0] = Operand::vgpr(bits(w, 0, 8));
    i.imm = bits(w, 8, 8);
    Ok(i)
}

/// Export; `imm` has which registers are sent, to where, and how.
fn exp(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let op = found(generation.tables.exp, words)?;
    let mut i = Inst::new(op, Format::Exp, words, 8);
    i.imm = bits(words[0], 0, 13);
    Ok(i)
}

fn mimg(generation: &Gen, words: [u32; 2]) -> Result<Inst, DecodeError> {
    let [w, x] = words;
    let op = found(generation.tables.mimg.get(bits(w, 18, 7)), words)?;
    let mut i = Inst::new(op, Format::Mimg, words, 8);
    i.dst = vgpr_or_agpr(bits(x, 8, 8), acc_bit(generation, w, 16));
    i.mem = MemFields {
        glc: bit(w, 13),
        slc: bit(w, 25),
        addr: Operand::vgpr(bits(x, 0, 8)),
        saddr: Operand::sgpr(bits(x, 16, 5) << 2),
        soffset: Operand::sgpr(bits(x, 21, 5) << 2),
        data: i.dst,
        ..MemFields::default()
    };
    refuse_tfe(generation, &mut i, bit(w, 16));
    Ok(i)
}

/// Picks the body that runs the instruction in a wave of plain mode.
fn choose(i: &mut Inst) {
    if let Some(body) = i.fast().and_then(|fast| fast.body(crate::simd::level())) {
        i.exec = body;
    }
}
