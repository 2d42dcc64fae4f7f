//! `extract`: one code object.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use offload_bundle::{Compressed, OffloadKind, Table, select};

use super::TABLE_LIMIT;
use super::args::Extract;
use super::save::save;
use crate::Error;
use crate::input::{Found, Input, Opened, What};
use crate::pick;

/// The entry that was found, with what it borrows from.
enum Taken<'a> {
    /// An entry by its index.
    Entry(Opened<'a>, usize),
    /// The beginning of a compressed bundle, and where in it the entry stands.
    Prefix(Vec<u8>, Range<usize>),
}

/// Finds the entry, which must be one, and writes it.
pub(super) fn run(args: &Extract) -> Result<ExitCode, Error> {
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    if output.as_os_str() == "-" && std::io::stdout().is_terminal() {
        return Err(Error::Other("a code object is not for a terminal: say where to with -o".to_owned()));
    }
    let input = Input::open(&args.file)?;
    let mut taken: Option<(Found<'_>, Taken<'_>)> = None;
    let mut search = Search { args, input: &input, seen: Vec::new() };
    for found in pick::bundles(&input, args.bundle) {
        let found = found?;
        let Some(entry) = search.take(&found)? else { continue };
        if let Some((first, _)) = taken {
            let (wanted, second) = (search.wanted(), found.place());
            let text = format!("{wanted} is in {} and in {second}: choose one with --bundle", first.place());
            return Err(search.error(text));
        }
        taken = Some((found, entry));
    }
    let Some((found, entry)) = taken else { return Err(search.nothing()) };
    let bytes = match &entry {
        Taken::Prefix(content, range) => Cow::Borrowed(&content[range.clone()]),
        Taken::Entry(opened, index) => {
            let entries = opened.entries().map_err(|error| input.error_in(&found, error))?;
            opened.bytes(&entries[*index], args.limit.bytes).map_err(|error| input.error(error))?
        }
    };
    save(output, |to| Ok(to.write_all(&bytes)?))?;
    Ok(ExitCode::SUCCESS)
}

/// What is looked for, and what was seen on the way.
struct Search<'a> {
    args: &'a Extract,
    input: &'a Input,
    seen: Vec<String>,
}

impl Search<'_> {
    /// The entry of a bundle that is looked for.
    fn take<'a>(&mut self, found: &Found<'a>) -> Result<Option<Taken<'a>>, Error> {
        if let (Some(id), What::Compressed(compressed)) = (&self.args.id, &found.what) {
            return self.take_packed(found, compressed, id);
        }
        if let What::Reference(reference) = &found.what {
            self.seen.push(format!("a reference to {} in .kpack files", reference.kernel_name));
            return Ok(None);
        }
        let limit = self.args.limit.bytes;
        let opened = found.open(limit).map_err(|error| self.input.error(error))?;
        let entries = opened.entries().map_err(|error| self.input.error_in(found, error))?;
        self.seen.extend(entries.iter().map(|entry| entry.id.text.to_owned()));
        let index = match (&self.args.id, &self.args.agent) {
            (Some(id), _) => {
                entries.iter().find(|entry| pick::matches(&entry.id, id)).map(|entry| entry.index)
            }
            (None, Some(agent)) => select(entries, &pick::agent(agent)).ok().map(|choice| choice.entry.index),
            (None, None) => {
                let code =
                    entries.iter().filter(|entry| entry.id.kind != OffloadKind::Host && entry.size != 0);
                let code: Vec<_> = code.collect();
                if code.len() > 1 {
                    let ids: Vec<_> = code.iter().map(|entry| entry.id.text).collect();
                    let text = format!("{} has several entries: {}", found.place(), ids.join(", "));
                    return Err(self.error(format!("{text}; choose one with --id or --agent")));
                }
                code.first().map(|entry| entry.index)
            }
        };
        Ok(index.map(|index| Taken::Entry(opened, index)))
    }

    /// The same by an ID in a compressed bundle, of which no more is unpacked than up to the end of the entry.
    fn take_packed<'a>(
        &mut self,
        found: &Found<'a>,
        compressed: &Compressed<'a>,
        id: &str,
    ) -> Result<Option<Taken<'a>>, Error> {
        let content = compressed.table(TABLE_LIMIT).map_err(|error| self.input.error(error))?;
        let table = Table::parse(&content).map_err(|error| self.input.error_in(found, error))?;
        self.seen.extend(table.records().map(|record| record.id.text.to_owned()));
        let Some(record) = table.records().find(|record| pick::matches(&record.id, id)) else {
            return Ok(None);
        };
        let end = record.offset.saturating_add(record.size);
        let limit = self.args.limit.bytes;
        if end > limit {
            let (what, offset) = ("the compressed bundle", found.offset);
            let error = offload_bundle::Error::TooLarge { what, offset, size: end, limit };
            return Err(self.input.error(error));
        }
        let content = compressed.prefix(end).map_err(|error| self.input.error(error))?;
        if record.size == 0 {
            return Ok(Some(Taken::Prefix(content, 0..0)));
        }
        match (usize::try_from(record.offset), usize::try_from(end)) {
            (Ok(start), Ok(end)) if end <= content.len() => Ok(Some(Taken::Prefix(content, start..end))),
            _ => {
                let id = record.id.text.to_owned();
                let (index, at, have) = (record.index as u64, record.record_offset, content.len() as u64);
                let (offset, size) = (record.offset, record.size);
                let error = offload_bundle::Error::EntryOutOfBounds { index, id, at, offset, size, have };
                Err(self.input.error_in(found, error))
            }
        }
    }

    /// What is looked for.
    fn wanted(&self) -> String {
        match (&self.args.id, &self.args.agent) {
            (Some(id), _) => format!("entry {id}"),
            (None, Some(agent)) => format!("code for {}", pick::agent(agent)),
            (None, None) => "device code".to_owned(),
        }
    }

    fn nothing(mut self) -> Error {
        self.seen.sort();
        self.seen.dedup();
        let there_is = if self.seen.is_empty() { "nothing".to_owned() } else { self.seen.join(", ") };
        self.error(format!("there is no {}; there is {there_is}", self.wanted()))
    }

    fn error(&self, text: String) -> Error {
        Error::Other(format!("{}: {text}", self.input.path().display()))
    }
}
