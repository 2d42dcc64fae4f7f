//! `amdgpu-isa index`: all instructions of all generations, as the page `docs/isa/index.md` has them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use amdgpu_isa::{Gen, Op, Refusal, gens};

use crate::{Error, Output};

pub(super) fn run() -> Result<ExitCode, Error> {
    let mut out = Output::default();
    out.bytes(markdown().as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Numbers of an instruction by chip, and whether it runs.
struct Row {
    refused: Option<Refusal>,
    numbers: BTreeMap<usize, Vec<u32>>,
}

/// The page.
pub fn markdown() -> String {
    let mut rows: BTreeMap<(&str, &str), Row> = BTreeMap::new();
    for (n, generation) in gens::ALL.iter().enumerate() {
        for (format, number, op) in opcodes(generation) {
            let row = rows
                .entry((op.name, format))
                .or_insert_with(|| Row { refused: None, numbers: BTreeMap::new() });
            row.refused = row.refused.or(op.traits.refused);
            row.numbers.entry(n).or_default().push(number);
        }
    }
    let mut page = String::from(
        "# Instructions\n\n\
         Made by `amdgpu-isa index > docs/isa/index.md`; a test compares it with the tables. Numbers are decimal, in the\n\
         encoding's own opcode field; those of VOP3 for instructions that have a short encoding too are 0 (VOPC), 256\n\
         (VOP2) and 320 (VOP1) higher than there and are not listed. A chip of each generation stands for all of it.\n\n",
    );
    let names: Vec<&str> = gens::ALL.iter().map(|g| g.name).collect();
    let _ = writeln!(page, "| mnemonic | encoding | {} | runs |", names.join(" | "));
    let _ = writeln!(page, "|---|---|{}---|", "--:|".repeat(names.len()));
    for ((name, format), row) in &rows {
        let _ = write!(page, "| `{name}` | {format} |");
        for n in 0..names.len() {
            let numbers = row.numbers.get(&n).map(Vec::as_slice).unwrap_or_default();
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            let _ = write!(page, " {} |", numbers.join(", "));
        }
        let runs = row.refused.map_or("yes".to_owned(), |why| format!("no: {}", why.short()));
        let _ = writeln!(page, " {runs} |");
    }
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for why in rows.values().filter_map(|row| row.refused) {
        *refused.entry(why.to_string()).or_default() += 1;
    }
    let missing: usize = refused.values().sum();
    let _ = writeln!(page, "\n{} instructions, {missing} of them not run:\n", rows.len());
    for (why, count) in refused {
        let _ = writeln!(page, "- {count}: {why}");
    }
    page
}

/// All rows of a generation.
fn opcodes(generation: &'static Gen) -> Vec<(&'static str, u32, &'static Op)> {
    let t = generation.tables;
    let mut out = Vec::new();
    macro_rules! tables {
        ($($name:literal $table:ident;)*) => {
            $(out.extend(t.$table.rows().map(|(number, op)| ($name, number, op)));)*
        };
    }
    tables! {
        "SOP1" sop1;
        "SOP2" sop2;
        "SOPK" sopk;
        "SOPC" sopc;
        "SOPP" sopp;
        "SMEM" smem;
        "VOP1" vop1;
        "VOP2" vop2;
        "VOPC" vopc;
        "VOP3" vop3;
        "VOP3P" vop3p;
        "DS" ds;
        "FLAT" flat;
        "GLOBAL" global;
        "SCRATCH" scratch;
        "MUBUF" mubuf;
        "MTBUF" mtbuf;
        "VINTRP" vintrp;
        "MIMG" mimg;
    }
    out.extend(t.exp.map(|op| ("EXP", 0, op)));
    out
}
