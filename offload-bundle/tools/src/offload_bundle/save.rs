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
    let standard = path.as_os_str() == "-";
    let saved = if standard {
        let mut output = BufWriter::new(io::stdout().lock());
        write(&mut output).and_then(|()| Ok(output.flush()?))
    } else {
        to_file(path, write)
    };
    saved.map_err(|error| match error {
        Unsaved::Input(error) => error,
        Unsaved::Write(WriteError::Io(error)) if standard => Error::Output(error),
        Unsaved::Write(source) => Error::Write { path: path.to_owned(), source },
    })
}

fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Unsaved>) -> Result<(), Unsaved> {
    let Place::Beside { place, directory } = Place::of(path)? else {
        // A device or a pipe is written to, not replaced.
        let mut output = BufWriter::new(std::fs::OpenOptions::new().write(true).open(path)?);
        write(&mut output)?;
        return Ok(output.flush()?);
    };
    let mut builder = tempfile::Builder::new();
    // As any new file: what the caller's umask leaves of it.
    builder.prefix(".offload-bundle-").permissions(Permissions::from_mode(0o666));
    let mut output = BufWriter::new(builder.tempfile_in(directory)?);
    write(&mut output)?;
    let file = output.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}

/// Where an output goes.
enum Place {
    /// A file, made in its directory first.
    Beside { place: PathBuf, directory: PathBuf },
    /// Something that is there and is no file.
    Special,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        let place = match std::fs::canonicalize(path) {
            // A link stays one.
            Ok(place) => place,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        match std::fs::metadata(&place) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return Ok(Place::Special),
            _ => {}
        }
        let directory = match place.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        // The error of a directory that is missing, and not of the file that would be made in it.
        std::fs::metadata(&directory)?;
        Ok(Place::Beside { place, directory })
    }
}
