//! `repack`: the bundles of any file as a fat binary, in another form or with other entries.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use offload_bundle::{
    BundleBuilder, CcobVersion, CompressOptions, Entry, HOST_ID, OffloadKind, WriteError, compress,
};

use super::args::Repack;
use super::form::write;
use super::save::{Unsaved, save};
use super::unpack::elsewhere;
use crate::input::{Found, Input, Opened, What};
use crate::pick;
use crate::{Error, File};

/// Where bundles of a fat binary start: at multiples of this many bytes, as linkers put them.
const BUNDLE_ALIGN: u64 = 4096;

/// Writes the bundles one after another.
pub(super) fn run(args: &Repack) -> Result<ExitCode, Error> {
    let input = Input::open(&args.file)?;
    let added = args.add.iter().map(|entry| Ok((entry.id.as_str(), File::open(&entry.file)?)));
    let work = Work { args, input: &input, added: added.collect::<Result<_, Error>>()? };
    // Every header is looked at before anything is written.
    let bundles = pick::bundles(&input, args.bundle).collect::<Result<Vec<_>, _>>()?;
    if bundles.len() > 1 && !work.added.is_empty() {
        let text = format!("there are {} bundles: say with --bundle which to add to", bundles.len());
        return Err(work.error(text));
    }
    let mut unused: Vec<&String> = args.remove.iter().collect();
    save(&args.output, |to| {
        let mut at = 0u64;
        for found in &bundles {
            let start = at.next_multiple_of(BUNDLE_ALIGN);
            io::copy(&mut io::repeat(0).take(start - at), to)?;
            at = start + work.repack(found, &mut unused, to)?;
        }
        match unused.first() {
            Some(id) => Err(work.error(format!("there is no entry {id} to remove")).into()),
            None => Ok(()),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

struct Work<'a> {
    args: &'a Repack,
    input: &'a Input,
    added: Vec<(&'a str, File)>,
}

impl Work<'_> {
    /// Writes one bundle and returns its size.
    fn repack(
        &self,
        found: &Found<'_>,
        unused: &mut Vec<&String>,
        to: &mut dyn Write,
    ) -> Result<u64, Unsaved> {
        if let What::Reference(reference) = &found.what {
            return Err(elsewhere(self.input.path(), found, reference.kernel_name).into());
        }
        let limit = self.args.limit.bytes;
        let opened = found.open(limit).map_err(|error| self.input.error(error))?;
        opened.check_hash(found).map_err(|error| self.input.error(error))?;
        let entries = opened.entries().map_err(|error| self.input.error_in(found, error))?;
        unused.retain(|id| !entries.iter().any(|entry| pick::matches(&entry.id, id)));
        let options = self.options(found);
        let is_bundle = matches!(found.what, What::Raw(_) | What::Compressed(_));
        let changed = !self.added.is_empty()
            || self.args.form.align.is_some()
            || entries.iter().any(|entry| self.removes(entry));
        if !is_bundle || changed {
            let builder = self.build(found, &opened, &entries)?;
            return Ok(write(&builder, options.as_ref(), to)?);
        }
        let keep = self.args.form.compress.is_none() && !self.args.raw;
        let unpacked = opened.content().unwrap_or(found.bytes);
        match options {
            _ if keep => whole(to, found.bytes),
            None => whole(to, unpacked),
            Some(options) => whole(to, &compress(unpacked, &options)?),
        }
    }

    /// How to compress a bundle: as it was, if nothing is asked.
    fn options(&self, found: &Found<'_>) -> Option<CompressOptions> {
        match &found.what {
            _ if self.args.raw => None,
            What::Compressed(compressed) if self.args.form.compress.is_none() => {
                let version = if compressed.version() >= 3 { CcobVersion::V3 } else { CcobVersion::V2 };
                let method = compressed.method();
                Some(CompressOptions { version, method, ..CompressOptions::default() })
            }
            _ => self.args.form.options(),
        }
    }

    /// The bundle with its changes.
    fn build<'b>(
        &'b self,
        found: &Found<'_>,
        opened: &'b Opened<'_>,
        entries: &[Entry<'b>],
    ) -> Result<BundleBuilder<'b>, Unsaved> {
        let mut kept = Vec::new();
        for entry in entries.iter().filter(|entry| !self.removes(entry)) {
            let bytes =
                opened.bytes(entry, self.args.limit.bytes).map_err(|error| self.input.error(error))?;
            kept.push((entry.id.text, bytes));
        }
        let mut builder = BundleBuilder::from_entries(kept);
        builder.align(self.args.form.align.unwrap_or(BundleBuilder::DEFAULT_ALIGN))?;
        let is_bundle = matches!(found.what, What::Raw(_) | What::Compressed(_));
        let has_host = entries.iter().any(|entry| entry.id.kind == OffloadKind::Host);
        if !is_bundle && !has_host && !self.args.remove.iter().any(|id| id == HOST_ID) {
            builder.add_host()?;
        }
        for (id, file) in &self.added {
            match builder.replace(id, &**file) {
                Ok(_) => {}
                Err(WriteError::NoSuchEntry { .. }) => {
                    builder.add(*id, &**file)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(builder)
    }

    fn removes(&self, entry: &Entry<'_>) -> bool {
        self.args.remove.iter().any(|id| pick::matches(&entry.id, id))
    }

    fn error(&self, text: String) -> Error {
        Error::Other(format!("{}: {text}", self.input.path().display()))
    }
}

fn whole(to: &mut dyn Write, bytes: &[u8]) -> Result<u64, Unsaved> {
    to.write_all(bytes)?;
    Ok(bytes.len() as u64)
}
