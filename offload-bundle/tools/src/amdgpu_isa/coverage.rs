//! `amdgpu-isa coverage`: which instructions files use, and which of them are run.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

use amdgpu_isa::{Gen, Op, Refusal, walk};
use rayon::prelude::*;
use serde::Serialize;

use super::TOOL;
use super::args::Coverage;
use super::code::{Part, generation, parts};
use crate::amd_codeobj::objects::each_for;
use crate::{Error, Output, table};

/// Where words stand that are no instruction: so many of them are told.
const EXAMPLES: usize = 5;

/// Stretches of code that a thread takes at a time: most are one short function.
const PARTS: usize = 16;

#[derive(Default)]
struct Chip {
    objects: u64,
    counts: Counts,
    unknown: u64,
    examples: Vec<String>,
}

/// By the op's address: comparing names would take longer than decoding.
type Counts = HashMap<usize, (&'static Op, u64)>;

/// What is in a few stretches of code.
#[derive(Default)]
struct Found {
    counts: Counts,
    unknown: u64,
    /// Addresses and words.
    examples: Vec<(u64, [u32; 2])>,
}

#[derive(Serialize)]
struct Report {
    objects: u64,
    instructions: u64,
    runs: bool,
    chips: Vec<ChipReport>,
}

#[derive(Serialize)]
struct ChipReport {
    chip: String,
    objects: u64,
    instructions: u64,
    unknown: u64,
    unknown_examples: Vec<String>,
    mnemonics: Vec<Mnemonic>,
}

#[derive(Serialize)]
struct Mnemonic {
    mnemonic: &'static str,
    count: u64,
    runs: bool,
    graphics: bool,
    reason: Option<String>,
}

/// Counts what is in stretches of code.
fn look(generation: &'static Gen, parts: &[Part<'_>]) -> Found {
    let mut found = Found::default();
    for step in parts.iter().flat_map(|part| walk(generation, part.bytes, part.address)) {
        match step.inst {
            Ok(inst) => {
                let key = core::ptr::from_ref(inst.op).addr();
                found.counts.entry(key).or_insert((inst.op, 0)).1 += 1;
            }
            Err(error) => {
                found.unknown += 1;
                if found.examples.len() < EXAMPLES {
                    found.examples.push((step.address, error.words));
                }
            }
        }
    }
    found
}

pub(super) fn run(args: &Coverage) -> Result<ExitCode, Error> {
    let mut out = Output::default();
    let mut chips: BTreeMap<String, Chip> = BTreeMap::new();
    let code = each_for(TOOL, &args.pick, &mut out, |object, _| {
        let (generation, parts) = (generation(object)?, parts(object)?);
        let name = object.code.isa().map_err(|source| object.error(source))?.name;
        let chip = chips.entry(name.to_owned()).or_default();
        chip.objects += 1;
        let all: Vec<Found> = parts.par_chunks(PARTS).map(|parts| look(generation, parts)).collect();
        for found in all {
            for (key, (op, count)) in found.counts {
                chip.counts.entry(key).or_insert((op, 0)).1 += count;
            }
            chip.unknown += found.unknown;
            for (at, [w, x]) in found.examples {
                if chip.examples.len() < EXAMPLES {
                    chip.examples.push(format!("{}, at {at:#x}: {w:08x} {x:08x}", object.place()));
                }
            }
        }
        Ok(())
    })?;
    let chips: Vec<ChipReport> = chips.into_iter().map(|(name, chip)| chip.report(name)).collect();
    let report = Report {
        objects: chips.iter().map(|c| c.objects).sum(),
        instructions: chips.iter().map(|c| c.instructions).sum(),
        runs: chips.iter().all(|c| c.unknown == 0 && c.mnemonics.iter().all(|m| m.runs || m.graphics)),
        chips,
    };
    match args.json {
        true => out.json(&report)?,
        false => text(&report, args.all, &mut out)?,
    }
    out.flush()?;
    Ok(if report.runs { code } else { ExitCode::FAILURE })
}

impl Chip {
    fn report(self, chip: String) -> ChipReport {
        // Two instructions may have one name: a scalar base makes no other mnemonic.
        let mut names: BTreeMap<&'static str, (Option<Refusal>, u64)> = BTreeMap::new();
        for (op, count) in self.counts.into_values() {
            let entry = names.entry(op.name).or_insert((None, 0));
            entry.0 = entry.0.or(op.traits.refused);
            entry.1 += count;
        }
        let mnemonic = |(mnemonic, (refused, count)): (_, (Option<Refusal>, _))| Mnemonic {
            mnemonic,
            count,
            runs: refused.is_none(),
            graphics: refused == Some(Refusal::Graphics),
            reason: refused.map(|why| why.to_string()),
        };
        let mut mnemonics: Vec<Mnemonic> = names.into_iter().map(mnemonic).collect();
        mnemonics.sort_by_key(|m| core::cmp::Reverse(m.count));
        ChipReport {
            chip,
            objects: self.objects,
            instructions: mnemonics.iter().map(|m| m.count).sum(),
            unknown: self.unknown,
            unknown_examples: self.examples,
            mnemonics,
        }
    }
}

fn text(report: &Report, all: bool, out: &mut Output) -> Result<(), Error> {
    let rows = report.chips.iter().map(|c| {
        let missing = c.mnemonics.iter().filter(|m| !m.runs);
        vec![
            c.chip.clone(),
            c.objects.to_string(),
            c.instructions.to_string(),
            c.mnemonics.len().to_string(),
            missing.clone().count().to_string(),
            missing.map(|m| m.count).sum::<u64>().to_string(),
            c.unknown.to_string(),
        ]
    });
    let header = ["CHIP", "OBJECTS", "INSTRUCTIONS", "MNEMONICS", "NOT RUN", "TIMES", "UNKNOWN WORDS"];
    out.line(table(&header, &[1, 2, 3, 4, 5, 6], rows).trim_fmt())?;
    for chip in &report.chips {
        let listed: Vec<&Mnemonic> = chip.mnemonics.iter().filter(|m| all || !m.runs).collect();
        if !listed.is_empty() {
            let rows = listed.iter().map(|m| {
                let runs = m.reason.as_ref().map_or("runs".to_owned(), |why| format!("not run: {why}"));
                vec![m.mnemonic.to_owned(), m.count.to_string(), runs]
            });
            out.line(format_args!("\n{}:", chip.chip))?;
            out.line(table(&["MNEMONIC", "TIMES", ""], &[1], rows).trim_fmt())?;
        }
        for example in &chip.unknown_examples {
            out.line(format_args!("no instruction: {example}"))?;
        }
    }
    Ok(())
}
