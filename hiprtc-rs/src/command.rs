//! One run of a program of the compiler: its words are kept, whatever becomes of it.

use crate::Error;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a command. `Ok` is what it wrote to stderr, less the name of the folder that it worked in, which says nothing.
pub fn run(command: &mut Command, folder: &Path) -> Result<String, Error> {
    // Its own devices are of no use to a compiler.
    command.stdin(Stdio::null()).env_remove("LD_PRELOAD").env("LC_ALL", "C");
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(Error::io(program.clone()))?;
    let mut prefix = folder.display().to_string();
    prefix.push('/');
    let log = String::from_utf8_lossy(&output.stderr).replace(&prefix, "");
    if output.status.success() {
        return Ok(log);
    }
    let log = if log.trim().is_empty() { format!("{program}: {}", output.status) } else { log };
    Err(Error::Compilation { log })
}
