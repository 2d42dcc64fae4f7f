//! Instructions print as LLVM prints them: every opcode of every encoding with operands of every kind, and random words.
//! Needs `llvm-objdump-19`.

mod common;
#[path = "text/llvm.rs"]
mod llvm;
#[path = "text/words.rs"]
mod words;

use std::collections::BTreeMap;

use amdgpu_isa::{Gen, gens};
use common::Random;

/// Chips of LLVM 19, one a generation.
const CHIPS: [&str; 5] = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"];

/// Kinds of differences, how often each was seen, and the first of it.
type Complaints = BTreeMap<String, (usize, String)>;

fn complain(complaints: &mut Complaints, kind: String, example: String) {
    complaints.entry(kind).or_insert_with(|| (0, example)).0 += 1;
}

/// What LLVM reads, unless it reads what the chip has not: a comment in its text, a special value as a destination, the
/// register of later generations that is none.
fn sound(reading: llvm::Reading) -> llvm::Reading {
    reading.filter(|(text, _)| {
        let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
        !text.contains("/*") && !text.contains("null") && !operands.starts_with("src_")
    })
}

/// What is printed for words, and the length of the instruction.
fn ours(generation: &'static Gen, words: [u32; 2]) -> llvm::Reading {
    let i = (generation.decode)(generation, words).ok()?;
    Some((i.text(generation).to_string(), i.size))
}

/// Prints the complaints and fails if there are any.
fn settle(complaints: &Complaints) {
    for (kind, (count, example)) in complaints {
        println!("{kind} ({count}): {example}");
    }
    assert!(complaints.is_empty(), "{} kinds of differences", complaints.len());
}

#[test]
fn prints_as_llvm_does() {
    let count = std::env::var("ROCRS_TEST_WORDS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let mut complaints = Complaints::new();
    let (mut compared, mut ours_alone) = (0, 0);
    for chip in CHIPS {
        let generation = gens::by_processor(chip).unwrap_or_else(|| panic!("{chip} is not known"));
        let cases = words::cases(generation, &mut Random(0x7e87), count);
        let all: Vec<[u32; 2]> = cases.iter().flat_map(|c| c.words.iter().copied()).collect();
        let mut readings = llvm::read(chip, &all).into_iter();
        for case in &cases {
            let (mut seen, mut accepted) = (0, 0);
            for w in &case.words {
                let Some(theirs) = readings.next().flatten() else { continue };
                let (ours, theirs) = (ours(generation, *w), sound(theirs));
                accepted += usize::from(ours.is_some());
                match (&ours, &theirs) {
                    (Some(a), Some(b)) if a == b => seen += 1,
                    (None, None) => {}
                    // Hardware ignores bits that an instruction has no use for; LLVM wants them zero.
                    (Some(_), None) => ours_alone += 1,
                    (a, b) => {
                        let example = format!("{:08x} {:08x} ours {a:?} theirs {b:?}", w[0], w[1]);
                        complain(&mut complaints, format!("{chip} {}", case.name), example);
                    }
                }
            }
            compared += seen;
            // LLVM does not know this one for some chips; the manuals do.
            if seen == 0 && accepted != 0 && case.name != "DS ds_ordered_count" {
                complain(&mut complaints, format!("{chip} {}: never compared", case.name), String::new());
            }
        }
    }
    println!("{compared} equal; {ours_alone} that LLVM refuses");
    settle(&complaints);
}

/// The encodings, as the bits that name them.
const PREFIXES: [u32; 12] = [
    0x0000_0000,
    0x7c00_0000,
    0x7e00_0000,
    0x8000_0000,
    0xb000_0000,
    0xc000_0000,
    0xd000_0000,
    0xd380_0000,
    0xd800_0000,
    0xdc00_0000,
    0xe000_0000,
    0xe800_0000,
];

#[test]
fn random_words_print_as_llvm_does() {
    let count =
        std::env::var("ROCRS_TEST_WORDS").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(40) * 500;
    let mut complaints = Complaints::new();
    let mut compared = 0;
    for chip in CHIPS {
        let generation = gens::by_processor(chip).unwrap_or_else(|| panic!("{chip} is not known"));
        let mut r = Random(0xacc1de47);
        let all: Vec<[u32; 2]> = (0..count)
            .map(|n| {
                // Anything at all, or anything in an encoding.
                let w = if n % 4 == 0 { r.word() } else { r.pick(&PREFIXES) | r.word() & 0x03ff_ffff };
                [w, r.word()]
            })
            .filter(|w| !is_graphics(*w) && !is_nop_with_operands(*w))
            .collect();
        for (w, theirs) in all.iter().zip(llvm::read(chip, &all)) {
            let Some(Some(theirs)) = theirs.map(sound) else { continue };
            let ours = ours(generation, *w);
            compared += 1;
            if ours.as_ref() != Some(&theirs) {
                let mnemonic = theirs.0.split(' ').next().unwrap_or_default();
                let example = format!("{:08x} {:08x} ours {ours:?} theirs {theirs:?}", w[0], w[1]);
                complain(&mut complaints, format!("{chip} {mnemonic}"), example);
            }
        }
    }
    println!("{compared} equal; of random words");
    settle(&complaints);
}

/// VINTRP, EXP, MIMG, and the interpolations of VOP3: no kernel has them.
fn is_graphics([w, _]: [u32; 2]) -> bool {
    matches!(w >> 26, 0b110101 | 0b110001 | 0b111100) || (0xd270..=0xd277).contains(&(w >> 16))
}

/// `v_nop` and `v_clrexcp` with a source: LLVM takes some of them for SDWA and DPP, and some not.
fn is_nop_with_operands([w, _]: [u32; 2]) -> bool {
    w & 0xffff_fe00 == 0x7e00_0000 || w & 0xffff_fe00 == 0x7e00_6a00
}

/// What LLVM 19 does not know: `tests/text/gfx950.txt`.
#[test]
fn cdna4_prints_as_newer_versions_read_it() {
    let generation = gens::by_processor("gfx950").expect("known");
    let mut count = 0;
    for line in include_str!("text/gfx950.txt").lines().filter(|line| !line.starts_with('#')) {
        let (words, text) = line.split_at(17);
        let words: Vec<u32> =
            words.split_whitespace().map(|w| u32::from_str_radix(w, 16).expect("hexadecimal")).collect();
        let expected = (text.trim().to_owned(), 4 * words.len() as u8);
        let pair = [words[0], words.get(1).copied().unwrap_or(0)];
        assert_eq!(ours(generation, pair), Some(expected), "{line}");
        count += 1;
    }
    assert!(count > 100);
}
