//! `why`: which entry a runtime takes for an agent, and why not the others.

use std::process::ExitCode;

use offload_bundle::select;

use super::args::Why;
use crate::input::{Found, Input, What};
use crate::pick;
use crate::{Error, Output, printable};

/// A paragraph a bundle, a line an entry.
pub(super) fn run(args: &Why) -> Result<ExitCode, Error> {
    let input = Input::open(&args.file)?;
    let agent = pick::agent(&args.agent);
    let mut output = Output::default();
    let (mut bundles, mut without) = (0, 0);
    for found in input.images() {
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                output.flush()?;
                return Err(error);
            }
        };
        if let Some(fits) = explain(args, &input, &found, &agent, &mut output)? {
            bundles += 1;
            without += usize::from(!fits);
        }
    }
    match (bundles, without) {
        (0 | 1, 0) => {}
        (_, 0) => output.line(format_args!("all {bundles} bundles have code for {agent}"))?,
        (1, _) => output.line(format_args!("no code for {agent}"))?,
        (_, 1) => output.line(format_args!("1 of {bundles} bundles has no code for {agent}"))?,
        _ => output.line(format_args!("{without} of {bundles} bundles have no code for {agent}"))?,
    }
    output.flush()?;
    Ok(if without == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether an entry fits; not known where the code is in other files.
fn explain(
    args: &Why,
    input: &Input,
    found: &Found<'_>,
    agent: &amd_codeobj::TargetId,
    output: &mut Output,
) -> Result<Option<bool>, Error> {
    output.line(format_args!("{}, on {agent}:", found.place()))?;
    if let What::Reference(reference) = &found.what {
        output.line(format_args!(
            "  the code of {} is in .kpack files; looked for in:",
            reference.kernel_name
        ))?;
        for path in reference.archives_for(agent) {
            output.line(format_args!("    {path}"))?;
        }
        return Ok(None);
    }
    let opened = found.open(args.limit.bytes).map_err(|error| input.error(error))?;
    let entries = opened.entries().map_err(|error| input.error_in(found, error))?;
    let (chosen, rejected) = match select(entries, agent) {
        Ok(choice) => (Some((choice.entry, choice.why)), choice.rejected),
        Err(none) => (None, none.rejected),
    };
    let mut lines: Vec<_> = rejected
        .iter()
        .map(|rejected| (rejected.index, format!("  {}: {}", rejected.id, rejected.reason)))
        .collect();
    if let Some((entry, why)) = &chosen {
        lines.push((entry.index, format!("* {}: chosen: {why}", entry.id)));
    }
    lines.sort();
    for (_, line) in lines {
        output.line(printable(&line))?;
    }
    Ok(Some(chosen.is_some()))
}
