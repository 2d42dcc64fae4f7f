//! What a program of `tests/kernels` or `tests/bench` says about itself, in lines `//@ KEY: VALUE`.
//!
//! | key | value |
//! |---|---|
//! | `stderr` | a text that must occur on stderr; may be repeated |
//! | `compile-for` | the target IDs to compile for, where they are not the chip it runs on |
//! | `run-on`, `only-cc`, `only-opt` | the chips, drivers, optimisation levels that it is restricted to |
//! | `only-device` | what it is restricted to run on (`preload`) |
//! | `devices` | how many emulated GPUs it runs on, all of the same chip |
//! | `flags` | further flags for the compiler |
//! | `package` | Debian's packages that it is compiled with, of [`packages::LIBRARIES`] |
//! | `by-hand` | why it runs only where `--filter` is its whole name |
//! | `timeout` | longest run in seconds |
//! | `vendor-aborts` | why AMD's libraries abort it: then they must |
//! | `vendor-says` | a text that AMD's libraries then say on stderr; may be repeated |
//! | `ours` | why it is not for AMD's libraries |
//! | `small` | arguments that make a yardstick program short |

use std::path::Path;

use crate::error::Error;
use crate::{packages, workspace};

/// The values of all keys.
#[derive(Debug, Default, Clone)]
pub struct Directives {
    pub stderr: Vec<String>,
    pub compile_for: Vec<String>,
    /// None: any.
    pub run_on: Vec<String>,
    pub only_cc: Vec<String>,
    pub only_opt: Vec<String>,
    pub only_device: Vec<String>,
    /// None: one.
    pub devices: Option<usize>,
    pub flags: Vec<String>,
    pub packages: Vec<&'static str>,
    pub by_hand: Option<String>,
    pub timeout: Option<u64>,
    pub vendor_aborts: Option<String>,
    pub vendor_says: Vec<String>,
    pub ours: Option<String>,
    pub small: Vec<String>,
}

impl Directives {
    /// Those of a source.
    pub fn of(source: &Path) -> Result<Directives, Error> {
        parse(&workspace::read(source)?)
            .map_err(|(line, what)| Error::Other(format!("{}:{line}: {what}", workspace::relative(source))))
    }

    /// Whether it may run on a chip.
    pub fn runs_on(&self, chip: &str) -> bool {
        allows(&self.run_on, chip)
    }
}

/// Whether a list that restricts something has the word; an empty one restricts nothing.
pub fn allows(list: &[String], word: &str) -> bool {
    list.is_empty() || list.iter().any(|entry| entry == word)
}

/// The directives of a text, or the line and the fault of a wrong one.
fn parse(text: &str) -> Result<Directives, (usize, String)> {
    let mut found = Directives::default();
    for (n, line) in text.lines().enumerate() {
        let Some(rest) = line.strip_prefix("//@") else { continue };
        let fault = |what: String| Err((n + 1, what));
        let Some((key, value)) = rest.trim_start().split_once(": ") else {
            return fault(format!("'{line}' is not of the form `//@ KEY: VALUE`"));
        };
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "stderr" => found.stderr.push(value.to_owned()),
            "compile-for" => found.compile_for.extend(words()),
            "run-on" => found.run_on.extend(words()),
            "only-cc" => found.only_cc.extend(words()),
            "only-opt" => found.only_opt.extend(words()),
            "only-device" => found.only_device.extend(words()),
            "flags" => found.flags.extend(words()),
            "package" => {
                for word in words() {
                    let known = packages::LIBRARIES.iter().find(|known| **known == word);
                    found.packages.push(known.ok_or_else(|| {
                        (n + 1, format!("no package '{word}' (see LIBRARIES in xtask/src/packages.rs)"))
                    })?);
                }
            }
            "by-hand" => found.by_hand = Some(value.to_owned()),
            "vendor-aborts" => found.vendor_aborts = Some(value.to_owned()),
            "vendor-says" => found.vendor_says.push(value.to_owned()),
            "ours" => found.ours = Some(value.to_owned()),
            "small" => found.small.extend(words()),
            "devices" => match value.parse() {
                Ok(count @ 1..=8) => found.devices = Some(count),
                _ => return fault(format!("'{value}' is no number of GPUs from 1 to 8")),
            },
            "timeout" => match value.parse() {
                Ok(seconds) => found.timeout = Some(seconds),
                Err(_) => return fault(format!("'{value}' is no number of seconds")),
            },
            _ => return fault(format!("no directive '{key}' (see xtask/src/directives.rs)")),
        }
    }
    if found.vendor_aborts.is_some() == found.vendor_says.is_empty() {
        return Err((1, "`vendor-aborts` and `vendor-says` go together: why, and what is said".to_owned()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let text = "//@ run-on: gfx90a gfx942\nint x;\n//@ stderr: a: b\n//@ timeout: 300\n";
        let found = parse(text).unwrap();
        assert!(found.runs_on("gfx942") && !found.runs_on("gfx906"));
        assert_eq!((found.stderr, found.timeout), (vec!["a: b".to_owned()], Some(300)));
        assert!(parse("").unwrap().runs_on("gfx906"));
    }

    #[test]
    fn wrong_ones_are_refused() {
        let fault = |text: &str| parse(text).unwrap_err();
        assert_eq!(fault("\n//@ run-only: gfx90a").0, 2);
        for text in [
            "//@ ours",
            "//@ devices: 0",
            "//@ devices: two",
            "//@ timeout: soon",
            "//@ package: libm",
            "//@ vendor-aborts: at a fault",
            "//@ vendor-says: x",
        ] {
            assert_eq!(fault(text).0, 1, "{text}");
        }
    }
}
