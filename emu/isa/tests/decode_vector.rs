//! Vector instructions decode as LLVM's disassembler reads them: same mnemonic, same length, and what it rejects is
//! rejected. Needs `llvm-mc-19`.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use amdgpu_isa::{Extension, Format, Gen, gens};
use common::Random;
use common::vector::vector_words;

/// What LLVM reads at the start of a pair of words: mnemonic without encoding suffix, and bytes; or nothing.
type Reading = Option<(String, usize)>;

/// LLVM's readings of all words. Some words crash it: they are found by halving, and count as not read.
fn llvm(chip: &str, words: &[[u32; 2]]) -> Vec<Option<Reading>> {
    // Without it every word would look like one that LLVM crashes on.
    if let Err(error) = Command::new("llvm-mc-19").arg("--version").output() {
        panic!("llvm-mc-19: {error}; to install it: apt-get install -y llvm-19");
    }
    words.chunks(200).flat_map(|chunk| halving(chip, chunk)).collect()
}

fn halving(chip: &str, words: &[[u32; 2]]) -> Vec<Option<Reading>> {
    match once(chip, words) {
        Some(readings) => readings.into_iter().map(Some).collect(),
        None if words.len() == 1 => {
            println!("LLVM crashes on {:08x} {:08x}", words[0][0], words[0][1]);
            vec![None]
        }
        None => {
            let (a, b) = words.split_at(words.len() / 2);
            let mut out = halving(chip, a);
            out.extend(halving(chip, b));
            out
        }
    }
}

fn once(chip: &str, words: &[[u32; 2]]) -> Option<Vec<Reading>> {
    let mut input = String::new();
    for (n, pair) in words.iter().enumerate() {
        // A separator that carries the number: `s_nop n`. Padding ends what the second word may begin.
        let pad = 0xbf80_ffff;
        for w in [0xbf80_0000 | n as u32 & 0xffff, pair[0], pair[1], pad, pad, pad] {
            for b in w.to_le_bytes() {
                let _ = write!(input, "{b:#04x},");
            }
        }
        input.push('\n');
    }
    let mut child = Command::new("llvm-mc-19")
        .args(["-arch=amdgcn", "-disassemble", "-show-encoding"])
        .arg(format!("-mcpu={chip}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    // "<stdin>:line:column: warning: invalid instruction encoding", with the column of the byte: five characters each.
    let errors = String::from_utf8(output.stderr).ok()?;
    let rejected: std::collections::HashSet<usize> = errors
        .lines()
        .filter(|l| l.ends_with("invalid instruction encoding"))
        .filter_map(|l| l.strip_prefix("<stdin>:")?.split_once(":21: ")?.0.parse().ok())
        .collect();
    let mut out = vec![None; words.len()];
    let (mut current, mut fresh) = (usize::MAX, false);
    for line in text.lines() {
        let Some((asm, encoding)) = line.split_once("; encoding: [") else { continue };
        let bytes: Vec<u8> = encoding
            .trim_end_matches(']')
            .split(',')
            .filter_map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16).ok())
            .collect();
        let first = u32::from_le_bytes(*bytes.first_chunk::<4>()?);
        let mnemonic = asm.split_whitespace().next()?;
        let next = current.wrapping_add(1);
        if bytes.len() == 4 && next < words.len() && first == 0xbf80_0000 | next as u32 & 0xffff {
            (current, fresh) = (next, true);
        } else if fresh {
            fresh = false;
            if !rejected.contains(&(current + 1)) {
                let name = ["_e32", "_e64", "_sdwa", "_dpp"].iter().find_map(|s| mnemonic.strip_suffix(s));
                // LLVM shows its own encoding: a literal that is an inline constant has become one.
                let size = if first == words[current][0] { bytes.len() } else { 0 };
                out[current] = Some((name.unwrap_or(mnemonic).to_owned(), size));
            }
        }
    }
    assert_eq!(current, words.len() - 1, "lost the thread in LLVM's output:\n{text}");
    Some(out)
}

/// The words without modifiers and unused sources.
fn clean(generation: &'static Gen, w: [u32; 2]) -> [u32; 2] {
    let Ok(i) = (generation.decode)(generation, w) else { return w };
    let sources = i.op.src.len() - usize::from(i.op.traits.tied);
    let used = (1u32 << (9 * sources)) - 1;
    match (i.format, i.ext) {
        (Format::Vop3, _) if i.op.traits.carry_out => [w[0] & !0x8000, w[1] & used],
        (Format::Vop3, _) => [w[0] & !0xff00, w[1] & used],
        (Format::Vop3p, _) => [w[0] & !0xff00 | 0x4000, w[1] & used | 0x1800_0000],
        (Format::Vop1, Extension::Sdwa { .. }) => [w[0], w[1] & 0x0007_1fff],
        (Format::Vopc, Extension::Sdwa { .. }) => [w[0], w[1] & 0x0707_00ff],
        (_, Extension::Sdwa { .. }) => [w[0], w[1] & 0x0707_1fff],
        (_, Extension::Dpp { .. }) => [w[0], w[1] & 0xff0f_ffff],
        _ => w,
    }
}

/// Whether these are the words of a VOP1 or VOP2 with `row_newbcast`.
fn is_newbcast(w: [u32; 2]) -> bool {
    w[0] >> 31 == 0 && w[0] >> 25 != 0x3e && w[0] & 0x1ff == 250 && w[1] >> 12 & 0x1f == 0x15
}

/// Whether the destination is none of the scalar registers.
fn is_readfirstlane_to_a_constant(w: [u32; 2]) -> bool {
    w[0] >> 25 == 0x3f && w[0] >> 9 & 0xff == 2 && w[0] >> 24 & 1 != 0
}

#[test]
fn decodes_as_llvm_does() {
    let mut r = Random(0xdec0de);
    let mut complaints = BTreeMap::new();
    for chip in ["gfx90a", "gfx942", "gfx906", "gfx908", "gfx900"] {
        let Some(generation) = gens::by_processor(chip) else { panic!("{chip} is not known") };
        let words: Vec<[u32; 2]> = (0..8_000).map(|_| vector_words(&mut r)).collect();
        let expected = llvm(chip, &words);
        // Bits that an instruction has no use for are ignored by the hardware; LLVM wants them zero. What it rejects may
        // be accepted here only for those: with them cleared it must accept the words, as the same instruction.
        let cleaned: Vec<[u32; 2]> = words.iter().map(|w| clean(generation, *w)).collect();
        let again = llvm(chip, &cleaned);
        for (k, (w, expected)) in words.iter().zip(expected).enumerate() {
            let Some(expected) = expected else { continue };
            let known_size = expected.as_ref().is_none_or(|e| e.1 != 0);
            let inst = (generation.decode)(generation, *w).ok();
            let ours = inst
                .as_ref()
                .map(|i| (i.op.name.to_owned(), if known_size { usize::from(i.size) } else { 0 }));
            // LLVM reads controls of DPP that a chip does not have, and constants as scalar destinations.
            if is_newbcast(*w) && !generation.has_row_newbcast || is_readfirstlane_to_a_constant(*w) {
                assert!(ours.is_none(), "{chip} accepted {w:08x?}");
                continue;
            }
            let kind = match (&ours, &expected) {
                (a, b) if a == b => continue,
                (Some(a), Some(b)) => format!("{chip} {a:?} is {b:?}"),
                (None, Some(b)) => format!("{chip} rejected {}", b.0),
                (Some((name, _)), None) => match &again[k] {
                    None => continue,
                    // An op that is not implemented stops the wave whatever its operands are: they are not decoded.
                    _ if inst.as_ref().is_some_and(|i| i.op.src.is_empty()) => continue,
                    // LLVM knows the SDWA forms of these with the whole destination alone.
                    _ if name.ends_with("fp8") || name.ends_with("bf8") => continue,
                    Some(Some((clean_name, _))) if clean_name == name => continue,
                    _ => format!("{chip} accepted {name} {:?}", inst.map(|i| (i.format, i.ext))),
                },
                (None, None) => continue,
            };
            complaints
                .entry(kind)
                .or_insert_with(|| (0, format!("{:08x} {:08x} {:08x?}", w[0], w[1], cleaned[k])))
                .0 += 1;
        }
    }
    assert!(complaints.is_empty(), "{} kinds:\n{complaints:#?}", complaints.len());
}
