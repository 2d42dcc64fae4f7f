//! `verify`: everything in a file that can be checked, each finding with its offset.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use offload_bundle::{FatBinaryWrapper, SectionKind};

use super::args::Verify;
use super::check::{Findings, check_bundle};
use crate::input::Input;
use crate::{Error, Output, printable};

/// One line a finding, and one a file without any that is more than a note.
pub(super) fn run(args: &Verify) -> Result<ExitCode, Error> {
    let mut output = Output::default();
    let mut good = true;
    for path in &args.files {
        let findings = verify(path, args.limit.bytes);
        good &= !findings.bad;
        for line in &findings.lines {
            output.line(printable(line))?;
        }
        if !findings.bad {
            output.line(format_args!(
                "{}: good: {}, {}, {}",
                path.display(),
                count(findings.bundles, "bundle", "bundles"),
                count(findings.entries, "entry", "entries"),
                count(findings.code_objects, "code object", "code objects"),
            ))?;
        }
        output.flush()?;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn count(count: usize, one: impl Display, many: impl Display) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn verify(path: &Path, limit: u64) -> Findings {
    let mut findings = Findings::default();
    let input = match Input::open(path) {
        Ok(input) => input,
        Err(error) => {
            findings.error(error);
            return findings;
        }
    };
    if let Err(error) = check_wrappers(&input, &mut findings) {
        findings.error(error);
        return findings;
    }
    for found in input.images() {
        match found {
            Ok(found) => check_bundle(&input, &found, limit, &mut findings),
            Err(error) => findings.error(error),
        }
    }
    findings
}

/// What a program registers for each fat binary. Addresses are filled in by relocations and say nothing.
fn check_wrappers(input: &Input, findings: &mut Findings) -> Result<(), Error> {
    for section in input.container()?.sections() {
        let section = section.map_err(|error| input.error(error))?;
        if section.kind != SectionKind::Wrappers {
            continue;
        }
        for (index, wrapper) in section.data.chunks(FatBinaryWrapper::SIZE).enumerate() {
            if let Err(error) = FatBinaryWrapper::parse(wrapper) {
                let at = section.file_offset + (index * FatBinaryWrapper::SIZE) as u64;
                let (path, name) = (input.path().display(), section.name);
                findings.error(format!("{path}: wrapper {index} in {name} at {at:#x}: {error}"));
            }
        }
    }
    Ok(())
}
