//! What a person is told: a difference, a failure, a crash of the compiler, each with the command that shows it again.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use crate::Options;
use crate::batch::Difference;

/// Which programs a command line is about.
#[derive(Debug, Clone, Copy)]
pub enum Which {
    /// The program of this seed.
    Program(u64),
    /// The `n`-th translation unit.
    Unit(usize),
}

/// The command that shows it again, on those chips and levels.
pub fn again<'a>(
    options: &Options,
    which: Which,
    chips: impl IntoIterator<Item = &'a String>,
    opts: impl IntoIterator<Item = &'a u8>,
) -> String {
    let mut line = "cargo xtask differential".to_owned();
    line += &match (which, options.only) {
        (Which::Program(seed), _) | (Which::Unit(_), Some(seed)) => format!(" --only {seed:#x}"),
        (Which::Unit(n), None) => format!(" --seed {} --skip {n} --batches 1", options.seed),
    };
    line.extend(chips.into_iter().map(|chip| format!(" --gpu {chip}")));
    line.extend(opts.into_iter().map(|opt| format!(" --opt {opt}")));
    line += &format!(" --inputs {}", options.inputs);
    line.extend(options.cflags.iter().map(|flag| format!(" --cflag {}", quoted(flag))));
    line
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

pub fn difference(difference: &Difference, options: &Options) {
    let Difference { seed, chip, opt, what, .. } = difference;
    let again = again(options, Which::Program(*seed), [chip], [opt]);
    println!("DIFFERENCE on {chip} -O{opt}: {what}\n  again: {again}");
}

pub fn crash(options: &Options, n: usize, chip: &String, opt: u8) {
    let again = again(options, Which::Unit(n), [chip], [&opt]);
    eprintln!("the compiler crashed on {chip} -O{opt}\n  again: {again}");
}

/// Describes why a translation unit could not be compared. What was made of it is kept: the folder, which would be
/// removed, gets a name of its own, also in the text.
pub fn failure(error: &impl Display, options: &Options, n: usize, seeds: &[u64], folder: &Path) -> String {
    let first = seeds.first().copied().unwrap_or_default();
    let kept = options.folder.join(format!("failed-{first:016x}"));
    // From an earlier run.
    let _ = fs::remove_dir_all(&kept);
    let mut text = error.to_string();
    let place = match fs::rename(folder, &kept) {
        Ok(()) => {
            text = text.replace(&folder.display().to_string(), &kept.display().to_string());
            kept.join("unit.cpp").display().to_string()
        }
        Err(error) => format!("not kept ({}: {error})", kept.display()),
    };
    let again = again(options, Which::Unit(n), &options.gpus, &options.opts);
    format!("{text}\n  programs: {first:#x} and on\n  source: {place}\n  again: {again}")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn options(folder: &Path, more: &[&str]) -> Options {
        let folder = format!("--folder={}", folder.display());
        let needed = ["differential", "--clang=c", "--device-libs=d", "--gpu=gfx90a", &folder];
        Options::parse_from(needed.iter().chain(more))
    }

    #[test]
    fn the_command_has_all_that_makes_a_difference() {
        let folder = Path::new("x");
        let options = options(folder, &["--seed=7", "--cflag=-mllvm", "--cflag=-a b", "--inputs=64"]);
        assert_eq!(
            again(&options, Which::Program(0xab), [&"gfx942".to_owned()], [&3]),
            "cargo xtask differential --only 0xab --gpu gfx942 --opt 3 --inputs 64 --cflag -mllvm --cflag '-a b'"
        );
        assert_eq!(
            again(&options, Which::Unit(5), &options.gpus, &options.opts),
            "cargo xtask differential --seed 7 --skip 5 --batches 1 --gpu gfx90a --opt 0 --opt 3 --inputs 64 \
             --cflag -mllvm --cflag '-a b'"
        );
    }

    #[test]
    fn a_failure_keeps_the_source_and_names_it() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("1-0");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("unit.cpp"), "int x;").unwrap();
        let options = options(room.path(), &[]);
        let error = format!("clang {}/unit.cpp", folder.display());
        let text = failure(&error, &options, 2, &[0xab, 0xcd], &folder);
        let kept = room.path().join("failed-00000000000000ab/unit.cpp");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "int x;");
        assert!(text.starts_with(&format!("clang {}\n", kept.display())), "{text}");
        assert!(text.contains(&format!("source: {}\n", kept.display())), "{text}");
        assert!(text.contains("programs: 0xab") && text.contains("--skip 2 --batches 1"), "{text}");
    }
}
