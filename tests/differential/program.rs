//! One generated program: its text, its inputs, and how its outputs are compared.

use fastrand::Rng;

use crate::tree::{self, Piece};
use crate::types::Ty;
use crate::{function, group, ulps};

/// Words of 64 bits that a work-item reads, and that it writes.
pub const WORDS: usize = 8;

/// How a word of output is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Check {
    /// Bit for bit.
    Bits,
    /// The device's `float` against the host's `double`, in units of the last place of `float`.
    Ulps32(f64),
    /// Two `double`s.
    Ulps64(f64),
}

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    pub pieces: Vec<Piece>,
    /// The types of the input words.
    pub inputs: Vec<Ty>,
    pub checks: Vec<Check>,
    /// What the words of output are, where that can be said.
    pub notes: Vec<String>,
    /// Work-items of a work-group.
    pub block: u32,
    /// Whether every work-group must be full.
    pub whole: bool,
}

/// The program of a seed. `id` only goes into names.
pub fn program(seed: u64, id: usize) -> Program {
    let mut r = Rng::with_seed(seed);
    match r.u32(..8) {
        0 | 1 => group::group(&mut r, id),
        2 if r.bool() => ulps::ulps(&mut r, id),
        _ => function::function(&mut r, id),
    }
}

impl Program {
    /// The values that `n` work-items read.
    pub fn input(&self, seed: u64, n: usize) -> Vec<u64> {
        let mut r = Rng::with_seed(seed ^ 0x5eed);
        let word = |ty: &Ty, r: &mut Rng| match r.u32(..8) {
            // What stands above the value does not matter.
            0 => ty.value(r) | r.u64(..) & !(!0 >> (64 - ty.bits())),
            _ => ty.value(r),
        };
        (0..n).flat_map(|_| self.inputs.iter().map(|ty| word(ty, &mut r)).collect::<Vec<_>>()).collect()
    }
}

/// The source of a translation unit.
pub fn source(programs: &[Program], n: usize) -> String {
    let mut out = format!("{}\n{}\n", include_str!("prelude.h"), include_str!("group.h"));
    for (id, program) in programs.iter().enumerate() {
        out += &format!("\n// Program {id}.\n");
        tree::print(&program.pieces, 0, &mut out);
    }
    let runs: Vec<String> = (0..programs.len()).map(|id| format!("k{id}")).collect();
    out + &include_str!("host.h").replace("RUNS", &runs.join(", ")).replace("COUNT", &n.to_string())
}

/// Whether a word of output is what it must be.
pub fn agrees(check: Check, host: u64, device: u64) -> bool {
    match check {
        Check::Bits => host == device,
        Check::Ulps32(bound) => near(
            f64::from_bits(host),
            f64::from(f32::from_bits(device as u32)),
            bound,
            24,
            -125,
            f64::from(f32::MAX),
        ),
        Check::Ulps64(bound) => {
            near(f64::from_bits(host), f64::from_bits(device), bound, 53, -1021, f64::MAX)
        }
    }
}

fn near(want: f64, got: f64, bound: f64, digits: i32, least: i32, most: f64) -> bool {
    if want.is_nan() || got.is_nan() {
        return want.is_nan() && got.is_nan();
    }
    if want == got {
        return true;
    }
    // Past the largest number either may be on the other side of infinity, by the bound.
    let step = |x: f64| {
        let exponent = (x.abs().to_bits() >> 52) as i32 - 1022;
        power(exponent.max(least) - digits)
    };
    let margin = bound * step(want.abs().min(most));
    let clip = |x: f64| x.clamp(-most - step(most), most + step(most));
    (clip(want) - clip(got)).abs() <= margin
}

/// Two to the power of `n`, down to the least number there is.
fn power(n: i32) -> f64 {
    if n < -1022 { f64::from_bits(1 << (n + 1074)) } else { f64::from_bits(((n + 1023) as u64) << 52) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The bugs of the page are those that comments name, and its names are in the sources.
    #[test]
    fn each_known_bug_is_kept_clear_of_somewhere() {
        let sources = [
            include_str!("prelude.h"),
            include_str!("build.rs"),
            include_str!("expr.rs"),
            include_str!("function.rs"),
            include_str!("stmt.rs"),
            include_str!("ulps.rs"),
        ];
        let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok();
        let numbers = |text: &str, before: &str| -> BTreeSet<u32> {
            text.split(before).skip(1).filter_map(number).collect()
        };
        let named: BTreeSet<u32> =
            sources.iter().flat_map(|text| numbers(text, "compiler-bugs.md ")).collect();
        let listed = numbers(include_str!("compiler-bugs.md"), "\n## ");
        assert!(!listed.is_empty());
        assert_eq!(named, listed);
    }
}
