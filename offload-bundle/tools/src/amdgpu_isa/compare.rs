//! `amdgpu-isa compare`: our text beside that of LLVM's disassembler, for each instruction of each code object.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use amdgpu_isa::{Gen, walk};

use super::TOOL;
use super::args::Compare;
use super::code::{generation, symbols};
use super::disasm::write;
use crate::amd_codeobj::objects::{Object, each_for};
use crate::{Error, Output, table};

/// Differences of one kind.
struct Kind {
    count: u64,
    example: String,
}

#[derive(Default)]
struct Chip {
    objects: u64,
    instructions: u64,
    differences: u64,
}

#[derive(Default)]
struct Comparison {
    chips: BTreeMap<String, Chip>,
    /// By chip and both mnemonics.
    kinds: BTreeMap<(String, String, String), Kind>,
}

pub(super) fn run(args: &Compare) -> Result<ExitCode, Error> {
    let mut out = Output::default();
    let mut all = Comparison::default();
    let mut number = 0;
    let code = each_for(TOOL, &args.pick, &mut out, |object, _| {
        number += 1;
        if (number - 1) % args.every.max(1) != 0 {
            return Ok(());
        }
        all.object(&args.objdump, object)
    })?;
    let rows = all.chips.iter().map(|(name, chip)| {
        let numbers = [chip.objects, chip.instructions, chip.differences].map(|n| n.to_string());
        [vec![name.clone()], numbers.to_vec()].concat()
    });
    out.line(table(&["CHIP", "OBJECTS", "INSTRUCTIONS", "DIFFERENCES"], &[1, 2, 3], rows).trim_fmt())?;
    for ((chip, ours, theirs), kind) in &all.kinds {
        out.line(format_args!("{chip}: {ours} against {theirs}, {} times: {}", kind.count, kind.example))?;
    }
    out.flush()?;
    Ok(if all.kinds.is_empty() { code } else { ExitCode::FAILURE })
}

impl Comparison {
    fn object(&mut self, objdump: &str, object: &Object<'_>) -> Result<(), Error> {
        let generation = generation(object)?;
        let chip = object.code.isa().map_err(|source| object.error(source))?.name.to_owned();
        let file = tempfile::NamedTempFile::new().map_err(Error::io(&std::env::temp_dir()))?;
        std::fs::write(file.path(), object.data).map_err(Error::io(file.path()))?;
        let mut child = Command::new(objdump)
            .args(["-d", "-z"])
            .arg(file.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Error::Other(format!("{objdump}: {error}")))?;
        let lines = child.stdout.take().map(BufReader::new);
        let counted = match lines {
            Some(lines) => self.lines(generation, &chip, object, lines)?,
            None => 0,
        };
        let status = child.wait().map_err(|error| Error::Other(format!("{objdump}: {error}")))?;
        if !status.success() {
            return Err(Error::Other(format!("{}: {objdump}: {status}", object.place())));
        }
        let chip = self.chips.entry(chip).or_default();
        chip.objects += 1;
        chip.instructions += counted;
        Ok(())
    }

    /// Goes through both disassemblies at once.
    fn lines(
        &mut self,
        generation: &'static Gen,
        chip: &str,
        object: &Object<'_>,
        lines: impl BufRead,
    ) -> Result<u64, Error> {
        let labels = symbols(object)?;
        let code = object.code.code().map_err(|error| object.error(error))?;
        let mut ours = code.iter().flat_map(|c| walk(generation, c.data, c.address)).peekable();
        let (mut count, mut text) = (0, String::new());
        for line in lines.lines() {
            let line = line.map_err(|error| Error::Other(format!("what LLVM prints: {error}")))?;
            // "\ts_nop 0            // 000000001900: BF800000"
            let Some((theirs, address)) = theirs(&line) else { continue };
            // Where one of the two takes more words it is ahead of the other: they meet again further on.
            while ours.peek().is_some_and(|step| step.address < address) {
                let missing = ours.next();
                text.clear();
                missing.iter().for_each(|step| write(&mut text, generation, step));
                self.differ(chip, object, address, &text, "nothing");
            }
            let Some(step) = ours.next_if(|step| step.address == address) else {
                self.differ(chip, object, address, "nothing", theirs);
                continue;
            };
            count += 1;
            text.clear();
            write(&mut text, generation, &step);
            if text == theirs {
                continue;
            }
            // LLVM names a branch's target where a label stands there.
            let target = step.inst.as_ref().ok().and_then(|i| i.target(address));
            let label = target.and_then(|t| labels.iter().find(|s| s.value == t));
            if label.is_some_and(|label| theirs.ends_with(label.name)) {
                continue;
            }
            self.differ(chip, object, address, &text, theirs);
        }
        for step in ours {
            text.clear();
            write(&mut text, generation, &step);
            self.differ(chip, object, step.address, &text, "nothing");
        }
        Ok(count)
    }

    fn differ(&mut self, chip: &str, object: &Object<'_>, address: u64, ours: &str, theirs: &str) {
        self.chips.entry(chip.to_owned()).or_default().differences += 1;
        let mnemonic = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        let key = (chip.to_owned(), mnemonic(ours), mnemonic(theirs));
        let kind = self.kinds.entry(key).or_insert_with(|| Kind {
            count: 0,
            example: format!("{ours:?}, LLVM has {theirs:?}: {}, at {address:#x}", object.place()),
        });
        kind.count += 1;
    }
}

/// The text and the address of a line.
fn theirs(line: &str) -> Option<(&str, u64)> {
    let (text, rest) = line.strip_prefix('\t')?.split_once("// ")?;
    let (address, _) = rest.split_once(':')?;
    Some((text.trim_end(), u64::from_str_radix(address, 16).ok()?))
}
