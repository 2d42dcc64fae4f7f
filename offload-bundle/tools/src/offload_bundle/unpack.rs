//! `unpack`: every entry to a file of its own.

use std::path::Path;
use std::process::ExitCode;

use super::TOOL;
use super::args::Unpack;
use super::names::Names;
use super::save::save_new;
use crate::input::{Found, Input, What};
use crate::pick;
use crate::{Error, Output, bytes, report};

/// Writes what can be read; what cannot is reported, and the other bundles are still taken out.
pub(super) fn run(args: &Unpack) -> Result<ExitCode, Error> {
    let input = Input::open(&args.file)?;
    std::fs::create_dir_all(&args.directory).map_err(Error::io(&args.directory))?;
    let mut output = Output::default();
    let mut names = Names::default();
    let mut code = ExitCode::SUCCESS;
    for found in pick::bundles(&input, args.bundle) {
        let unpacked = found.and_then(|found| unpack(args, &input, &found, &mut names, &mut output));
        match unpacked {
            Ok(()) => {}
            Err(error @ Error::Output(_)) => return Err(error),
            Err(error) => {
                output.flush()?;
                report(TOOL, &error);
                code = ExitCode::FAILURE;
            }
        }
    }
    output.flush()?;
    Ok(code)
}

fn unpack(
    args: &Unpack,
    input: &Input,
    found: &Found<'_>,
    names: &mut Names,
    output: &mut Output,
) -> Result<(), Error> {
    if let What::Reference(reference) = &found.what {
        return Err(elsewhere(input.path(), found, reference.kernel_name));
    }
    let opened = found.open(args.limit.bytes).map_err(|error| input.error(error))?;
    opened.check_hash(found).map_err(|error| input.error(error))?;
    for entry in opened.entries().map_err(|error| input.error_in(found, error))? {
        if entry.size == 0 {
            continue;
        }
        let data = opened.bytes(&entry, args.limit.bytes).map_err(|error| input.error(error))?;
        let path = args.directory.join(names.name(found.index, &entry.id, &data));
        save_new(&path, |to| Ok(to.write_all(&data)?))?;
        output.line(format_args!("{}  {}", path.display(), bytes(data.len() as u64)))?;
    }
    Ok(())
}

/// The code is not in this file.
pub(super) fn elsewhere(path: &Path, found: &Found<'_>, name: &str) -> Error {
    let (path, place) = (path.display(), found.place());
    Error::Other(format!("{path}: {place} has no code: that of {name} is in .kpack files, read those"))
}
