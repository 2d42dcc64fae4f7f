//! Every code object of every file, one at a time: the next is not looked at, and a compressed bundle not unpacked,
//! before the one before it is done with.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use amd_codeobj::{CodeObject, TargetId};
use offload_bundle::{Entry, EntryId, ImageKind, OffloadKind, select};
use serde::Serialize;

use super::TOOL;
use super::args::Pick;
use crate::input::{Found, Input};
use crate::{Error, Output, pick};

/// A code object and its place.
pub(crate) struct Object<'a> {
    /// The file.
    pub path: &'a Path,
    /// The archive member that it is in.
    pub member: Option<&'a str>,
    /// The section that it is in.
    pub section: Option<&'a str>,
    /// The bundle that it is in.
    pub bundle: usize,
    /// What kind of bundle that is.
    pub kind: ImageKind,
    /// Its ID there; a code object without a bundle has the one that it would have.
    pub id: EntryId<'a>,
    /// Its bytes.
    pub data: &'a [u8],
    /// It.
    pub code: CodeObject<'a>,
}

/// Where a line of JSON comes from.
#[derive(Serialize)]
pub(crate) struct Origin<'a> {
    file: String,
    bundle: usize,
    id: &'a str,
    target: Option<String>,
}

impl Object<'_> {
    /// The target ID of its header.
    pub fn target(&self) -> Option<TargetId> {
        self.code.target_id().ok()
    }

    /// The target ID for people: if the header's processor is not known, what the bundle says.
    pub fn target_text(&self) -> String {
        self.target().map_or_else(|| self.id.label().to_owned(), |target| target.to_string())
    }

    /// "program: bundle 3 (raw, .hip_fatbin), gfx942".
    pub fn place(&self) -> String {
        place(self.path, self.bundle, self.kind, [self.member, self.section], self.id.label())
    }

    /// For JSON.
    pub fn origin(&self) -> Origin<'_> {
        Origin {
            file: self.path.display().to_string(),
            bundle: self.bundle,
            id: self.id.text,
            target: self.target().map(|target| target.to_string()),
        }
    }

    /// For `map_err`: an error of the library about this code object.
    pub fn error(&self, source: amd_codeobj::Error) -> Error {
        Error::CodeObject { place: self.place(), source }
    }
}

fn place(path: &Path, bundle: usize, kind: ImageKind, names: [Option<&str>; 2], label: &str) -> String {
    let path = path.display();
    if kind == ImageKind::CodeObject && names == [None, None] {
        return path.to_string();
    }
    let names: String = names.into_iter().flatten().map(|name| format!(", {name}")).collect();
    format!("{path}: bundle {bundle} ({kind}{names}), {label}")
}

/// Calls `each` for every code object that is asked for. What is wrong with one is said on stderr, and the walk goes on
/// with the next; the exit status remembers.
pub(crate) fn each(
    pick: &Pick,
    out: &mut Output,
    each: impl FnMut(&Object<'_>, &mut Output) -> Result<(), Error>,
) -> Result<ExitCode, Error> {
    each_for(TOOL, pick, out, each)
}

/// The same for another tool, whose name stands in front of what is said on stderr.
pub(crate) fn each_for(
    tool: &'static str,
    pick: &Pick,
    out: &mut Output,
    mut each: impl FnMut(&Object<'_>, &mut Output) -> Result<(), Error>,
) -> Result<ExitCode, Error> {
    let mut walk =
        Walk { tool, pick, out, each: &mut each, found: 0, failed: false, others: BTreeSet::new() };
    for path in &pick.files {
        let result = walk.file(path);
        walk.report(result)?;
    }
    if walk.found == 0 && !walk.failed {
        return Err(Error::Other(walk.nothing()));
    }
    let failed = walk.failed;
    out.flush()?;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

type Each<'a> = &'a mut dyn FnMut(&Object<'_>, &mut Output) -> Result<(), Error>;

struct Walk<'a> {
    tool: &'static str,
    pick: &'a Pick,
    out: &'a mut Output,
    each: Each<'a>,
    /// Code objects that were handed to `each`.
    found: usize,
    failed: bool,
    /// Labels of entries that were not asked for.
    others: BTreeSet<String>,
}

impl Walk<'_> {
    /// Passes errors of the output on; says others on stderr.
    fn report(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        match result {
            Ok(()) => Ok(()),
            Err(error @ Error::Output(_)) => Err(error),
            Err(error) => {
                self.out.flush()?;
                crate::report(self.tool, &error);
                self.failed = true;
                Ok(())
            }
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), Error> {
        let input = Input::open(path)?;
        for found in pick::bundles(&input, self.pick.choice.bundle) {
            let result = self.image(&input, &found?);
            self.report(result)?;
        }
        Ok(())
    }

    fn image(&mut self, input: &Input, found: &Found<'_>) -> Result<(), Error> {
        let opened = found.open(self.pick.choice.limit).map_err(|error| input.error(error))?;
        let entries = opened.entries().map_err(|error| input.error_in(found, error))?;
        for entry in self.chosen(entries) {
            let result = match opened.bytes(&entry, self.pick.choice.limit) {
                Ok(data) => self.entry(input, found, &Entry { data: &data, ..entry }),
                Err(error) => Err(input.error(error)),
            };
            self.report(result)?;
        }
        Ok(())
    }

    fn chosen<'e>(&mut self, mut entries: Vec<Entry<'e>>) -> Vec<Entry<'e>> {
        let label = |entry: &Entry<'_>| entry.id.label().to_owned();
        if let Some(agent) = &self.pick.choice.agent {
            match select(entries, &pick::agent(agent)) {
                Ok(choice) => vec![choice.entry],
                Err(none) => {
                    self.others.extend(none.found().into_iter().map(str::to_owned));
                    Vec::new()
                }
            }
        } else if let Some(wanted) = &self.pick.choice.entry {
            let is_wanted = |id: &EntryId<'_>| pick::matches(id, wanted);
            let others = entries.iter().filter(|entry| !is_wanted(&entry.id) && !entry.data.is_empty());
            self.others.extend(others.map(label));
            entries.retain(|entry| is_wanted(&entry.id));
            entries
        } else {
            entries
        }
    }

    /// Entries without code for an AMD GPU are passed over in silence if they are empty or the host's, otherwise with a
    /// word on stderr.
    fn entry(&mut self, input: &Input, found: &Found<'_>, entry: &Entry<'_>) -> Result<(), Error> {
        if entry.data.is_empty() || entry.id.kind == OffloadKind::Host {
            return Ok(());
        }
        let names = [found.member, found.section];
        let place = || place(input.path(), found.index, found.kind, names, entry.id.label());
        let what = match entry.data {
            [0x03, 0x02, 0x23, 0x07, ..] => Some("SPIR-V"),
            [b'B', b'C', 0xc0, 0xde, ..] => Some("LLVM bitcode"),
            _ => None,
        };
        if let Some(what) = what {
            self.out.flush()?;
            let note = format!("{}: passed over: {what}, not a code object", place());
            crate::report(self.tool, &Error::Other(note));
            return Ok(());
        }
        self.found += 1;
        let code =
            CodeObject::parse(entry.data).map_err(|source| Error::CodeObject { place: place(), source })?;
        let object = Object {
            path: input.path(),
            member: found.member,
            section: found.section,
            bundle: found.index,
            kind: found.kind,
            id: entry.id.clone(),
            data: entry.data,
            code,
        };
        (self.each)(&object, self.out)
    }

    /// Why there is no code object.
    fn nothing(&self) -> String {
        let files: Vec<String> = self.pick.files.iter().map(|path| path.display().to_string()).collect();
        let files = files.join(", ");
        let what = match (&self.pick.choice.agent, &self.pick.choice.entry, self.pick.choice.bundle) {
            (Some(agent), _, _) => format!("no code for {agent}"),
            (None, Some(entry), _) => format!("no entry {entry} with code"),
            (None, None, Some(bundle)) => format!("no code objects in bundle {bundle}"),
            (None, None, None) => "no code objects".to_owned(),
        };
        let others: Vec<&str> = self.others.iter().map(String::as_str).collect();
        match others[..] {
            [] => format!("{files}: {what}"),
            _ => format!("{files}: {what}; there is {}", others.join(", ")),
        }
    }
}
