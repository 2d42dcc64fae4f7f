//! Every compare by its name: relations of each type, classes of floats, and what the `v_cmpx` forms do to `EXEC`.

mod common;

use std::cmp::Ordering;

use amdgpu_isa::gens::gfx9::GFX90A;
use amdgpu_isa::{Format, Inst, Op, Operand, Ty, Wave};
use common::Random;
use common::vector::{Silent, Unmapped, group};

/// How two values of a type stand to each other; `None` when one is NaN.
fn order(ty: &str, a: u64, b: u64) -> Option<Ordering> {
    let half = |x: u64| {
        let (e, f) = (x >> 10 & 31, x & 0x3ff);
        let magnitude = match e {
            31 if f != 0 => f64::NAN,
            31 => f64::INFINITY,
            0 => f as f64,
            _ => ((1024 + f) << (e - 1)) as f64,
        };
        if x & 0x8000 != 0 { -magnitude } else { magnitude }
    };
    let single = |x: u64| f64::from(f32::from_bits(x as u32));
    match ty {
        "f16" => half(a).partial_cmp(&half(b)),
        "f32" => single(a).partial_cmp(&single(b)),
        "f64" => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        "i16" => Some((a as i16).cmp(&(b as i16))),
        "u16" => Some((a as u16).cmp(&(b as u16))),
        "i32" => Some((a as i32).cmp(&(b as i32))),
        "u32" => Some((a as u32).cmp(&(b as u32))),
        "i64" => Some((a as i64).cmp(&(b as i64))),
        "u64" => Some(a.cmp(&b)),
        other => panic!("{other}"),
    }
}

/// The relation's truth.
fn holds(relation: &str, order: Option<Ordering>) -> bool {
    use Ordering::{Equal, Greater, Less};
    match relation {
        "f" => false,
        "t" | "tru" => true,
        "lt" => order == Some(Less),
        "eq" => order == Some(Equal),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "ne" | "neq" => order != Some(Equal),
        "lg" => matches!(order, Some(Less | Greater)),
        "ge" => matches!(order, Some(Greater | Equal)),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "nge" => !matches!(order, Some(Greater | Equal)),
        "nlg" => !matches!(order, Some(Less | Greater)),
        "ngt" => order != Some(Greater),
        "nle" => !matches!(order, Some(Less | Equal)),
        "nlt" => order != Some(Less),
        other => panic!("{other}"),
    }
}

/// The number of a float's class, from its bits: exponent and fraction of so many bits.
fn class(x: u64, exponent: u32, fraction: u32) -> u32 {
    let negative = x >> (exponent + fraction) & 1 != 0;
    let (e, f) = (x >> fraction & ((1 << exponent) - 1), x & ((1 << fraction) - 1));
    let side = |minus, plus| if negative { minus } else { plus };
    match (e, f) {
        (e, 0) if e == (1 << exponent) - 1 => side(2, 9),
        (e, f) if e == (1 << exponent) - 1 => (f >> (fraction - 1)) as u32,
        (0, 0) => side(5, 6),
        (0, _) => side(4, 7),
        _ => side(3, 8),
    }
}

fn expected(op: &Op, a: u64, b: u64) -> bool {
    let (head, ty) = op.name.rsplit_once('_').expect("a type");
    let relation = head.rsplit_once('_').expect("a relation").1;
    if relation != "class" {
        return holds(relation, order(ty, a, b));
    }
    let (exponent, fraction) = match ty {
        "f16" => (5, 10),
        "f32" => (8, 23),
        _ => (11, 52),
    };
    b as u32 >> class(a, exponent, fraction) & 1 != 0
}

#[test]
fn compares() {
    let mut r = Random(99);
    let mut seen = 0;
    for (_, op) in GFX90A.tables.vopc.rows() {
        let sets_exec = op.name.starts_with("v_cmpx");
        assert_eq!(op.traits.sets_exec, sets_exec, "{}", op.name);
        // Sources in v[0:1] and v[2:3], the mask in VCC.
        let mut i = Inst::new(op, Format::Vopc, [0, 0], 4);
        (i.src[0], i.src[1], i.dst) = (Operand::vgpr(0), Operand::vgpr(2), Operand::VCC_LO);
        for round in 0..40 {
            let mut sources: [[u64; 2]; 64] = core::array::from_fn(|_| {
                core::array::from_fn(|_| u64::from(r.value()) | u64::from(r.value()) << 32)
            });
            if op.name.contains("class") {
                sources.iter_mut().for_each(|s| s[1] = 1 << r.below(10) | 1 << r.below(10));
            }
            for s in sources.iter_mut().step_by(3).filter(|_| !op.name.contains("class")) {
                s[1] = s[0];
            }
            let exec = if round % 4 == 0 { !0 } else { r.next() };
            let mut w = Wave::new(&GFX90A);
            w.set_exec(exec);
            w.set_pair(Operand::VCC_LO, r.next());
            for (l, s) in sources.iter().enumerate() {
                for (k, &x) in s.iter().enumerate() {
                    w.v[2 * k].0[l] = x as u32;
                    w.v[2 * k + 1].0[l] = (x >> 32) as u32;
                }
            }
            w.mode.0 |= 0xf0;
            let (space, io) = (Unmapped, Silent);
            let _ = (i.general)(&mut w, &mut group(&space, &io), &i);
            let wanted: u64 = (0..64)
                .filter(|l| exec >> l & 1 != 0)
                .filter(|l| {
                    let [a, b] = sources[*l as usize];
                    let narrow =
                        |k: usize, x: u64| if op.src[k].dwords() == 2 { x } else { u64::from(x as u32) };
                    expected(op, narrow(0, a), narrow(1, b))
                })
                .map(|l| 1 << l)
                .sum();
            assert_eq!(w.vcc(), wanted, "{} with EXEC {exec:#x}", op.name);
            assert_eq!(w.exec(), if sets_exec { wanted } else { exec }, "{}", op.name);
        }
        assert_eq!(op.dst, Ty::Mask);
        seen += 1;
    }
    assert!(seen > 180, "{seen}");
}
