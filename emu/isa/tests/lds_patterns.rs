//! Reads of LDS in the patterns that kernels have (one address, a row, tiles of a matrix, none) under several lane
//! masks, general and fast, against a reading lane by lane.

mod common;

use amdgpu_isa::{Flow, Gen, Row, TrapKind, Wave, gens};
use common::{Memory, group, wave};

const GENERATION: &Gen = &gens::gfx9::GFX90A;
const LDS: usize = 0x4000;

/// Opcode, dwords, and the offsets in bytes for the offset fields 1 and 2.
const READS: [(u32, &[u64]); 7] = [
    (54, &[0x201]),                       // ds_read_b32
    (118, &[0x201, 0x205]),               // ds_read_b64
    (254, &[0x201, 0x205, 0x209]),        // ds_read_b96
    (255, &[0x201, 0x205, 0x209, 0x20d]), // ds_read_b128
    (55, &[4, 8]),                        // ds_read2_b32
    (56, &[256, 512]),                    // ds_read2st64_b32
    (119, &[8, 12, 16, 20]),              // ds_read2_b64
];

/// Its name, and the byte that a lane addresses.
type Pattern = (&'static str, Box<dyn Fn(u64) -> u64>);

/// The byte that lane `l` addresses, by pattern; elements have `size` bytes.
fn patterns(size: u64) -> [Pattern; 8] {
    [
        ("one address", Box::new(|_| 0x40)),
        ("a row", Box::new(move |l| 0x80 + size * l)),
        ("rows of 8, one address each", Box::new(move |l| l / 8 * 68)),
        ("rows of 16, one address each", Box::new(move |l| l / 16 * 68)),
        ("rows of 8, side by side", Box::new(move |l| l % 8 * size)),
        ("rows of 16, side by side", Box::new(move |l| 0x100 + l % 16 * size)),
        ("a column", Box::new(|l| l * 68)),
        ("no order, unaligned", Box::new(|l| l * 7919 % 0x1000)),
    ]
}

fn run(number: u32, fast: bool, exec: u64, at: &dyn Fn(u64) -> u64) -> (Wave, Flow) {
    let memory = Memory::new();
    let mut w = wave(GENERATION);
    w.v[4] = Row(core::array::from_fn(|l| at(l as u64) as u32));
    for n in 16..20 {
        w.v[n] = Row([0xdead_0000 + n as u32; 64]);
    }
    w.set_exec(exec);
    let inst = (GENERATION.decode)(GENERATION, [0xd800_0201 | number << 17, 0x1000_0004]).expect("decodes");
    let mut g = group(&memory, LDS);
    g.lds.iter_mut().zip(0u32..).for_each(|(byte, n)| *byte = (n.wrapping_mul(0x9e37_79b1) >> 24) as u8);
    let flow = if fast { common::call(&inst, &mut w, &mut g) } else { (inst.general)(&mut w, &mut g, &inst) };
    if flow == Flow::Next {
        for l in 0..64 {
            for (k, offset) in
                READS.iter().find(|read| read.0 == number).expect("listed").1.iter().enumerate()
            {
                let from = (at(l) + offset) as usize;
                let word = u32::from_le_bytes(g.lds[from..from + 4].try_into().expect("4 bytes"));
                let expected = if exec >> l & 1 != 0 { word } else { 0xdead_0010 + k as u32 };
                assert_eq!(w.v[16 + k].0[l as usize], expected, "{} lane {l} dword {k}", inst.op.name);
            }
        }
    }
    (w, flow)
}

#[test]
fn every_pattern_reads_what_each_lane_addresses() {
    for (number, offsets) in READS {
        let size = if number == 55 || number == 56 { 4 } else { 4 * offsets.len() as u64 };
        for (name, at) in patterns(size) {
            for exec in [!0, 1, 1 << 63, 0xaaaa_aaaa_aaaa_aaaa, 0x0000_ffff_ff00_0000, 0xfe, 0] {
                for fast in [false, true] {
                    assert_eq!(run(number, fast, exec, &at).1, Flow::Next, "{name}");
                }
            }
        }
    }
}

#[test]
fn lanes_out_of_range_stop_the_wave_and_others_do_not() {
    for (number, _) in READS {
        for wild in [LDS as u64 - 3, 0xffff_0000, 0x8000_0000] {
            let at = |l| if l == 37 { wild } else { 4 * l };
            for fast in [false, true] {
                let (w, flow) = run(number, fast, !0, &at);
                let trap = w.trap.as_ref().filter(|_| flow == Flow::Trap).expect("out of range");
                assert_eq!(trap.lane, Some(37));
                assert!(
                    matches!(trap.kind, TrapKind::OutOfAperture { segment: "LDS", .. }),
                    "{:?}",
                    trap.kind
                );
            }
        }
    }
}
