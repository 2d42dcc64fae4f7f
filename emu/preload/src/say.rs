//! Lines on stderr of a process that is not ours: each in one write, past the locks of the standard library, which a child
//! of `fork` may find held. One that cannot be written is lost, and nothing else.

use std::fmt::Arguments;

/// Writes one line.
pub fn say(text: Arguments<'_>) {
    let line = format!("rocrs: {text}\n");
    let _ = nix::unistd::write(std::io::stderr(), line.as_bytes());
}
