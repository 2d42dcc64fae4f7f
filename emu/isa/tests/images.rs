//! Image instructions, as assembled instructions: every kind of linear image, loads, stores, samples and gathers, with
//! every way of addressing.

mod common;

use std::sync::Arc;

use amdgpu_isa::{CodeCache, CodeView, Stop, TrapKind, Wave, gens, run};
use common::{Memory, Random, assemble, group, wave};

const CODE: u64 = 0x7f00_0000_0000;
const DATA: u64 = 0x7f00_1000_0000;
const BYTES: usize = 0x8000;

/// Kinds of images by `TYPE`, how many coordinates have a side, and whether one is a layer.
const KINDS: [(u32, usize, bool); 5] =
    [(8, 1, false), (9, 2, false), (10, 3, false), (12, 1, true), (13, 2, true)];
/// Columns, rows, layers, and elements from row to row.
const SIDES: [u32; 3] = [11, 6, 4];
const PITCH: u32 = 16;
/// `SQ_TEX_CLAMP`: wrap, mirror, last element, border.
const CLAMPS: [u32; 4] = [0, 1, 2, 6];

const FLOAT_32: (u32, u32) = (4, 7);
const UINT_32: (u32, u32) = (4, 4);
const UNORM_8X4: (u32, u32) = (10, 0);
const SRGB_8X4: (u32, u32) = (10, 9);
/// `DST_SEL` of one component that is stored, and of four.
const RED: u32 = 0o1004;
const ALL: u32 = 0o7654;

fn sides(dimensions: usize, is_array: bool) -> [u32; 3] {
    let [x, y, z] = SIDES;
    [x, if dimensions > 1 { y } else { 1 }, if dimensions > 2 || is_array { z } else { 1 }]
}

fn image(kind: u32, (data, number): (u32, u32), select: u32, [x, y, z]: [u32; 3]) -> [u32; 8] {
    let base = DATA >> 8;
    [
        base as u32,
        (base >> 32) as u32 | data << 20 | number << 26,
        (x - 1) | (y - 1) << 14,
        select | kind << 28,
        (z - 1) | (PITCH - 1) << 13,
        0,
        0,
        0,
    ]
}

struct Machine {
    memory: Memory,
}

impl Machine {
    fn new(source: &str) -> Machine {
        let mut memory = Memory::new();
        memory.add(CODE, 0x1000, false).add(DATA, BYTES, true);
        memory.put_words(CODE, &assemble("gfx906", &format!("{source}\ns_endpgm")));
        Machine { memory }
    }

    fn run(&mut self, image: [u32; 8], sampler: [u32; 4], coordinates: &[[u32; 64]]) -> (Wave, Stop) {
        let generation = gens::by_processor("gfx906").expect("known");
        let mut w = wave(generation);
        w.pc = CODE;
        w.s[8..16].copy_from_slice(&image);
        w.s[16..20].copy_from_slice(&sampler);
        for (row, values) in w.v[4..].iter_mut().zip(coordinates) {
            row.0 = *values;
        }
        let mut g = group(&self.memory, 256);
        let mut code = CodeView::new(Arc::new(CodeCache::new(generation)));
        let stop = run(&mut w, &mut g, &mut code, 1000);
        (w, stop)
    }
}

/// The word of an element, which tells where it is.
fn word(at: [i64; 3], sides: [u32; 3]) -> u32 {
    let row = at[2] * i64::from(sides[1]) + at[1];
    (row * i64::from(PITCH) + at[0]) as u32
}

fn is_inside(at: [i64; 3], sides: [u32; 3]) -> bool {
    at.iter().zip(sides).all(|(at, side)| (0..i64::from(side)).contains(at))
}

/// Elements whose number is that of their place.
fn numbered(memory: &mut Memory, number: impl Fn(u32) -> u32) {
    let words: Vec<u32> = (0..BYTES as u32 / 4).map(number).collect();
    memory.put_words(DATA, &words);
}

/// Coordinates of each lane, in the image and beyond it; those that the kind lacks are 0.
fn places(r: &mut Random, dimensions: usize, is_array: bool, beyond: i64) -> Vec<[i64; 3]> {
    let all = sides(dimensions, is_array);
    let lane = |r: &mut Random| {
        core::array::from_fn(|d| {
            let has = d < dimensions || d == 2 && is_array;
            let span = i64::from(all[d]) + 2 * beyond;
            if has { i64::from(r.below(span as u32)) - beyond } else { 0 }
        })
    };
    (0..64).map(|_| lane(r)).collect()
}

/// What the registers hold, a coordinate after the other; the layer comes last.
fn registers(places: &[[i64; 3]], dimensions: usize, is_array: bool) -> Vec<[u32; 64]> {
    let of = |d: usize| core::array::from_fn(|l| places[l][d] as u32);
    (0..dimensions).chain(is_array.then_some(2)).map(of).collect()
}

fn da(is_array: bool) -> &'static str {
    if is_array { " da" } else { "" }
}

#[test]
fn loads_find_the_element_and_zeros_beyond_the_image() {
    let mut r = Random(1);
    for (kind, dimensions, is_array) in KINDS {
        let source = format!("image_load v0, v[4:7], s[8:15] dmask:0x1 unorm{}", da(is_array));
        let mut machine = Machine::new(&source);
        numbered(&mut machine.memory, |at| at + 1000);
        let all = sides(dimensions, is_array);
        let places = places(&mut r, dimensions, is_array, 2);
        let (w, stop) =
            machine.run(image(kind, UINT_32, RED, all), [0; 4], &registers(&places, dimensions, is_array));
        assert!(matches!(stop, Stop::End), "{kind}: {stop:?}");
        for (l, at) in places.iter().enumerate() {
            let expected = if is_inside(*at, all) { word(*at, all) + 1000 } else { 0 };
            assert_eq!(w.v[0].0[l], expected, "{kind} at {at:?}");
        }
    }
}

#[test]
fn stores_write_the_element_and_nothing_beyond_the_image() {
    let mut r = Random(2);
    for (kind, dimensions, is_array) in KINDS {
        let source = format!("image_store v8, v[4:7], s[8:15] dmask:0x1 unorm{}", da(is_array));
        let mut machine = Machine::new(&source);
        let all = sides(dimensions, is_array);
        let places = places(&mut r, dimensions, is_array, 2);
        let mut rows = registers(&places, dimensions, is_array);
        rows.resize(4, [0; 64]);
        rows.push(core::array::from_fn(|l| l as u32 + 1));
        let (_, stop) = machine.run(image(kind, UINT_32, RED, all), [0; 4], &rows);
        assert!(matches!(stop, Stop::End), "{kind}: {stop:?}");
        let mut expected = vec![0; BYTES / 4];
        for (l, at) in places.iter().enumerate().filter(|(_, at)| is_inside(**at, all)) {
            expected[word(*at, all) as usize] = l as u32 + 1;
        }
        assert_eq!(machine.memory.words(DATA, BYTES / 4), expected, "{kind}");
    }
}

#[test]
fn components_have_the_registers_that_the_mask_gives_them() {
    for mask in 1..16u32 {
        let registers = ["v0", "v[0:1]", "v[0:2]", "v[0:3]"][mask.count_ones() as usize - 1];
        let source = format!("image_load {registers}, v4, s[8:15] dmask:{mask:#x} unorm");
        let mut machine = Machine::new(&source);
        numbered(&mut machine.memory, |at| {
            (at * 4) | ((at * 4 + 1) << 8) | ((at * 4 + 2) << 16) | ((at * 4 + 3) << 24)
        });
        let lanes = core::array::from_fn(|l| l as u32 % 11);
        let (w, _) = machine.run(image(8, UNORM_8X4, ALL, [11, 1, 1]), [0; 4], &[lanes]);
        let chosen: Vec<u32> = (0..4).filter(|k| mask >> k & 1 != 0).collect();
        for (register, k) in chosen.iter().enumerate() {
            for l in 0..64 {
                let expected = ((l % 11 * 4 + k) as f32 / 255.0).to_bits();
                assert_eq!(w.v[register].0[l as usize], expected, "component {k} of mask {mask:#x}");
            }
        }
    }
}

#[test]
fn srgb_numbers_become_linear_and_alpha_does_not() {
    let mut machine = Machine::new("image_load v[0:3], v4, s[8:15] dmask:0xf unorm");
    numbered(&mut machine.memory, |at| (at & 63) * 0x0303_0303);
    let (w, _) =
        machine.run(image(8, SRGB_8X4, ALL, [64, 1, 1]), [0; 4], &[core::array::from_fn(|l| l as u32)]);
    for l in 0..64 {
        let stored = (l * 3) as f64 / 255.0;
        let linear = if stored <= 0.04045 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) };
        assert!((f64::from(f32::from_bits(w.v[0].0[l])) - linear).abs() < 1e-6, "{l}");
        assert!((f64::from(f32::from_bits(w.v[3].0[l])) - stored).abs() < 1e-6, "{l}");
    }
}

#[test]
fn an_image_tells_its_sides() {
    for (kind, dimensions, is_array) in KINDS {
        let mut machine =
            Machine::new(&format!("image_get_resinfo v[0:3], v4, s[8:15] dmask:0xf unorm{}", da(is_array)));
        let all = sides(dimensions, is_array);
        let (w, _) = machine.run(image(kind, FLOAT_32, RED, all), [0; 4], &[[0; 64]]);
        assert_eq!([0, 1, 2].map(|k| w.v[k].0[5]), all, "{kind}");
    }
}

/// Where an element beyond the side is, by the definition of a way to address; `None` on the border.
fn bring_in(clamp: u32, at: i64, side: u32) -> Option<i64> {
    let side = i64::from(side);
    let mut at = at;
    match clamp {
        0 => {
            while at < 0 {
                at += side;
            }
            while at >= side {
                at -= side;
            }
        }
        1 => {
            while !(0..side).contains(&at) {
                at = if at < 0 { -1 - at } else { 2 * side - 1 - at };
            }
        }
        2 => at = at.clamp(0, side - 1),
        _ if !(0..side).contains(&at) => return None,
        _ => {}
    }
    Some(at)
}

/// The value of an element that is sampled.
fn element(clamp: u32, at: [i64; 3], dimensions: usize, all: [u32; 3], border: f64) -> f64 {
    let mut inside = at;
    for d in 0..dimensions {
        match bring_in(clamp, at[d], all[d]) {
            Some(at) => inside[d] = at,
            None => return border,
        }
    }
    f64::from(word(inside, all))
}

struct Sampled {
    clamp: u32,
    linear: bool,
    unnormalised: bool,
}

/// Samples of all kinds of images in one way; coordinates are in 16ths of an element, and none lies between two elements.
fn samples(r: &mut Random, how: &Sampled) {
    let Sampled { clamp, linear, unnormalised } = *how;
    for (kind, dimensions, is_array) in KINDS {
        let mut machine =
            Machine::new(&format!("image_sample v0, v[4:7], s[8:15], s[16:19] dmask:0x1{}", da(is_array)));
        numbered(&mut machine.memory, |at| (at as f32).to_bits());
        let all = sides(dimensions, is_array);
        let lanes: Vec<[f64; 3]> = (0..64)
            .map(|_| {
                core::array::from_fn(|d| match d {
                    2 if is_array => f64::from(r.below(all[2])),
                    d if d < dimensions => {
                        f64::from(r.below(all[d] * 48)) / 16.0 - f64::from(all[d]) + 1.0 / 32.0
                    }
                    _ => 0.0,
                })
            })
            .collect();
        let row = |d: usize| -> [u32; 64] {
            core::array::from_fn(|l| {
                let scale = if unnormalised || d == 2 && is_array { 1.0 } else { f64::from(all[d]) };
                ((lanes[l][d] / scale) as f32).to_bits()
            })
        };
        let rows: Vec<_> = (0..dimensions).chain(is_array.then_some(2)).map(row).collect();
        let sampler = [
            clamp | clamp << 3 | clamp << 6 | u32::from(unnormalised) << 15,
            0,
            (u32::from(linear) * 5) << 20,
            0,
        ];
        let (w, stop) = machine.run(image(kind, FLOAT_32, RED, all), sampler, &rows);
        assert!(matches!(stop, Stop::End), "{kind}: {stop:?}");
        for (l, at) in lanes.iter().enumerate() {
            let layer = if is_array { at[2] as i64 } else { 0 };
            let expected = if linear {
                let first = at.map(|x| x - 0.5);
                (0..1u32 << dimensions)
                    .map(|corner| {
                        let (mut place, mut weight) = ([0, 0, layer], 1.0);
                        for d in 0..dimensions {
                            let (whole, part) = (first[d].floor(), first[d] - first[d].floor());
                            let further = corner >> d & 1;
                            place[d] = whole as i64 + i64::from(further);
                            weight *= if further == 1 { part } else { 1.0 - part };
                        }
                        weight * element(clamp, place, dimensions, all, 0.0)
                    })
                    .sum()
            } else {
                let mut place = at.map(|x| x.floor() as i64);
                place[2] = if is_array { layer } else { place[2] };
                element(clamp, place, dimensions, all, 0.0)
            };
            let found = f64::from(f32::from_bits(w.v[0].0[l]));
            // Filters count in steps of 1/256 of an element.
            let bound = if linear { 2.0 } else { 0.0 };
            assert!(
                (found - expected).abs() <= bound,
                "{kind} at {at:?}, clamp {clamp}: {found}, not {expected}"
            );
        }
    }
}

#[test]
fn samples_find_elements_by_every_way_to_address_them() {
    let mut r = Random(3);
    for clamp in CLAMPS {
        for linear in [false, true] {
            for unnormalised in [false, true] {
                samples(&mut r, &Sampled { clamp, linear, unnormalised });
            }
        }
    }
}

/// The device library hands over the lower edge of an element, as near as numbers of 32 bits come.
#[test]
fn the_nearest_element_is_found_from_just_below_it() {
    let mut machine = Machine::new("image_sample v0, v4, s[8:15], s[16:19] dmask:0x1");
    numbered(&mut machine.memory, |at| (at as f32).to_bits());
    let just_below: [u32; 64] =
        core::array::from_fn(|l| f32::from_bits((l as f32).to_bits().max(1) - 1).to_bits());
    for (truncates, behind) in [(0, 0), (1, 1)] {
        let sampler = [2 | 1 << 15 | truncates << 27, 0, 0, 0];
        let (w, _) = machine.run(image(8, FLOAT_32, RED, [64, 1, 1]), sampler, &[just_below]);
        for l in 1..64 {
            assert_eq!(f32::from_bits(w.v[0].0[l]), (l - behind) as f32, "truncates {truncates}");
        }
    }
}

#[test]
fn borders_have_their_colour() {
    for (border, colour) in [(0, [0.0; 4]), (1, [0.0, 0.0, 0.0, 1.0]), (2, [1.0; 4])] {
        let mut machine = Machine::new("image_sample v[0:3], v[4:5], s[8:15], s[16:19] dmask:0xf");
        let out = [[(-3.5f32).to_bits(); 64], [0.5f32.to_bits(); 64]];
        let sampler = [6 | 6 << 3 | 1 << 15, 0, 0, border << 30];
        let (w, _) = machine.run(image(9, UNORM_8X4, ALL, sides(2, false)), sampler, &out);
        assert_eq!([0, 1, 2, 3].map(|k| f32::from_bits(w.v[k].0[9])), colour, "{border}");
    }
}

#[test]
fn a_border_of_a_table_is_refused_by_name() {
    let mut machine = Machine::new("image_sample v0, v[4:5], s[8:15], s[16:19] dmask:0x1");
    let (_, stop) =
        machine.run(image(9, FLOAT_32, RED, sides(2, false)), [6, 0, 0, 3 << 30], &[[0; 64], [0; 64]]);
    let Stop::Trap(trap) = stop else { panic!("{stop:?}") };
    let TrapKind::NotImplemented { mnemonic, .. } = trap.kind else { panic!("{:?}", trap.kind) };
    assert!(mnemonic.contains("image_sample") && mnemonic.contains("border"), "{mnemonic}");
}

#[test]
fn gathers_take_one_component_of_four_elements() {
    let mut r = Random(4);
    for component in 0..4u32 {
        for clamp in CLAMPS {
            let mask = 1 << component;
            let mut machine =
                Machine::new(&format!("image_gather4_lz v[0:3], v[4:5], s[8:15], s[16:19] dmask:{mask:#x}"));
            numbered(&mut machine.memory, |at| (0..4).map(|k| ((at * 4 + k) & 255) << (8 * k)).sum::<u32>());
            let all = sides(2, false);
            let lanes: Vec<[f64; 2]> = (0..64)
                .map(|_| {
                    [0, 1].map(|d| f64::from(r.below(all[d] * 48)) / 16.0 - f64::from(all[d]) + 1.0 / 32.0)
                })
                .collect();
            let rows = [0, 1].map(|d| core::array::from_fn(|l| (lanes[l][d] as f32).to_bits()));
            let sampler = [clamp | clamp << 3 | 1 << 15, 0, 0, 0];
            let (w, stop) = machine.run(image(9, UNORM_8X4, ALL, all), sampler, &rows);
            assert!(matches!(stop, Stop::End), "{stop:?}");
            for (l, at) in lanes.iter().enumerate() {
                let [x, y] = at.map(|x| (x - 0.5).floor() as i64);
                for (register, place) in [[x, y + 1], [x + 1, y + 1], [x + 1, y], [x, y]].iter().enumerate() {
                    let inside = [0, 1].map(|d| bring_in(clamp, place[d], all[d]));
                    let expected = match inside {
                        [Some(x), Some(y)] => ((word([x, y, 0], all) * 4 + component) & 255) as f32 / 255.0,
                        _ => 0.0,
                    };
                    let found = f32::from_bits(w.v[register].0[l]);
                    assert_eq!(
                        found, expected,
                        "component {component}, clamp {clamp}, {at:?}, register {register}"
                    );
                }
            }
        }
    }
}
