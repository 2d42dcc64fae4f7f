//! `pack`: a bundle of code objects.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use offload_bundle::BundleBuilder;

use super::args::Pack;
use super::form::write;
use super::save::save;
use crate::pick;
use crate::{Error, File};

/// `ID=FILE` on the command line.
#[derive(Debug, Clone)]
pub(super) struct NewEntry {
    /// The whole ID.
    pub id: String,
    /// The file with its bytes.
    pub file: PathBuf,
}

impl FromStr for NewEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<NewEntry, String> {
        match text.split_once('=') {
            Some((id, file)) if !file.is_empty() => {
                Ok(NewEntry { id: pick::entry_id(id)?, file: PathBuf::from(file) })
            }
            _ => Err("it must be ID=FILE, as gfx90a=kernels.co".to_owned()),
        }
    }
}

/// Reads all files, then writes the bundle.
pub(super) fn run(args: &Pack) -> Result<ExitCode, Error> {
    let refused = |source| Error::Write { path: args.output.clone(), source };
    let files = args.entries.iter().map(|entry| File::open(&entry.file));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let mut builder = BundleBuilder::new();
    builder.align(args.form.align.unwrap_or(BundleBuilder::DEFAULT_ALIGN)).map_err(refused)?;
    for (entry, file) in args.entries.iter().zip(&files) {
        builder.add(&entry.id, &**file).map_err(refused)?;
    }
    let has_host = args.entries.iter().any(|entry| entry.id.starts_with("host-"));
    if !args.no_host && !has_host {
        builder.add_host().map_err(refused)?;
    }
    let options = args.form.options();
    save(&args.output, |to| {
        write(&builder, options.as_ref(), to)?;
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}
