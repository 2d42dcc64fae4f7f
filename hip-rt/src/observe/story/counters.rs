//! The line of a dispatch: its counters in columns, so that dispatches line up. What `amdgpu-emu` counts, summed up to
//! what fits on a line; its event has all of it.

use super::step;
use crate::observe::Fields;

/// The event that it prints.
pub const STEP: &str = "dispatch.done";
/// Width of the first column; longer names are cut.
const NAME: usize = 18;

/// A column: its head, its width, what stands in it.
type Column = (&'static str, usize, fn(&Fields) -> String);

const COLUMNS: &[Column] = &[
    ("waves", 7, |f| compact(f.number("waves"))),
    ("scalar", 7, |f| compact(f.number("scalar_alu"))),
    ("vector", 7, |f| compact(f.number("vector_alu"))),
    ("matrix", 7, |f| compact(f.number("matrix"))),
    ("LDS", 7, |f| compact(f.number("lds"))),
    ("memory", 7, |f| compact(f.sum(&["scalar_memory", "vector_load", "vector_store", "vector_atomic"]))),
    ("control", 8, |f| compact(f.sum(&["branch", "other"]))),
    ("lanes", 6, |f| mean(f.number("lanes"), f.number("vector"))),
    ("read B", 8, |f| compact(f.sum(&["global_read", "scratch_read", "scalar_read"]))),
    ("written B", 10, |f| compact(f.sum(&["global_written", "scratch_written", "scalar_written"]))),
    ("time", 10, |f| step::number("nanos", f.number("nanos"))),
];

/// The heads of the columns. Those from `scalar` to `control` count instructions.
pub fn head() -> String {
    let columns = COLUMNS.iter().map(|(head, width, _)| format!("{head:>width$}")).collect::<String>();
    format!("{:<NAME$}{columns}", "kernel")
}

/// One dispatch.
pub fn line(fields: &Fields) -> String {
    let name = match fields.get("kernel") {
        "" => fields.get("kernel_object"),
        name => name,
    };
    let mut cut: String = name.chars().take(NAME).collect();
    if cut.len() < name.len() {
        cut.pop();
        cut.push('…');
    }
    let columns = COLUMNS
        .iter()
        .map(|(_, width, value)| format!("{:>width$}", value(fields), width = *width))
        .collect::<String>();
    format!("{cut:<NAME$}{columns}")
}

/// Four digits at most, and the thousands as a letter.
fn compact(value: u64) -> String {
    const LETTERS: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    if value < 10_000 {
        return value.to_string();
    }
    let (mut scaled, mut letter) = (value as f64, 0);
    while scaled >= 999.5 {
        scaled /= 1000.0;
        letter += 1;
    }
    let digits = if scaled < 9.995 {
        2
    } else if scaled < 99.95 {
        1
    } else {
        0
    };
    format!("{scaled:.digits$}{}", LETTERS[letter])
}

fn mean(sum: u64, count: u64) -> String {
    if count == 0 { "-".to_owned() } else { format!("{:.1}", sum as f64 / count as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_four_digits() {
        for (value, text) in [
            (0, "0"),
            (9999, "9999"),
            (10_000, "10.0k"),
            (99_949, "99.9k"),
            (99_950, "100k"),
            (999_499, "999k"),
            (999_500, "1.00M"),
            (57_700_000, "57.7M"),
            (2_550_000_000, "2.55G"),
            (u64::MAX, "18.4E"),
        ] {
            assert_eq!(compact(value), text, "{value}");
        }
    }

    #[test]
    fn dispatches_line_up() {
        let numbers = [("waves", 4096), ("vector_alu", 123_456), ("vector_load", 5), ("scalar_memory", 2)];
        let more = [("lanes", 6300), ("vector", 100), ("global_read", 1 << 20), ("nanos", 1_234_567)];
        let fields = |kernel: &str| Fields {
            step: "dispatch.done".to_owned(),
            values: vec![("kernel", kernel.to_owned())],
            numbers: numbers.into_iter().chain(more).collect(),
        };
        let (head, short, long) =
            (head(), line(&fields("saxpy")), line(&fields("_Z17a_very_long_name_indeed")));
        assert_eq!(
            format!("{head}\n{short}\n{long}"),
            "\
kernel              waves scalar vector matrix    LDS memory control lanes  read B written B      time
saxpy                4096      0   123k      0      0      7       0  63.0   1.05M         0 1234.6 µs
_Z17a_very_long_n…   4096      0   123k      0      0      7       0  63.0   1.05M         0 1234.6 µs"
        );
    }
}
