//! What can go wrong, with what to do about it. Where a compiler spoke, its words are in the error.

use std::path::PathBuf;

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No compiler, header or library of the kind that is needed.
    #[error("no {what} was found; looked at: {}. {remedy}", list(.searched))]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// Where.
        searched: Vec<PathBuf>,
        /// What helps.
        remedy: &'static str,
    },
    /// What the environment names is not there.
    #[error("{variable}={value}: {why}")]
    Environment {
        /// The variable.
        variable: &'static str,
        /// What it is set to.
        value: String,
        /// What is wrong with that.
        why: &'static str,
    },
    /// The caller passed something that makes no sense.
    #[error("{0}")]
    Input(String),
    /// An option that this library cannot let through.
    #[error("option {option}: {why}")]
    Option {
        /// The option.
        option: String,
        /// Why not.
        why: &'static str,
    },
    /// No architecture was named, and there is no device to ask.
    #[error("no --offload-arch= was given, and there is no GPU to take it from")]
    NoTarget,
    /// clang found errors: this is what it wrote.
    #[error("{log}")]
    Compilation {
        /// All of it.
        log: String,
    },
    /// A name expression is compiled, but leads to no symbol.
    #[error("name expression {0} names no kernel or variable of the program")]
    Name(String),
    /// The operating system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Its answer.
        source: std::io::Error,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
