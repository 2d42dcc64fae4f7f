//! Output files that are whole or not there: written beside their place, and moved to it when complete.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use offload_bundle::WriteError;

use crate::Error;

/// Why an output was not written.
pub(super) enum Unsaved {
    /// It could not be made, or the system could not write it.
    Write(WriteError),
    /// Something is wrong with the input.
    Input(Error),
}

impl Unsaved {
    /// The error of the tool, about this output.
    fn about(self, path: &Path) -> Error {
        match self {
            Unsaved::Input(error) => error,
            Unsaved::Write(source) => Error::Write { path: path.to_owned(), source },
        }
    }
}

impl From<io::Error> for Unsaved {
    fn from(error: io::Error) -> Unsaved {
        Unsaved::Write(error.into())
    }
}

impl From<WriteError> for Unsaved {
    fn from(error: WriteError) -> Unsaved {
        Unsaved::Write(error)
    }
}

impl From<Error> for Unsaved {
    fn from(error: Error) -> Unsaved {
        Unsaved::Input(error)
    }
}

/// Writes an output by means of `write`: to a file, or to standard output if the path is "-". What was there before
/// stays until the new file is complete.
pub(super) fn save(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Unsaved>,
) -> Result<(), Error> {
    if path.as_os_str() == "-" {
        let mut output = BufWriter::new(io::stdout().lock());
        let saved = write(&mut output).and_then(|()| Ok(output.flush()?));
        return saved.map_err(|error| match error {
            Unsaved::Write(WriteError::Io(error)) => Error::Output(error),
            error => error.about(path),
        });
    }
    let saved = match Place::of(path) {
        Ok(Place::File(place)) => to_file(&place, write),
        Ok(Place::Special) => to_special(path, write),
        Err(error) => Err(error.into()),
    };
    saved.map_err(|error| error.about(path))
}

/// The same for a file with a name of our own making, in a folder: whatever has that name is replaced, also a link.
pub(super) fn save_new(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Unsaved>,
) -> Result<(), Error> {
    to_file(path, write).map_err(|error| error.about(path))
}

fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Unsaved>) -> Result<(), Unsaved> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // The error of a directory that is missing, and not of the file that would be made in it.
    std::fs::metadata(directory)?;
    let mut builder = tempfile::Builder::new();
    // As any new file: what the caller's umask leaves of it.
    builder.prefix(".offload-bundle-").permissions(Permissions::from_mode(0o666));
    let mut output = BufWriter::new(builder.tempfile_in(directory)?);
    write(&mut output)?;
    let file = output.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A device or a pipe is written to, not replaced.
fn to_special(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Unsaved>) -> Result<(), Unsaved> {
    let mut output = BufWriter::new(std::fs::OpenOptions::new().write(true).open(path)?);
    write(&mut output)?;
    Ok(output.flush()?)
}

/// Where an output goes.
enum Place {
    /// A file, whether it is there or not.
    File(PathBuf),
    /// Something that is there and is no file.
    Special,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        let place = match std::fs::canonicalize(path) {
            // A link stays one; what it leads to is written.
            Ok(place) => place,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::File(path.to_owned())),
            Err(error) => return Err(error),
        };
        let metadata = std::fs::metadata(&place)?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(if metadata.is_file() { Place::File(place) } else { Place::Special })
    }
}
