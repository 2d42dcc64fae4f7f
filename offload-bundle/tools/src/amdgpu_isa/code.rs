//! The machine code of a code object, symbol by symbol.

use amd_codeobj::{Symbol, SymbolKind};
use amdgpu_isa::{Gen, gens};

use crate::Error;
use crate::amd_codeobj::objects::Object;

/// A stretch of code that begins at a symbol, or at the start of a section.
pub(super) struct Part<'a> {
    /// The symbol's name.
    pub name: Option<&'a str>,
    /// The address of the first byte.
    pub address: u64,
    /// The bytes up to the next symbol.
    pub bytes: &'a [u8],
}

/// The generation of a code object.
pub(super) fn generation(object: &Object<'_>) -> Result<&'static Gen, Error> {
    let isa = object.code.isa().map_err(|source| object.error(source))?;
    gens::by_processor(isa.name).ok_or_else(|| {
        Error::Other(format!("{}: the instruction set of {} is not known", object.place(), isa.name))
    })
}

/// Functions and labels, in order of section and address; of several at one address the first.
pub(super) fn symbols<'a>(object: &Object<'a>) -> Result<Vec<Symbol<'a>>, Error> {
    let symbols = object.code.all_symbols().map_err(|error| object.error(error))?;
    let symbols = symbols.collect::<Result<Vec<_>, _>>().map_err(|error| object.error(error))?;
    let is_code = |s: &Symbol<'_>| {
        s.is_defined() && !s.name.is_empty() && matches!(s.kind, SymbolKind::FUNC | SymbolKind::NOTYPE)
    };
    let mut symbols: Vec<_> = symbols.into_iter().filter(is_code).collect();
    symbols.sort_by_key(|s| (s.section, s.value));
    symbols.dedup_by_key(|s| (s.section, s.value));
    Ok(symbols)
}

/// All code of a code object.
pub(super) fn parts<'a>(object: &Object<'a>) -> Result<Vec<Part<'a>>, Error> {
    let symbols = symbols(object)?;
    let mut parts = Vec::new();
    for code in object.code.code().map_err(|error| object.error(error))? {
        let end = code.address + code.data.len() as u64;
        let inside = symbols.iter().filter(|s| {
            (code.section == 0 || code.section == s.section) && (code.address..end).contains(&s.value)
        });
        // Instructions are whole words: a symbol between two of them starts nothing.
        let starts: Vec<_> = inside.filter(|s| s.value % 4 == 0).collect();
        let mut add = |name, from: u64, to: u64| {
            if from < to {
                let range = (from - code.address) as usize..(to - code.address) as usize;
                parts.push(Part { name, address: from, bytes: &code.data[range] });
            }
        };
        add(None, code.address, starts.first().map_or(end, |s| s.value));
        for (n, s) in starts.iter().enumerate() {
            add(Some(s.name), s.value, starts.get(n + 1).map_or(end, |next| next.value));
        }
    }
    Ok(parts)
}
