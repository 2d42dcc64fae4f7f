//! `ls`: the entries of all bundles, from headers alone.

use std::path::Path;
use std::process::ExitCode;

use offload_bundle::kpack::Scheme;
use offload_bundle::{EntryId, Table};
use serde::Serialize;

use super::args::Ls;
use super::{TABLE_LIMIT, TOOL};
use crate::input::{Found, InSection, Input, What, id_of, kernel_id};
use crate::{Error, Output, bytes, printable, report, table};

/// An entry, as JSON has it. [`Ls`] documents the fields.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    member: Option<String>,
    section: Option<String>,
    bundle: usize,
    kind: String,
    bundle_offset: u64,
    id: String,
    target: Option<String>,
    offset: u64,
    size: u64,
    compressed_size: Option<u64>,
}

/// Lists; whatever cannot be read is reported behind what can.
pub(super) fn run(args: &Ls) -> Result<ExitCode, Error> {
    let mut output = Output::default();
    let mut all = Vec::new();
    let mut errors = Vec::new();
    for (place, path) in args.files.iter().enumerate() {
        let (rows, mut wrong) = list(path);
        if args.json {
            all.extend(rows);
            errors.append(&mut wrong);
            continue;
        }
        if args.files.len() > 1 {
            let gap = if place == 0 { "" } else { "\n" };
            output.line(format_args!("{gap}{}:", path.display()))?;
        }
        if !rows.is_empty() {
            output.line(for_people(&rows))?;
        }
        // What is wrong with a file is said behind its entries, also when both go to one terminal.
        output.flush()?;
        wrong.iter().for_each(|error| report(TOOL, error));
        errors.append(&mut wrong);
    }
    if args.json {
        output.json(&all)?;
        output.flush()?;
        errors.iter().for_each(|error| report(TOOL, error));
    }
    Ok(if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list(path: &Path) -> (Vec<Row>, Vec<Error>) {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    match Input::open(path) {
        Ok(input) => {
            for found in input.images() {
                match found {
                    Ok(found) => {
                        errors.extend(entries(&input, &found, &mut rows).err());
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    (rows, errors)
}

/// Adds a row for each entry.
fn entries(input: &Input, found: &Found<'_>, rows: &mut Vec<Row>) -> Result<(), Error> {
    let add_in =
        |rows: &mut Vec<Row>, section: Option<&str>, id: &EntryId<'_>, offset, size, compressed_size| {
            rows.push(Row {
                file: input.path().display().to_string(),
                member: found.member.map(str::to_owned),
                section: section.map(str::to_owned),
                bundle: found.index,
                kind: found.kind.to_string(),
                bundle_offset: found.offset,
                id: id.text.to_owned(),
                target: id.target.as_ref().map(ToString::to_string),
                offset,
                size,
                compressed_size,
            });
        };
    let mut add = |id: &EntryId<'_>, offset, size, compressed_size| {
        add_in(rows, found.section, id, offset, size, compressed_size);
    };
    match &found.what {
        What::Raw(bundle) => {
            for record in bundle.table().records() {
                // The end of the entry has been checked against the file; that of an empty one need not exist.
                add(&record.id, found.offset.saturating_add(record.offset), record.size, None);
            }
        }
        What::Compressed(compressed) => {
            let content = compressed.table(TABLE_LIMIT).map_err(|error| input.error(error))?;
            let table = Table::parse(&content).map_err(|error| input.error_in(found, error))?;
            for record in table.records() {
                add(&record.id, record.offset, record.size, Some(found.size));
            }
        }
        What::CodeObject(object) => {
            let offset = found.offset;
            let id = id_of(object)
                .map_err(|source| input.error(offload_bundle::Error::CodeObject { offset, source }))?;
            add(&EntryId::parse(&id), offset, found.size, None);
        }
        What::Sections(entries) => {
            for InSection { offset, section, entry } in entries {
                add_in(rows, *section, &entry.id, *offset, entry.size, None);
            }
        }
        What::Kpack(program) => {
            for kernel in &program.kernels {
                let id = kernel_id(kernel);
                let packed = (program.scheme != Scheme::None).then_some(kernel.packed.len() as u64);
                let size = kernel.original_size.unwrap_or(kernel.packed.len() as u64);
                add(&EntryId::parse(&id), kernel.file_offset, size, packed);
            }
        }
        What::Reference(reference) => {
            add(&EntryId::parse(reference.kernel_name), found.offset, found.size, None);
        }
    }
    Ok(())
}

fn for_people(rows: &[Row]) -> String {
    let packed = rows.iter().any(|row| row.compressed_size.is_some());
    let mut header = vec!["bundle", "kind", "entry", "offset", "size"];
    if packed {
        header.push("compressed");
    }
    let cells = rows.iter().map(|row| {
        let mut cells = vec![
            row.bundle.to_string(),
            row.kind.clone(),
            printable(&row.id).into_owned(),
            format!("{:#x}", row.offset),
            bytes(row.size),
        ];
        if packed {
            cells.push(row.compressed_size.map(bytes).unwrap_or_default());
        }
        cells
    });
    table(&header, &[0, 3, 4, 5], cells).trim_fmt()
}
