//! `amd-codeobj relocs`: what a loader patches, or what a linker does.

use std::process::ExitCode;

use amd_codeobj::{ObjectKind, Relocation, Symbol};
use serde::Serialize;

use super::args::Relocs;
use super::names::{Names, fit, terminal_width};
use super::objects::{Object, Origin, each};
use crate::{Error, JsonArray, Output, printable, table};

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    origin: Origin<'a>,
    section: Option<&'a str>,
    offset: u64,
    r#type: String,
    symbol: Option<&'a str>,
    addend: i64,
}

pub(super) fn run(args: &Relocs) -> Result<ExitCode, Error> {
    let (mut out, mut names) = (Output::default(), Names::default());
    let (mut list, mut follows, width) = (JsonArray::default(), false, terminal_width());
    let code = each(&args.pick, &mut out, |object, out| {
        let relocations = read(object, args.all).map_err(|error| object.error(error))?;
        if args.json {
            return relocations.iter().try_for_each(|line| list.push(out, line));
        }
        if follows {
            out.line("")?;
        }
        follows = true;
        out.line(format_args!("{}: {} relocations", printable(&object.place()), relocations.len()))?;
        if relocations.is_empty() {
            return Ok(());
        }
        let rows = relocations.iter().map(|line| {
            let value = match (line.symbol, line.addend) {
                (Some(""), addend) => format!("section {}", signed(addend)),
                (Some(symbol), 0) => names.demangle(symbol).to_owned(),
                (Some(symbol), addend) => format!("{} {}", names.demangle(symbol), signed(addend)),
                (None, addend) => format!("{addend:#x}"),
            };
            let section = printable(line.section.unwrap_or("dynamic")).into_owned();
            vec![section, format!("{:#010x}", line.offset), line.r#type.clone(), value]
        });
        for line in table(&["SECTION", "OFFSET", "TYPE", "VALUE"], &[], rows).lines() {
            out.line(fit(line.trim_end(), width))?;
        }
        Ok(())
    })?;
    if args.json {
        list.end(&mut out)?;
    }
    out.flush()?;
    Ok(code)
}

/// The dynamic relocations; with `all`, and of objects that are not linked, those of every section.
fn read<'a>(object: &'a Object<'_>, all: bool) -> Result<Vec<Line<'a>>, amd_codeobj::Error> {
    let line = |section, relocation: Relocation, symbol: Option<Symbol<'a>>| Line {
        origin: object.origin(),
        section,
        offset: relocation.offset,
        r#type: relocation.kind.to_string(),
        symbol: symbol.map(|symbol| symbol.name),
        addend: relocation.addend,
    };
    let code = &object.code;
    if !all && code.kind() != ObjectKind::RELOCATABLE {
        let dynamic = |relocation: Relocation| {
            let symbol = match relocation.symbol {
                0 => None,
                index => Some(code.symbol_by_index(index)?),
            };
            Ok(line(None, relocation, symbol))
        };
        return code.relocations()?.map(|relocation| dynamic(relocation?)).collect();
    }
    let mut lines = Vec::new();
    for section in code.relocation_sections() {
        let section = section?;
        for relocation in section.relocations()? {
            let relocation = relocation?;
            let symbol = match relocation.symbol {
                0 => None,
                index => Some(section.symbol(index)?),
            };
            lines.push(line(Some(section.section.name), relocation, symbol));
        }
    }
    Ok(lines)
}

fn signed(addend: i64) -> String {
    let sign = if addend < 0 { '-' } else { '+' };
    format!("{sign} {:#x}", addend.unsigned_abs())
}
