//! AMD's `rocminfo` on the emulated device: that it ends well and says what the chip is.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::report::Row;
use crate::stack::Thunk;
use crate::test_hip::Failure;
use crate::{exec, stack};

/// Longest run in seconds.
const TIMEOUT: u64 = 60;

/// What rocminfo must say of a chip: name, marketing name, compute units, waves in a compute unit, target ID.
struct Wanted {
    chip: &'static str,
    lines: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const CHIPS: &[Wanted] = &[
    Wanted { chip: "gfx900", lines: &[
        ("Name", "gfx900"), ("Marketing Name", "AMD Radeon Instinct MI25"), ("Compute Unit", "64"),
        ("Max Waves Per CU", "40(0x28)"), ("Chip ID", "26720(0x6860)"), ("Name", "amdgcn-amd-amdhsa--gfx900:xnack-"),
    ] },
    Wanted { chip: "gfx906", lines: &[
        ("Name", "gfx906"), ("Marketing Name", "AMD Instinct MI60 / MI50"), ("Compute Unit", "60"),
        ("Max Waves Per CU", "40(0x28)"), ("Chip ID", "26273(0x66a1)"),
        ("Name", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"),
    ] },
    Wanted { chip: "gfx908", lines: &[
        ("Name", "gfx908"), ("Marketing Name", "AMD Instinct MI100"), ("Compute Unit", "120"),
        ("Max Waves Per CU", "40(0x28)"), ("Chip ID", "29580(0x738c)"),
        ("Name", "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"),
    ] },
    Wanted { chip: "gfx90a", lines: &[
        ("Name", "gfx90a"), ("Marketing Name", "AMD Instinct MI250X"), ("Compute Unit", "110"),
        ("Max Waves Per CU", "32(0x20)"), ("Chip ID", "29704(0x7408)"), ("Max Clock Freq. (MHz)", "1700"),
        ("Wavefront Size", "64(0x40)"), ("Size", "67092480(0x3ffc000) KB"),
        ("Name", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"),
    ] },
];

/// Machines of two GPUs.
const PAIRS: &[[&str; 2]] = &[["gfx90a", "gfx90a"], ["gfx908", "gfx906"]];

/// Runs rocminfo on each chip, and on machines of two.
pub fn run(dist: &Path, thunk: Thunk) -> (Row, Vec<Failure>) {
    let began = Instant::now();
    let mut failures = Vec::new();
    let mut passed = 0;
    let machines = CHIPS.iter().map(|wanted| vec![wanted.chip]).chain(PAIRS.iter().map(|pair| pair.to_vec()));
    for chips in machines {
        let names = chips.join(",");
        match check(dist, &chips, thunk) {
            Ok(()) => passed += 1,
            Err(what) => {
                eprintln!("FAIL rocminfo ({names}): {what}");
                let again = format!("{} run --gpu {names} -- rocminfo", stack::starter(dist).display());
                failures.push(Failure { program: "rocminfo".to_owned(), suite: names, what, again });
            }
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    let failed = failures.len();
    (
        Row {
            layer: "vendor".to_owned(),
            suite: format!("rocminfo{}", thunk.suffix()),
            passed,
            failed,
            seconds,
        },
        failures,
    )
}

/// What rocminfo prints.
fn output(dist: &Path, chips: &[&str], thunk: Thunk) -> Result<String, String> {
    let mut command = stack::behind_kfd(dist, &chips.join(","), Path::new("rocminfo"));
    stack::on_vendors_libraries(&mut command, dist, thunk);
    let ended = exec::limited(&mut command, Duration::from_secs(TIMEOUT))
        .map_err(|error: Error| error.to_string())?;
    match ended.status {
        None => Err(format!("not finished after {:.0} s", ended.seconds)),
        Some(status) if !status.success() => {
            Err(format!("{}\n{}{}", exec::describe(status), ended.stdout, ended.stderr))
        }
        Some(_) => Ok(ended.stdout),
    }
}

/// The first line in which two texts differ.
fn difference(theirs: &str, ours: &str) -> Option<String> {
    let mut lines = theirs.lines().zip(ours.lines()).enumerate();
    let found = lines.find(|(_, (theirs, ours))| theirs != ours);
    match found {
        Some((at, (theirs, ours))) => Some(format!("line {}: `{ours}`, AMD's says `{theirs}`", at + 1)),
        None if theirs.lines().count() != ours.lines().count() => Some("one is longer".to_owned()),
        None => None,
    }
}

fn check(dist: &Path, chips: &[&str], thunk: Thunk) -> Result<(), String> {
    let text = output(dist, chips, thunk)?;
    if thunk == Thunk::InOurRocr
        && let Some(difference) = difference(&output(dist, chips, Thunk::Vendor)?, &text)
    {
        return Err(format!("on our HSA runtime it says something else: {difference}"));
    }
    let said: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once(':').map(|(name, value)| (name.trim(), value.trim())))
        .collect();
    for chip in chips {
        let agents = said.iter().filter(|line| **line == ("Name", *chip)).count();
        let wanted = chips.iter().filter(|other| *other == chip).count();
        if agents != wanted {
            return Err(format!("{agents} agents are called {chip}, not {wanted}"));
        }
        let lines = CHIPS.iter().find(|wanted| wanted.chip == *chip).map_or(&[][..], |wanted| wanted.lines);
        if let Some((name, value)) = lines.iter().find(|line| !said.contains(line)) {
            let others: Vec<_> =
                said.iter().filter(|(other, _)| other == name).map(|(_, value)| *value).collect();
            return Err(format!("of {chip} it does not say `{name}: {value}`, but {others:?}"));
        }
    }
    Ok(())
}
