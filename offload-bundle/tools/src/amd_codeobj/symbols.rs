//! `amd-codeobj symbols`: the symbols that a loader sees.

use std::process::ExitCode;

use amd_codeobj::Symbol;
use serde::Serialize;

use super::args::Symbols;
use super::names::{Names, fit, terminal_width};
use super::objects::{Origin, each};
use crate::{Error, JsonArray, Output, printable, table};

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    origin: Origin<'a>,
    index: u32,
    name: &'a str,
    demangled: &'a str,
    value: u64,
    size: u64,
    r#type: String,
    binding: String,
    visibility: String,
    section: u16,
}

pub(super) fn run(args: &Symbols) -> Result<ExitCode, Error> {
    let (mut out, mut names) = (Output::default(), Names::default());
    let (mut list, mut follows, width) = (JsonArray::default(), false, terminal_width());
    let code = each(&args.pick, &mut out, |object, out| {
        let symbols = if args.all { object.code.all_symbols() } else { object.code.symbols() };
        let symbols = symbols.map_err(|error| object.error(error))?;
        let symbols = symbols.collect::<Result<Vec<_>, _>>().map_err(|error| object.error(error))?;
        if args.json {
            for symbol in symbols {
                let line = Line {
                    origin: object.origin(),
                    index: symbol.index,
                    name: symbol.name,
                    demangled: names.demangle(symbol.name),
                    value: symbol.value,
                    size: symbol.size,
                    r#type: symbol.kind.to_string(),
                    binding: symbol.binding.to_string(),
                    visibility: symbol.visibility.to_string(),
                    section: symbol.section,
                };
                list.push(out, &line)?;
            }
            return Ok(());
        }
        if follows {
            out.line("")?;
        }
        follows = true;
        out.line(format_args!("{}: {} symbols", printable(&object.place()), symbols.len()))?;
        let rows = symbols.iter().map(|symbol| row(symbol, args.mangled, &mut names));
        let header = ["NUM", "VALUE", "SIZE", "TYPE", "BIND", "VISIBILITY", "SECTION", "NAME"];
        for line in table(&header, &[0, 2, 6], rows).lines() {
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

fn row(symbol: &Symbol<'_>, mangled: bool, names: &mut Names) -> Vec<String> {
    let name =
        if mangled { printable(symbol.name).into_owned() } else { names.demangle(symbol.name).to_owned() };
    let section = match symbol.section {
        0 => "undef".to_owned(),
        0xfff1 => "abs".to_owned(),
        0xfff2 => "common".to_owned(),
        index => index.to_string(),
    };
    vec![
        symbol.index.to_string(),
        format!("{:#010x}", symbol.value),
        symbol.size.to_string(),
        symbol.kind.to_string(),
        symbol.binding.to_string(),
        symbol.visibility.to_string(),
        section,
        name,
    ]
}
