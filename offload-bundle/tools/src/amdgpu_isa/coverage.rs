//! `amdgpu-isa coverage`: which instructions files use, and which of them are run.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

use amdgpu_isa::{Op, walk};
use serde::Serialize;

use super::TOOL;
use super::args::Coverage;
use super::code::{generation, parts};
use crate::amd_codeobj::objects::each_for;
use crate::{Error, Output, table};

/// Where words stand that are no instruction: so many of them are told.
const EXAMPLES: usize = 5;

#[derive(Default)]
struct Chip {
    objects: u64,
    /// By the op's address: comparing names would take longer than decoding.
    counts: HashMap<*const Op, (&'static str, bool, u64)>,
    unknown: u64,
    examples: Vec<String>,
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
}

pub(super) fn run(args: &Coverage) -> Result<ExitCode, Error> {
    let mut out = Output::default();
    let mut chips: BTreeMap<String, Chip> = BTreeMap::new();
    let code = each_for(TOOL, &args.pick, &mut out, |object, _| {
        let (generation, parts) = (generation(object)?, parts(object)?);
        let name = object.code.isa().map_err(|source| object.error(source))?.name;
        let chip = chips.entry(name.to_owned()).or_default();
        chip.objects += 1;
        for part in parts {
            for step in walk(generation, part.bytes, part.address) {
                match step.inst {
                    Ok(inst) => {
                        let op: &'static Op = inst.op;
                        let count = || (op.name, op.is_implemented(), 0);
                        chip.counts.entry(op).or_insert_with(count).2 += 1;
                    }
                    Err(error) => {
                        chip.unknown += 1;
                        if chip.examples.len() < EXAMPLES {
                            let (place, at) = (object.place(), step.address);
                            let [w, x] = error.words;
                            chip.examples.push(format!("{place}, at {at:#x}: {w:08x} {x:08x}"));
                        }
                    }
                }
            }
        }
        Ok(())
    })?;
    let chips: Vec<ChipReport> = chips.into_iter().map(|(name, chip)| chip.report(name)).collect();
    let report = Report {
        objects: chips.iter().map(|c| c.objects).sum(),
        instructions: chips.iter().map(|c| c.instructions).sum(),
        runs: chips.iter().all(|c| c.unknown == 0 && c.mnemonics.iter().all(|m| m.runs)),
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
        let mut names: BTreeMap<&'static str, (bool, u64)> = BTreeMap::new();
        for (name, runs, count) in self.counts.into_values() {
            let entry = names.entry(name).or_insert((true, 0));
            entry.0 &= runs;
            entry.1 += count;
        }
        let mnemonic = |(mnemonic, (runs, count))| Mnemonic { mnemonic, count, runs };
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
                let runs = if m.runs { "runs" } else { "not run" };
                vec![m.mnemonic.to_owned(), m.count.to_string(), runs.to_owned()]
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
