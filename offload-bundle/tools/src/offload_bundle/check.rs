//! Checking one bundle: what the library's linter says of its table and entries, its hash, and what runtimes read of its
//! code objects.

use amd_codeobj::CodeObject;
use offload_bundle::{Bundle, Entry, Level, OffloadKind};

use super::BITCODE;
use crate::input::{Found, Input, Opened, What};

/// What was found, and how much was looked at.
#[derive(Default)]
pub(super) struct Findings {
    /// A line each.
    pub lines: Vec<String>,
    /// Any of them is more than a note.
    pub bad: bool,
    pub bundles: usize,
    pub entries: usize,
    pub code_objects: usize,
}

impl Findings {
    /// Adds something that is wrong.
    pub fn error(&mut self, line: impl ToString) {
        self.bad = true;
        self.lines.push(line.to_string());
    }
}

/// Checks one bundle.
pub(super) fn check_bundle(input: &Input, found: &Found<'_>, limit: u64, findings: &mut Findings) {
    findings.bundles += 1;
    let opened = match found.open(limit) {
        Ok(opened) => opened,
        Err(error) => return findings.error(input.error(error)),
    };
    if let Err(error) = opened.check_hash(found) {
        findings.error(input.error(error));
    }
    let entries = match opened.entries() {
        Ok(entries) => entries,
        Err(error) => return findings.error(input.error_in(found, error)),
    };
    let place = format!("{}: {}", input.path().display(), found.place());
    let bundle = match &found.what {
        What::Raw(bundle) => Some(*bundle),
        _ => opened.content().and_then(|content| Bundle::parse(content).ok()),
    };
    for finding in bundle.iter().flat_map(Bundle::check) {
        findings.bad |= finding.fault.level() > Level::Note;
        findings.lines.push(format!("{place}: {finding}"));
    }
    findings.entries += entries.len();
    for entry in &entries {
        match check_entry(&opened, entry, limit, bundle.is_some()) {
            Ok(is_code) => findings.code_objects += usize::from(is_code),
            Err(error) => {
                let (index, id) = (entry.index, entry.id.text.escape_debug());
                findings.error(format!("{place}: error: entry {index} ({id}): {error}"));
            }
        }
    }
}

/// Checks an entry's code object; whether it is one. That the header cannot be read, the linter has said (`linted`).
fn check_entry(opened: &Opened<'_>, entry: &Entry<'_>, limit: u64, linted: bool) -> Result<bool, String> {
    if entry.id.kind == OffloadKind::Host || entry.size == 0 || !entry.id.is_amdgcn() {
        return Ok(false);
    }
    let code = opened.bytes(entry, limit).map_err(|error| error.to_string())?;
    if code.starts_with(BITCODE) {
        return Ok(false);
    }
    // Offsets of such an error count from the start of the code object.
    let in_code = |error: amd_codeobj::Error| format!("in its code object: {error}");
    match CodeObject::parse(&code) {
        Ok(object) => check_code(&object).map_err(in_code).map(|()| true),
        Err(_) if linted => Ok(false),
        Err(error) => Err(in_code(error)),
    }
}

/// Everything that a runtime reads of a code object.
fn check_code(object: &CodeObject<'_>) -> Result<(), amd_codeobj::Error> {
    for symbol in object.symbols()? {
        symbol?;
    }
    for relocation in object.relocations()? {
        relocation?;
    }
    // Metadata of version 2 is text, which nothing reads any more.
    if object.version() < 3 {
        return Ok(());
    }
    for kernel in object.metadata()?.kernels {
        let symbol = object.symbol(&kernel.symbol)?;
        object.kernel_descriptor(&symbol)?;
    }
    Ok(())
}
