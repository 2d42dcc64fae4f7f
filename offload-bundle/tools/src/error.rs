//! The tools' error, and how a tool ends: 0 when all is well, 1 when something is wrong with a file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::printable;

/// Why a tool could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The text that a tool prints cannot be written.
    #[error("standard output: {0}")]
    Output(#[source] std::io::Error),
    /// A fat binary that cannot be read.
    #[error("{}: {source}", path.display())]
    Bundle {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: offload_bundle::Error,
    },
    /// A bundle that cannot be made or written.
    #[error("{}: {source}", path.display())]
    Write {
        /// Which file it was to be.
        path: PathBuf,
        /// Why not.
        source: offload_bundle::WriteError,
    },
    /// A code object that cannot be read.
    #[error("{place}: {source}")]
    CodeObject {
        /// The file, and the entry in it.
        place: String,
        /// What is wrong with it.
        source: amd_codeobj::Error,
    },
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// For `map_err`: an error of the system about this file.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io { path: path.to_owned(), source }
    }
}

/// Tells of an error on stderr, behind the tool's name.
pub fn report(tool: &str, error: &Error) {
    eprintln!("{tool}: {}", printable(&error.to_string()));
}

/// Runs a tool's body; its error goes to stderr behind the tool's name. A reader that has seen enough and closed the
/// pipe is no error.
pub fn run(tool: &str, body: impl FnOnce() -> Result<ExitCode, Error>) -> ExitCode {
    match body() {
        Ok(code) => code,
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            report(tool, &error);
            ExitCode::FAILURE
        }
    }
}
