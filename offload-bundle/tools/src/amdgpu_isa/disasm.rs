//! `amdgpu-isa disasm`: code as text.

use std::fmt::Write as _;
use std::process::ExitCode;

use amdgpu_isa::{Gen, Step, walk};
use serde::Serialize;

use super::TOOL;
use super::args::Disasm;
use super::code::{Part, generation, parts};
use crate::amd_codeobj::objects::{Origin, each_for};
use crate::{Error, JsonArray, Output, printable};

#[derive(Serialize)]
struct Symbol<'a> {
    #[serde(flatten)]
    origin: Origin<'a>,
    name: Option<&'a str>,
    address: u64,
    size: usize,
    instructions: Vec<Instruction>,
}

#[derive(Serialize)]
struct Instruction {
    address: u64,
    bytes: String,
    text: String,
}

pub(super) fn run(args: &Disasm) -> Result<ExitCode, Error> {
    let mut out = Output::default();
    let mut list = JsonArray::default();
    let mut follows = false;
    let code = each_for(TOOL, &args.pick, &mut out, |object, out| {
        let (generation, parts) = (generation(object)?, parts(object)?);
        if args.json {
            for part in parts {
                let (name, address, size) = (part.name, part.address, part.bytes.len());
                let instructions = instructions(generation, &part);
                list.push(out, &Symbol { origin: object.origin(), name, address, size, instructions })?;
            }
            return Ok(());
        }
        let mut text = String::new();
        if !args.plain {
            let gap = if follows { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}:", printable(&object.place()));
            follows = true;
        }
        for (n, part) in parts.iter().enumerate() {
            if args.plain {
                plain(&mut text, generation, part);
            } else {
                listing(&mut text, generation, part, &parts[..], n);
            }
            out.bytes(text.as_bytes())?;
            text.clear();
        }
        Ok(())
    })?;
    if args.json {
        list.end(&mut out)?;
    }
    out.flush()?;
    Ok(code)
}

/// The text of what stands somewhere.
pub(super) fn write(text: &mut String, generation: &Gen, step: &Step) {
    // Writing to a string does not fail.
    let _ = match &step.inst {
        Ok(inst) => inst.write_text(generation, text),
        Err(_) => write!(text, ".long {:#010x}", step.words[0]),
    };
}

fn plain(text: &mut String, generation: &'static Gen, part: &Part<'_>) {
    for step in walk(generation, part.bytes, part.address) {
        let _ = write!(text, "{:x}: ", step.address);
        write(text, generation, &step);
        text.push('\n');
    }
}

/// As LLVM's disassembler: the text, then address and words, and where a branch goes.
fn listing(text: &mut String, generation: &'static Gen, part: &Part<'_>, parts: &[Part<'_>], n: usize) {
    let name = part.name.unwrap_or(".text");
    let _ = writeln!(text, "\n{:016x} <{}>:", part.address, printable(name));
    for step in walk(generation, part.bytes, part.address) {
        text.push('\t');
        let start = text.len();
        write(text, generation, &step);
        let width = text.len() - start;
        let _ = write!(text, "{:1$} // {2:012X}:", "", 58usize.saturating_sub(width), step.address);
        for word in words(&step) {
            let _ = write!(text, " {word:08X}");
        }
        if let Some(target) = step.inst.as_ref().ok().and_then(|i| i.target(step.address)) {
            // Nearly always in the same symbol.
            let holds = |p: &Part<'_>| (p.address..p.address + p.bytes.len() as u64).contains(&target);
            let home = if holds(&parts[n]) { Some(&parts[n]) } else { parts.iter().find(|p| holds(p)) };
            if let Some(home) = home {
                let name = printable(home.name.unwrap_or(".text"));
                let _ = match target - home.address {
                    0 => write!(text, " <{name}>"),
                    offset => write!(text, " <{name}+{offset:#x}>"),
                };
            }
        }
        text.push('\n');
    }
}

fn words(step: &Step) -> &[u32] {
    &step.words[..usize::from(step.size) / 4]
}

fn instructions(generation: &'static Gen, part: &Part<'_>) -> Vec<Instruction> {
    let instruction = |step: Step| {
        let mut text = String::new();
        write(&mut text, generation, &step);
        let bytes: Vec<String> = words(&step).iter().map(|word| format!("{word:08x}")).collect();
        Instruction { address: step.address, bytes: bytes.join(" "), text }
    };
    walk(generation, part.bytes, part.address).map(instruction).collect()
}
