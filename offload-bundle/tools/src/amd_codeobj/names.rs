//! Names for people: demangled, without control characters, and no longer than the terminal is wide.

use std::collections::HashMap;
use std::fmt;
use std::io::IsTerminal;

use cpp_demangle::{DemangleOptions, DemangleWrite, Symbol};

use crate::printable;

/// A mangled name of a few bytes can stand for one of any length, by its back references: longer ones stay mangled.
const LONGEST: usize = 64 << 10;

/// Kernels have the same names in every entry of a bundle.
const REMEMBERED: usize = 1 << 16;

/// Demangles, and remembers.
#[derive(Default)]
pub(super) struct Names {
    known: HashMap<String, String>,
}

impl Names {
    /// The name in its language; unchanged if it is not a mangled one. What stands behind a dot (`.kd`, `.managed`) stays.
    pub fn demangle(&mut self, name: &str) -> &str {
        if !self.known.contains_key(name) {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            let text = demangle(name).unwrap_or_else(|| name.to_owned());
            self.known.insert(name.to_owned(), printable(&text).into_owned());
        }
        self.known.get(name).map_or("", String::as_str)
    }
}

fn demangle(name: &str) -> Option<String> {
    if !name.starts_with("_Z") {
        return None;
    }
    let (mangled, tail) = name.split_at(name.find('.').unwrap_or(name.len()));
    let symbol = Symbol::new(mangled).ok()?;
    let mut out = Bounded(String::new());
    symbol.structured_demangle(&mut out, &DemangleOptions::default()).ok()?;
    Some(out.0 + tail)
}

struct Bounded(String);

impl DemangleWrite for Bounded {
    fn write_string(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Columns of the terminal that standard output goes to; `None` if it goes elsewhere.
pub(super) fn terminal_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// Cuts a line that does not fit: nothing is cut where there is no terminal.
pub(super) fn fit(line: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if line.chars().count() > width => {
            let mut cut: String = line.chars().take(width.saturating_sub(1)).collect();
            cut.push('…');
            cut
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled() {
        let mut names = Names::default();
        for (name, text) in [
            ("_Z5saxpyfPKfPf", "saxpy(float, float const*, float*)"),
            ("_Z5saxpyfPKfPf.kd", "saxpy(float, float const*, float*).kd"),
            ("_ZN1a1bIiEEvT_", "void a::b<int>(int)"),
            ("main", "main"),
            ("_Z", "_Z"),
            ("_Z5saxpyf junk", "_Z5saxpyf junk"),
            ("a\x1b[31mb", "a\\u{1b}[31mb"),
            ("", ""),
        ] {
            assert_eq!(names.demangle(name), text, "{name}");
        }
    }

    #[test]
    fn a_name_that_grows_without_end_stays_mangled() {
        let mut name = "_Z1fI1aE".to_owned();
        name.push_str(&"IS_S_S_S_S_S_S_S_E".repeat(40));
        assert!(Names::default().demangle(&name).len() <= LONGEST + name.len());
    }

    #[test]
    fn lines_are_cut_to_the_terminal_only() {
        assert_eq!(fit("abcdef", None), "abcdef");
        assert_eq!(fit("abcdef", Some(6)), "abcdef");
        assert_eq!(fit("abcdef", Some(4)), "abc…");
        assert_eq!(fit("äöüß", Some(3)), "äö…");
    }
}
