//! `amd-codeobj lines`: addresses of instructions as places in the source.

use std::process::ExitCode;
use std::str::FromStr;

use amd_codeobj::Frame;
use serde::Serialize;

use super::args::Lines;
use super::names::Names;
use super::objects::{Object, Origin, each};
use crate::{Error, JsonArray, Output, printable};

/// Where an instruction is: at an address, or so many bytes behind a symbol.
#[derive(Debug, Clone)]
pub(super) struct Address {
    symbol: Option<String>,
    offset: u64,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let number = |text: &str| {
            let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
            // Of signs, parsing would take one.
            u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
        };
        if let Some(offset) = number(text) {
            return Ok(Address { symbol: None, offset });
        }
        let (symbol, offset) = text.rsplit_once('+').unwrap_or((text, "0"));
        match number(offset) {
            Some(offset) if !symbol.is_empty() => Ok(Address { symbol: Some(symbol.to_owned()), offset }),
            _ => Err("neither a hexadecimal number nor SYMBOL+NUMBER".to_owned()),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    origin: Origin<'a>,
    address: u64,
    symbol: Option<&'a str>,
    symbol_offset: Option<u64>,
    frames: Vec<FrameReport>,
}

#[derive(Serialize)]
struct FrameReport {
    function: Option<String>,
    demangled: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

pub(super) fn run(args: &Lines) -> Result<ExitCode, Error> {
    let (mut out, mut names) = (Output::default(), Names::default());
    let (mut list, mut follows, mut all_found) = (JsonArray::default(), false, true);
    let code = each(&args.pick(), &mut out, |object, out| {
        let lines = places(object, args, &mut names)?;
        all_found &= lines.iter().all(|line| !line.frames.is_empty());
        if args.json {
            return lines.iter().try_for_each(|line| list.push(out, line));
        }
        if follows {
            out.line("")?;
        }
        follows = true;
        out.line(format_args!("{}:", printable(&object.place())))?;
        lines.iter().try_for_each(|line| print(line, &mut names, out))
    })?;
    if args.json {
        list.end(&mut out)?;
    }
    out.flush()?;
    Ok(if all_found { code } else { ExitCode::FAILURE })
}

fn places<'a>(object: &'a Object<'_>, args: &Lines, names: &mut Names) -> Result<Vec<Line<'a>>, Error> {
    let error = |error| object.error(error);
    let table = object.code.lines().map_err(error)?;
    let place = |address: &Address| {
        let base = match &address.symbol {
            Some(symbol) => object.code.symbol(symbol).map_err(error)?.value,
            None => 0,
        };
        let address = base.checked_add(address.offset).ok_or_else(|| {
            Error::Other(format!("{}: there is no address {base:#x} + {:#x}", object.place(), address.offset))
        })?;
        let symbol = object.code.symbol_at(address).map_err(error)?;
        let frames = match &table {
            Some(table) => table.find(address).map_err(error)?,
            None => Vec::new(),
        };
        Ok(Line {
            origin: object.origin(),
            address,
            symbol: symbol.map(|symbol| symbol.name),
            symbol_offset: symbol.map(|symbol| address - symbol.value),
            frames: frames.into_iter().map(|frame| FrameReport::new(frame, names)).collect(),
        })
    };
    let lines = args.addresses.iter().map(place).collect::<Result<Vec<_>, Error>>()?;
    if table.is_none() && !args.json {
        let note = format!("{}: no line table: it was built without -g", object.place());
        crate::report(super::TOOL, &Error::Other(note));
    }
    Ok(lines)
}

impl FrameReport {
    fn new(frame: Frame, names: &mut Names) -> FrameReport {
        FrameReport {
            demangled: frame.function.as_deref().map(|function| names.demangle(function).to_owned()),
            function: frame.function,
            file: frame.file,
            line: frame.line,
            column: frame.column,
        }
    }

    /// "kernels.hip:12:5".
    fn place(&self) -> String {
        let file = self.file.as_deref().map_or("??".into(), printable);
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            (Some(line), None) => format!("{file}:{line}"),
            _ => file.into_owned(),
        }
    }
}

fn print(line: &Line<'_>, names: &mut Names, out: &mut Output) -> Result<(), Error> {
    let symbol = match (line.symbol, line.symbol_offset) {
        (Some(symbol), Some(offset)) => format!("{} + {offset:#x}", names.demangle(symbol)),
        _ => "in no function".to_owned(),
    };
    out.line(format_args!("{:#010x}  {symbol}", line.address))?;
    if line.frames.is_empty() {
        out.line("            ??")?;
    }
    for (index, frame) in line.frames.iter().enumerate() {
        let inlined = if index == 0 { "" } else { "inlined into " };
        let function = frame.demangled.as_deref().unwrap_or("??");
        out.line(format_args!("            {inlined}{function} at {}", frame.place()))?;
    }
    Ok(())
}
