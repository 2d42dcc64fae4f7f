//! Buffer accesses that convert, as assembled instructions: every data format with every number format.

#![allow(clippy::needless_range_loop, reason = "components have registers, bits and values by number")]

mod common;

use std::sync::Arc;

use amdgpu_isa::{CodeCache, CodeView, Gen, Stop, TrapKind, Wave, gens, run};
use common::{Memory, Random, assemble, group, wave};

const CODE: u64 = 0x7f00_0000_0000;
const DATA: u64 = 0x7f00_1000_0000;

/// Name, bits of the components from the lowest on, number.
const DATA_FORMATS: [(&str, &[u32], u32); 14] = [
    ("8", &[8], 1),
    ("16", &[16], 2),
    ("8_8", &[8, 8], 3),
    ("32", &[32], 4),
    ("16_16", &[16, 16], 5),
    ("10_11_11", &[11, 11, 10], 6),
    ("11_11_10", &[10, 11, 11], 7),
    ("10_10_10_2", &[2, 10, 10, 10], 8),
    ("2_10_10_10", &[10, 10, 10, 2], 9),
    ("8_8_8_8", &[8, 8, 8, 8], 10),
    ("32_32", &[32, 32], 11),
    ("16_16_16_16", &[16, 16, 16, 16], 12),
    ("32_32_32", &[32, 32, 32], 13),
    ("32_32_32_32", &[32, 32, 32, 32], 14),
];
const NUMBER_FORMATS: [(&str, u32); 7] =
    [("UNORM", 0), ("SNORM", 1), ("USCALED", 2), ("SSCALED", 3), ("UINT", 4), ("SINT", 5), ("FLOAT", 7)];

fn exists(data: &str, bits: &[u32], number: &str) -> bool {
    match number {
        "UINT" | "SINT" => true,
        "FLOAT" => matches!(bits[0], 16 | 32) || matches!(data, "10_11_11" | "11_11_10"),
        _ => bits[0] != 32,
    }
}

struct Machine {
    generation: &'static Gen,
    memory: Memory,
}

impl Machine {
    fn new(processor: &str, source: &str) -> Machine {
        let mut memory = Memory::new();
        memory.add(CODE, 0x1000, false).add(DATA, 0x4000, true);
        memory.put_words(CODE, &assemble(processor, source));
        Machine { generation: gens::by_processor(processor).expect("known"), memory }
    }

    /// Runs with a buffer of elements of `stride` bytes whose last word is `word3`; lane `l` has element `l`.
    fn run(&mut self, stride: u32, word3: u32, prepare: impl Fn(&mut Wave)) -> (Wave, Stop) {
        let mut w = wave(self.generation);
        w.pc = CODE;
        w.v[0].0 = core::array::from_fn(|l| l as u32);
        let words = [DATA as u32, (DATA >> 32) as u32 | stride << 16, 60, word3];
        w.s[4..8].copy_from_slice(&words);
        prepare(&mut w);
        let mut g = group(&self.memory, 256);
        let mut code = CodeView::new(Arc::new(CodeCache::new(self.generation)));
        let stop = run(&mut w, &mut g, &mut code, 1000);
        (w, stop)
    }
}

/// A component's value by the definition of its format; integers as they are.
fn value(number: &str, bits: u32, raw: u64) -> f64 {
    let signed = (raw << (64 - bits)) as i64 >> (64 - bits);
    let half = |exponent: u64, fraction: u64, width: u32| match exponent {
        31 if fraction != 0 => f64::NAN,
        31 => f64::INFINITY,
        0 => fraction as f64 * 2f64.powi(-14 - width as i32),
        e => (1.0 + fraction as f64 / 2f64.powi(width as i32)) * 2f64.powi(e as i32 - 15),
    };
    match number {
        "UNORM" => raw as f64 / ((1u64 << bits) - 1) as f64,
        "SNORM" => (signed as f64 / ((1u64 << (bits - 1)) - 1) as f64).max(-1.0),
        "USCALED" | "UINT" => raw as f64,
        "SSCALED" | "SINT" => signed as f64,
        _ => match bits {
            32 => f64::from(f32::from_bits(raw as u32)),
            16 => half(raw >> 10 & 31, raw & 0x3ff, 10) * if raw >> 15 != 0 { -1.0 } else { 1.0 },
            11 => half(raw >> 6, raw & 63, 6),
            _ => half(raw >> 5, raw & 31, 5),
        },
    }
}

/// Elements of random bits; the ends of components are frequent.
fn fill(memory: &mut Memory, bits: &[u32], r: &mut Random) -> Vec<Vec<u64>> {
    let bytes = bits.iter().sum::<u32>() as usize / 8;
    (0..64)
        .map(|l| {
            let components: Vec<u64> = bits
                .iter()
                .map(|bits| {
                    let ones = (1u64 << bits) - 1;
                    match r.below(6) {
                        0 => 0,
                        1 => ones,
                        2 => ones / 2,
                        3 => ones / 2 + 1,
                        _ => r.next() & ones,
                    }
                })
                .collect();
            let (mut all, mut at) = (0u128, 0);
            for (x, bits) in components.iter().zip(bits) {
                all |= u128::from(*x) << at;
                at += bits;
            }
            memory.bytes(DATA + (l * bytes) as u64, bytes).copy_from_slice(&all.to_le_bytes()[..bytes]);
            components
        })
        .collect()
}

/// The bits that a register of 32 or 16 bits has.
fn register(number: &str, bits: u32, raw: u64, halves: bool) -> u32 {
    let x = value(number, bits, raw);
    match number {
        "UINT" | "SINT" if halves => x as i64 as u32 & 0xffff,
        "UINT" | "SINT" => x as i64 as u32,
        _ if halves => u32::from(nearest_half(x as f32)),
        "FLOAT" if bits == 32 => raw as u32,
        _ => (x as f32).to_bits(),
    }
}

/// The nearest half, found by looking at those that are near; ties to even.
fn nearest_half(x: f32) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    if x.is_nan() {
        return sign | 0x7e00;
    }
    let x = f64::from(x.abs());
    if x >= 65520.0 {
        return sign | 0x7c00;
    }
    let of = |h: u16| if h == 0x7c00 { 65536.0 } else { value("FLOAT", 16, u64::from(h)) };
    let (mut low, mut high) = (0u16, 0x7bff);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if of(middle) <= x { low = middle } else { high = middle - 1 }
    }
    let (below, above) = (x - of(low), of(low + 1) - x);
    sign | if below > above || below == above && low % 2 == 1 { low + 1 } else { low }
}

fn same(found: u32, expected: u32, halves: bool) -> bool {
    let is_nan = |x: u32| if halves { x & 0x7fff > 0x7c00 } else { f32::from_bits(x).is_nan() };
    found == expected || is_nan(found) && is_nan(expected)
}

#[test]
fn every_format_loads_and_stores() {
    let mut r = Random(0x5eed);
    for (data, bits, data_number) in DATA_FORMATS {
        for (number, number_number) in NUMBER_FORMATS {
            let format = format!("format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}]");
            let bytes = bits.iter().sum::<u32>() / 8;
            // DST_SEL takes the components in order.
            let word3 = 0o7654 | number_number << 12 | data_number << 15;
            for typed in [false, true] {
                let (prefix, format) = if typed { ("t", format.as_str()) } else { ("", "") };
                let source = format!(
                    "{prefix}buffer_load_format_xyzw v[4:7], v0, s[4:7], 0 {format} idxen
                     {prefix}buffer_load_format_d16_xyzw v[8:9], v0, s[4:7], 0 {format} idxen
                     {prefix}buffer_store_format_xyzw v[4:7], v0, s[4:7], 0 {format} idxen offset:2048
                     s_endpgm"
                );
                let mut machine = Machine::new("gfx90a", &source);
                let components = fill(&mut machine.memory, bits, &mut r);
                let (w, stop) = machine.run(bytes, word3, |_| ());
                if !exists(data, bits, number) {
                    let Stop::Trap(trap) = stop else { panic!("{data} {number}: {stop:?}") };
                    assert!(matches!(&trap.kind, TrapKind::NotImplemented { .. }), "{}", trap.kind);
                    continue;
                }
                assert!(matches!(stop, Stop::End), "{data} {number}: {stop:?}");
                for (l, components) in components.iter().enumerate().take(60) {
                    for k in 0..4 {
                        let place = format!("{data} {number} {components:x?}, component {k}, typed: {typed}");
                        let missing = if !typed || k != 3 {
                            (0, 0)
                        } else if number.ends_with("INT") {
                            (1, 1)
                        } else {
                            (0x3f80_0000, 0x3c00)
                        };
                        let (full, half) = match components.get(k) {
                            Some(&x) => {
                                (register(number, bits[k], x, false), register(number, bits[k], x, true))
                            }
                            None => missing,
                        };
                        let found = w.v[4 + k].0[l];
                        assert!(same(found, full, false), "{place}: {found:#x}, not {full:#x}");
                        let found = w.v[8 + k / 2].0[l] >> (16 * (k % 2)) & 0xffff;
                        assert!(same(found, half, true), "{place}, 16 bits: {found:#x}, not {half:#x}");
                    }
                }
                // What was loaded comes out again, but for the second lowest value of `SNORM` and payloads of NaNs.
                let bytes = bytes as usize;
                for (l, components) in components.iter().enumerate().take(60) {
                    let stored = machine.memory.bytes(DATA + 2048 + (l * bytes) as u64, bytes);
                    let mut all = stored.iter().rev().fold(0u128, |all, b| all << 8 | u128::from(*b));
                    for (&x, &bits) in components.iter().zip(bits) {
                        let ones = (1u128 << bits) - 1;
                        let found = (all & ones) as u64;
                        all >>= bits;
                        let lowest = number == "SNORM" && x == 1 << (bits - 1);
                        let nan = value(number, bits, x).is_nan();
                        let expected = if lowest { x + 1 } else { x };
                        let both = nan && value(number, bits, found).is_nan();
                        assert!(both || found == expected, "{data} {number}: {x:x} came out as {found:x}");
                    }
                }
                // Behind the last record nothing is read, and nothing written.
                assert_eq!(w.v[4].0[60..], [0; 4], "{data} {number}");
                let beyond = machine.memory.bytes(DATA + 2048 + (60 * bytes) as u64, bytes);
                assert_eq!(beyond, vec![0; bytes], "{data} {number}");
            }
        }
    }
}

/// Values that do not fit are kept inside; what lies between two values goes to the nearer one.
#[test]
fn stores_round_and_clamp() {
    let cases: [(&str, &str, f32, u32); 16] = [
        ("8", "UNORM", 2.0, 255),
        ("8", "UNORM", -1.0, 0),
        ("8", "UNORM", f32::NAN, 0),
        ("8", "UNORM", 0.5, 128),
        ("8", "SNORM", -7.0, 0x81),
        ("8", "SNORM", 0.5, 64),
        ("16", "UNORM", 1.0, 0xffff),
        ("16", "SSCALED", -40000.0, 0x8000),
        ("16", "SSCALED", -2.0, 0xfffe),
        ("8", "USCALED", 300.0, 255),
        ("8", "UINT", f32::from_bits(300), 255),
        ("8", "SINT", f32::from_bits(-300i32 as u32), 0x80),
        ("8", "SINT", f32::from_bits(-3i32 as u32), 0xfd),
        ("16", "FLOAT", 1.0 + 1.0 / 2048.0, 0x3c00),
        ("16", "FLOAT", 1e9, 0x7c00),
        ("16", "FLOAT", -2.0, 0xc000),
    ];
    for (data, number, x, expected) in cases {
        let source = format!(
            "tbuffer_store_format_x v1, v0, s[4:7], 0 format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}] idxen
             s_endpgm"
        );
        let mut machine = Machine::new("gfx900", &source);
        let (_, stop) = machine.run(4, 0, |w| w.v[1].0 = [x.to_bits(); 64]);
        assert!(matches!(stop, Stop::End), "{stop:?}");
        assert_eq!(machine.memory.words(DATA, 1), [expected], "{data} {number} {x}");
    }
    // Three small floats: rounded, infinite, below zero.
    let source = "tbuffer_store_format_xyz v[1:3], v0, s[4:7], 0 format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT] idxen
         s_endpgm";
    let mut machine = Machine::new("gfx908", source);
    let (_, stop) = machine.run(4, 0, |w| {
        w.v[1].0 = [(1.0f32 + 3.0 / 128.0).to_bits(); 64];
        w.v[2].0 = [1e9f32.to_bits(); 64];
        w.v[3].0 = [(-4.0f32).to_bits(); 64];
    });
    assert!(matches!(stop, Stop::End), "{stop:?}");
    assert_eq!(machine.memory.words(DATA, 1), [(15 << 6 | 2) | (31 << 6) << 11]);
}

/// Components that the instruction has no register for stay as they are, where they have bytes of their own; halves
/// that no component goes to too.
#[test]
fn parts_of_elements() {
    let mut machine = Machine::new(
        "gfx908",
        "tbuffer_store_format_xy v[1:2], v0, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] idxen
         tbuffer_store_format_d16_x v1, v0, s[4:7], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_SINT] idxen offset:1024
         buffer_load_format_d16_x v3, v0, s[4:7], 0 idxen
         buffer_load_format_d16_hi_x v4, v0, s[4:7], 0 idxen
         buffer_store_format_d16_hi_x v5, v0, s[4:7], 0 idxen offset:2048
         tbuffer_store_format_x v1, v0, s[4:7], 0 format:[BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_UINT] idxen
         s_endpgm",
    );
    machine.memory.put_words(DATA, &[0xaabb_ccdd; 1024]);
    // The descriptor: one byte as an unsigned integer, first component.
    let (w, stop) = machine.run(4, 4 | 4 << 12 | 1 << 15, |w| {
        w.v[1].0 = [0x11; 64];
        w.v[2].0 = [0x22; 64];
        (w.v[3].0, w.v[4].0) = ([0x7777_7777; 64], [0x7777_7777; 64]);
        w.v[5].0 = [0x0033_0044; 64];
    });
    let Stop::Trap(trap) = stop else { panic!("{stop:?}") };
    assert!(
        trap.kind.to_string().contains("tbuffer_store_format_x of a part of a packed element"),
        "{}",
        trap.kind
    );
    assert_eq!(machine.memory.words(DATA, 1), [0xaabb_2211]);
    assert_eq!(machine.memory.words(DATA + 1024, 1), [0xaabb_0011]);
    assert_eq!(machine.memory.words(DATA + 2048, 1), [0xaabb_cc33]);
    assert_eq!((w.v[3].0[0], w.v[4].0[0]), (0x7777_0011, 0x0011_7777));
}

/// The descriptor chooses components, zero or one.
#[test]
fn components_are_chosen() {
    let mut machine = Machine::new("gfx90a", "buffer_load_format_xyzw v[4:7], v0, s[4:7], 0 idxen\ns_endpgm");
    machine.memory.put_words(DATA, &[0x4433_2211; 64]);
    for (select, expected) in
        [(0o7654, [0x11, 0x22, 0x33, 0x44]), (0o4567, [0x44, 0x33, 0x22, 0x11]), (0o1055, [0x22, 0x22, 0, 1])]
    {
        let (w, stop) = machine.run(4, select | 4 << 12 | 10 << 15, |_| ());
        assert!(matches!(stop, Stop::End), "{stop:?}");
        assert_eq!([4, 5, 6, 7].map(|n| w.v[n].0[5]), expected, "{select:o}");
    }
}

/// `LDS[A] = op(LDS[A], LDS[B])`, and a store of what lies in LDS.
#[test]
fn lds_to_lds_and_memory() {
    let mut machine = Machine::new(
        "gfx906",
        "s_mov_b32 m0, 0xffff
         v_lshlrev_b32_e32 v1, 2, v0
         ds_write_b32 v1, v0
         v_cmp_gt_u32_e32 vcc, 4, v0
         s_and_saveexec_b64 s[10:11], vcc
         ds_add_src2_u32 v1 offset:8
         ds_rsub_src2_u32 v2
         s_mov_b64 exec, s[10:11]
         v_lshlrev_b32_e32 v3, 3, v0
         v_cmp_eq_u32_e32 vcc, 20, v0
         s_and_b64 exec, exec, vcc
         ds_write_src2_b64 v3 offset:32752
         s_mov_b64 exec, s[10:11]
         s_mov_b32 m0, 0
         buffer_store_lds_dword s[4:7], 0 lds
         s_endpgm",
    );
    // No offset register: the buffer adds the lane's number by itself.
    let (w, stop) = machine.run(4, 1 << 23, |w| {
        // Bit 15 of the offset is not set above: v2 is an address with a distance of zero.
        w.v[2].0 = core::array::from_fn(|l| 80 + 4 * l as u32);
    });
    assert!(matches!(stop, Stop::End), "{stop:?} {}", w.pc);
    let mut expected: Vec<u32> = (0..64).collect();
    for l in 0..4 {
        expected[l] += expected[l + 8];
    }
    // Each of those took itself from itself.
    expected[20..24].fill(0);
    // A pair took the one 16 dwords before: 32752 is -16 in 15 bits.
    expected.copy_within(24..26, 40);
    assert_eq!(machine.memory.words(DATA, 60), expected[..60]);
}
