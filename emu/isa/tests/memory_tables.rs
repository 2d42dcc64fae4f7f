//! Every load, store and atomic operation of every space, by its name, against a model of what the name says: widths,
//! signs, halves, the order of operands, the old value; on edge values, with some lanes inactive, by both bodies.

mod common;

use std::collections::BTreeSet;

use amdgpu_isa::{Flow, Gen, Op, gens};
use common::{Memory, Random, group, memory_formats, runs_fast_bodies, wave};

const BASE: u64 = 0x7f00_0000_0000;
const SCRATCH: u64 = 0x7e00_0000_0000;
/// Bytes of a lane's own place.
const SLOT: usize = 32;

/// Names in LDS and elsewhere; bytes; sign-extended; the low (1) or the high (2) half of the register.
const LOADS: &[(&str, &str, usize, bool, u8)] = &[
    ("read_u8", "load_ubyte", 1, false, 0),
    ("read_i8", "load_sbyte", 1, true, 0),
    ("read_u16", "load_ushort", 2, false, 0),
    ("read_i16", "load_sshort", 2, true, 0),
    ("read_u8_d16", "load_ubyte_d16", 1, false, 1),
    ("read_u8_d16_hi", "load_ubyte_d16_hi", 1, false, 2),
    ("read_i8_d16", "load_sbyte_d16", 1, true, 1),
    ("read_i8_d16_hi", "load_sbyte_d16_hi", 1, true, 2),
    ("read_u16_d16", "load_short_d16", 2, false, 1),
    ("read_u16_d16_hi", "load_short_d16_hi", 2, false, 2),
    ("read_b32", "load_dword", 4, false, 0),
    ("read_b64", "load_dwordx2", 8, false, 0),
    ("read_b96", "load_dwordx3", 12, false, 0),
    ("read_b128", "load_dwordx4", 16, false, 0),
];

/// Names, bytes, whether from the high half.
const STORES: &[(&str, &str, usize, bool)] = &[
    ("write_b8", "store_byte", 1, false),
    ("write_b8_d16_hi", "store_byte_d16_hi", 1, true),
    ("write_b16", "store_short", 2, false),
    ("write_b16_d16_hi", "store_short_d16_hi", 2, true),
    ("write_b32", "store_dword", 4, false),
    ("write_b64", "store_dwordx2", 8, false),
    ("write_b96", "store_dwordx3", 12, false),
    ("write_b128", "store_dwordx4", 16, false),
];

/// What a lane has before and after.
#[derive(Clone, Debug, PartialEq)]
struct Lane {
    slot: [u8; SLOT],
    data: [u32; 4],
    second: [u32; 2],
    dst: [u32; 4],
}

fn pair(x: &[u32]) -> u64 {
    u64::from(x[0]) | u64::from(x[1]) << 32
}

/// An atomic operation: what it is, how many bits, of floats or not, whether signed.
struct Atomic {
    what: String,
    bits: usize,
    float: bool,
    signed: bool,
    returns: bool,
}

/// Takes a name apart; `glc` tells whether those return that have no name for it.
fn atomic(name: &str, lds: bool, glc: bool) -> Option<Atomic> {
    if lds {
        let returns = name.contains("_rtn");
        let plain = name.replace("_rtn", "");
        let (what, ty) = plain.rsplit_once('_')?;
        let known = [
            "add", "sub", "rsub", "inc", "dec", "min", "max", "and", "or", "xor", "mskor", "wrxchg", "cmpst",
            "wrap",
        ];
        let bits = ty[1..].parse().ok()?;
        let made = Atomic {
            what: what.to_owned(),
            bits,
            float: ty.starts_with('f'),
            signed: ty.starts_with('i'),
            returns,
        };
        return known.contains(&what).then_some(made);
    }
    let name = name.strip_prefix("atomic_")?;
    if name.starts_with("pk_") {
        return None;
    }
    let (what, bits, float) = match name.rsplit_once('_') {
        Some((what, "x2")) => (what, 64, false),
        Some((what, "f32")) => (what, 32, true),
        Some((what, "f64")) => (what, 64, true),
        _ => (name, 32, false),
    };
    let (what, signed) = match what {
        "smin" => ("min", true),
        "smax" => ("max", true),
        "umin" => ("min", false),
        "umax" => ("max", false),
        other => (other, false),
    };
    Some(Atomic { what: what.to_owned(), bits, float, signed, returns: glc })
}

/// The new value in memory. `data` and `second` are as wide as the operation.
fn combine(a: &Atomic, old: u64, data: u64, second: u64) -> u64 {
    let mask = !0 >> (64 - a.bits);
    let order = |x: u64| if a.signed { x ^ 1 << (a.bits - 1) } else { x };
    let number = |x: u64| if a.bits == 32 { f64::from(f32::from_bits(x as u32)) } else { f64::from_bits(x) };
    let float = |x: f64| if a.bits == 32 { u64::from((x as f32).to_bits()) } else { x.to_bits() };
    mask & match a.what.as_str() {
        "add" if a.float => float(number(old) + number(data)),
        "min" if a.float => float(number(old).min(number(data))),
        "max" if a.float => float(number(old).max(number(data))),
        "cmpst" if a.float => {
            if number(old) == number(data) {
                second
            } else {
                old
            }
        }
        "add" => old.wrapping_add(data),
        "sub" => old.wrapping_sub(data),
        "rsub" => data.wrapping_sub(old),
        "inc" => {
            if old >= data {
                0
            } else {
                old + 1
            }
        }
        "dec" => {
            if old == 0 || old > data {
                data
            } else {
                old - 1
            }
        }
        "min" => {
            if order(data) < order(old) {
                data
            } else {
                old
            }
        }
        "max" => {
            if order(data) > order(old) {
                data
            } else {
                old
            }
        }
        "and" => old & data,
        "or" => old | data,
        "xor" => old ^ data,
        "mskor" => old & !data | second,
        "wrxchg" | "swap" => data,
        "cmpst" => {
            if old == data {
                second
            } else {
                old
            }
        }
        // The new value, then what it is compared with.
        "cmpswap" => {
            if old == second {
                data
            } else {
                old
            }
        }
        "wrap" => {
            if old >= data {
                old.wrapping_sub(data)
            } else {
                old.wrapping_add(second)
            }
        }
        other => panic!("{other}"),
    }
}

/// What an instruction does to a lane; `None` for names that this model does not know.
fn model(name: &str, lds: bool, glc: bool, lane: &mut Lane) -> Option<()> {
    let named = |ds: &str, other: &str| name == if lds { ds } else { other };
    if let Some(&(.., bytes, signed, part)) = LOADS.iter().find(|row| named(row.0, row.1)) {
        for k in 0..bytes.div_ceil(4) {
            let mut x = 0u32;
            for (n, byte) in lane.slot[4 * k..bytes.min(4 * k + 4)].iter().enumerate() {
                x |= u32::from(*byte) << (8 * n);
            }
            let unused = 32 - 8 * bytes.min(4) as u32;
            if signed {
                x = ((x << unused) as i32 >> unused) as u32;
            }
            let old = lane.dst[k];
            lane.dst[k] = match part {
                1 => x & 0xffff | old & 0xffff_0000,
                2 => x << 16 | old & 0xffff,
                _ => x,
            };
        }
        return Some(());
    }
    if let Some(&(.., bytes, high)) = STORES.iter().find(|row| named(row.0, row.1)) {
        let data = lane.data.map(|x| if high { x >> 16 } else { x });
        for (n, byte) in lane.slot[..bytes].iter_mut().enumerate() {
            *byte = (data[n / 4] >> (8 * (n % 4))) as u8;
        }
        return Some(());
    }
    let a = atomic(name, lds, glc)?;
    let (bytes, words) = (a.bits / 8, a.bits / 32);
    let wide = |x: &[u32]| if words == 2 { pair(x) } else { u64::from(x[0]) };
    let mut old = [0; 8];
    old[..bytes].copy_from_slice(&lane.slot[..bytes]);
    let old = u64::from_le_bytes(old);
    let second = if a.what == "cmpswap" { wide(&lane.data[words..]) } else { wide(&lane.second) };
    let new = combine(&a, old, wide(&lane.data), second);
    lane.slot[..bytes].copy_from_slice(&new.to_le_bytes()[..bytes]);
    if a.returns {
        lane.dst[0] = old as u32;
        if words == 2 {
            lane.dst[1] = (old >> 32) as u32;
        }
    }
    Some(())
}

/// A lane with edge values: operands that are equal, floats that add up exactly.
fn random_lane(name: &str, lds: bool, r: &mut Random) -> Lane {
    let mut lane = Lane {
        slot: core::array::from_fn(|_| r.word() as u8),
        data: core::array::from_fn(|_| r.odd_word()),
        second: core::array::from_fn(|_| r.odd_word()),
        dst: core::array::from_fn(|_| r.word()),
    };
    for k in 0..2 {
        lane.slot[4 * k..4 * k + 4].copy_from_slice(&r.odd_word().to_le_bytes());
    }
    let Some(a) = atomic(name, lds, false) else { return lane };
    let words = a.bits / 32;
    let put = |to: &mut [u32], r: &mut Random| {
        let x = f64::from(r.below(200) as i32 - 100) + 0.5;
        if words == 1 {
            to[0] = (x as f32).to_bits();
        } else {
            (to[0], to[1]) = (x.to_bits() as u32, (x.to_bits() >> 32) as u32);
        }
    };
    let mut old = [0; 2];
    if a.float {
        put(&mut lane.data, r);
        put(&mut old, r);
        lane.slot[..8].copy_from_slice(&pair(&old).to_le_bytes());
    }
    if r.below(3) == 0 {
        // Equal, at least in the low half.
        let word = |k: usize| u32::from_le_bytes(lane.slot[4 * k..4 * k + 4].try_into().expect("4"));
        let (low, high) = (word(0), word(1));
        let at = if a.what == "cmpswap" { words } else { 0 };
        lane.data[at] = low;
        if words == 2 && r.below(3) > 0 {
            lane.data[at + 1] = high;
        }
    }
    lane
}

/// Where byte `n` of a lane's place is.
fn place(format: &str, lane: usize, n: usize) -> u64 {
    match format {
        "scratch" => SCRATCH + 4 * (64 * (n / 4) + lane) as u64 + (n % 4) as u64,
        _ => BASE + (SLOT * lane + n) as u64,
    }
}

fn check(format: &str, number: u32, op: &'static Op, generation: &'static Gen, r: &mut Random) -> bool {
    let name = op.name.split_once('_').expect("a prefix").1;
    let (lds, buffer) = (format == "ds", format == "buffer");
    if model(name, lds, false, &mut random_lane(name, lds, r)).is_none() {
        return false;
    }
    let returns = |glc: bool| atomic(name, lds, glc).is_some_and(|a| a.returns);
    let mut memory = Memory::new();
    memory.add(BASE, 64 * SLOT, true).add(SCRATCH, 64 * 64, true);
    for round in 0..24 {
        let glc = round % 2 == 1;
        let bit = u32::from(glc && name.starts_with("atomic"));
        let words = match format {
            "ds" => [0xd800_0000 | number << 17, 0x100c_0804],
            "flat" => [0xdc00_0000 | number << 18 | bit << 16, 0x1000_0804],
            "global" => [0xdc00_8000 | number << 18 | bit << 16, 0x107f_0804],
            "scratch" => {
                let sve = u32::from(generation.has_architected_flat_scratch) << 13;
                [0xdc00_4000 | number << 18 | sve, 0x107f_0804]
            }
            _ => [0xe000_1000 | number << 18 | bit << 14, 0x8006_1004],
        };
        let inst = (generation.decode)(generation, words).expect("has a row");
        let before: Vec<Lane> = (0..64)
            .map(|_| {
                let mut lane = random_lane(name, lds, r);
                if buffer {
                    // One operand is both.
                    lane.dst = lane.data;
                }
                lane
            })
            .collect();
        let exec = if round < 4 { !0 } else { r.next() };
        let mut expected = before.clone();
        for (_, lane) in expected.iter_mut().enumerate().filter(|(l, _)| exec >> l & 1 != 0) {
            assert!(model(name, lds, glc, lane).is_some());
        }
        for fast in [false, true] {
            if fast && !runs_fast_bodies() {
                continue;
            }
            let mut w = wave(generation);
            w.set_exec(exec);
            w.flat_scratch = SCRATCH;
            w.scratch_lane_bytes = 64;
            (w.s[102], w.s[103]) = (SCRATCH as u32, (SCRATCH >> 32) as u32);
            // A raw buffer over the whole area, of format 32.
            (w.s[24], w.s[25], w.s[26], w.s[27]) =
                (BASE as u32, (BASE >> 32) as u32, (64 * SLOT) as u32, 0x0002_4fac);
            for (l, lane) in before.iter().enumerate() {
                let at = match format {
                    "flat" | "global" => place(format, l, 0),
                    "scratch" => 0,
                    _ => (SLOT * l) as u64,
                };
                (w.v[4].0[l], w.v[5].0[l]) = (at as u32, (at >> 32) as u32);
                for k in 0..4 {
                    w.v[8 + k].0[l] = lane.data[k];
                    w.v[16 + k].0[l] = lane.dst[k];
                }
                (w.v[12].0[l], w.v[13].0[l]) = (lane.second[0], lane.second[1]);
                for (n, byte) in lane.slot.iter().enumerate() {
                    memory.bytes(place(format, l, n), 1)[0] = *byte;
                }
            }
            let mut g = group(&memory, 64 * SLOT);
            for (l, lane) in before.iter().enumerate() {
                g.lds[SLOT * l..][..SLOT].copy_from_slice(&lane.slot);
            }
            let flow = if fast {
                common::call(&inst, &mut w, &mut g)
            } else {
                (inst.general)(&mut w, &mut g, &inst)
            };
            assert_eq!(flow, Flow::Next, "{}", op.name);
            let local = std::mem::take(&mut g.lds);
            drop(g);
            for (l, wanted) in expected.iter().enumerate() {
                let slot = core::array::from_fn(|n| {
                    if lds { local[SLOT * l + n] } else { memory.bytes(place(format, l, n), 1)[0] }
                });
                let dst = core::array::from_fn(|k| w.v[16 + k].0[l]);
                let got = Lane { slot, dst, ..wanted.clone() };
                assert_eq!(
                    got,
                    *wanted,
                    "{} on {} glc:{glc} returns:{} lane {l} fast:{fast}, before: {:?}",
                    op.name,
                    generation.name,
                    returns(glc),
                    before[l]
                );
            }
        }
    }
    true
}

#[test]
fn every_load_store_and_atomic() {
    let mut r = Random(0x7ab1e);
    let (mut checked, mut other) = (BTreeSet::new(), BTreeSet::new());
    for generation in gens::ALL.iter().copied() {
        for (format, rows) in memory_formats(generation) {
            for (number, op) in rows {
                let set =
                    if check(format, number, op, generation, &mut r) { &mut checked } else { &mut other };
                set.insert(op.name);
            }
        }
    }
    // What has tests of its own: two places, other lanes, counters, formats, loads to LDS, packed sums, caches.
    let special = [
        "2_b", "2st64", "2_rtn", "src2", "permute", "swizzle", "append", "consume", "gws", "ordered",
        "condxchg", "addtid", "_tr_", "nop", "pk_add", "format", "lds", "inv", "wb",
    ];
    let unknown: Vec<_> =
        other.iter().filter(|name| !special.iter().any(|part| name.contains(part))).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(checked.len() > 230, "{}", checked.len());
}
