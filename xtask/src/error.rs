//! What can go wrong in a command, with the thing, the place and the way out.

use std::path::{Path, PathBuf};

/// An error that ends a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, written, linked or made.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program ended with a failure.
    #[error("{command}\nended with {status}\n{output}")]
    Failed {
        /// The command line.
        command: String,
        /// Its exit status.
        status: String,
        /// What it wrote, when that was not passed through.
        output: String,
    },
    /// A tool or file of the toolchain is not on this machine.
    #[error("{what} not found. To install it, type:\n    {install}")]
    Missing {
        /// What is missing.
        what: String,
        /// The command to type.
        install: String,
    },
    /// Nothing was tested, for want of packages.
    #[error("skipped: {what} not installed. Install with:\n    {install}")]
    Skipped {
        /// What is missing.
        what: String,
        /// The command to type.
        install: String,
    },
    /// Something else, said in full.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Names the file that an I/O error belongs to.
    pub fn at(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.as_ref().to_path_buf();
        move |source| Error::Io { path, source }
    }
}
