//! Vector instructions decode as LLVM's disassembler reads them: same mnemonic, same length, and what it rejects is
//! rejected. Needs `llvm-mc-19`; without it the test says so and passes.

mod vector;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use amdgpu_isa::gens;
use vector::{Random, vector_words};

/// What LLVM reads at the start of each pair of words: mnemonic without encoding suffix, and bytes.
fn llvm(chip: &str, words: &[[u32; 2]]) -> Option<Vec<Option<(String, usize)>>> {
    let mut input = String::new();
    for (n, pair) in words.iter().enumerate() {
        // A separator that carries the number: `s_nop n`.
        for w in [0xbf80_0000 | n as u32 & 0xffff, pair[0], pair[1]] {
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
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
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
            if first == words[current][0] {
                let name = ["_e32", "_e64", "_sdwa", "_dpp"].iter().find_map(|s| mnemonic.strip_suffix(s));
                out[current] = Some((name.unwrap_or(mnemonic).to_owned(), bytes.len()));
            }
        }
    }
    (current == words.len() - 1).then_some(out)
}

#[test]
fn decodes_as_llvm_does() {
    let mut r = Random(0xdec0de);
    let mut complaints = BTreeMap::new();
    for chip in ["gfx90a", "gfx942"] {
        let Some(generation) = gens::by_processor(chip) else { panic!("{chip} is not known") };
        let words: Vec<[u32; 2]> = (0..40_000).map(|_| vector_words(&mut r)).collect();
        let Some(expected) = llvm(chip, &words) else {
            println!("no llvm-mc-19: not compared");
            return;
        };
        for (w, expected) in words.iter().zip(expected) {
            let ours =
                (generation.decode)(generation, *w).ok().map(|i| (i.op.name.to_owned(), usize::from(i.size)));
            if ours != expected {
                let kind = match (&ours, &expected) {
                    (Some(a), Some(b)) => format!("{chip} {a:?} is {b:?}"),
                    (None, Some(b)) => format!("{chip} rejected {}", b.0),
                    (Some(a), None) => format!("{chip} accepted {}", a.0),
                    (None, None) => continue,
                };
                complaints.entry(kind).or_insert_with(|| (0, format!("{:08x} {:08x}", w[0], w[1]))).0 += 1;
            }
        }
    }
    assert!(complaints.is_empty(), "{} kinds:\n{complaints:#?}", complaints.len());
}
