//! Files that a run writes about itself.

use std::path::PathBuf;

/// The path of a pattern: `%p` is this process's number, so that the processes of one job each have their own.
pub fn path(pattern: &str) -> PathBuf {
    pattern.replace("%p", &std::process::id().to_string()).into()
}
