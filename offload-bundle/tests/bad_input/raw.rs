//! Raw bundles.

use offload_bundle::{Bundle, Error, Fault, Table};

use crate::{HUGE, MOST, Row, check, cuts, row};

const HOST: &str = "host-x86_64-unknown-linux--";
const A: &str = "hipv4-amdgcn-amd-amdhsa--gfx90a";
const B: &str = "hipv4-amdgcn-amd-amdhsa--gfx942";

/// Records at 32, 83 and 138; bytes of A at 200, of B at 216.
fn good() -> Vec<u8> {
    let good = parser_samples::raw(&[(HOST, b""), (A, b"code of A"), (B, b"code of B")], 8);
    assert_eq!(good.len(), 225);
    good
}

fn parse(data: &[u8]) -> Result<usize, Error> {
    Bundle::parse(data).map(|bundle| bundle.len())
}

fn out_of_bounds(index: u64, id: &str, at: u64, offset: u64, size: u64) -> Error {
    Error::EntryOutOfBounds { index, id: id.to_owned(), at, offset, size, have: 225 }
}

#[test]
fn each_field() {
    let data = &good();
    let magic = |found: &[u8]| Error::UnknownMagic { offset: 0, found: found.to_vec() };
    let count = |count| Error::TooManyEntries { offset: 24, count, most: 8 };
    let id_cut = |offset, need| Error::Truncated { what: "bundle entry ID", offset, need, have: 225 };
    let not_text = |index, offset| Error::IdNotText { index, offset };
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("magic, first byte", data, 0, b"X", magic(b"X_CLANG_")),
        row("magic, last byte", data, 23, b"X", magic(b"__CLANG_")),
        row("count: one more than there is room for", data, 24, &[9], count(9)),
        row("count: 2^60", data, 24, &HUGE, count(1 << 60)),
        row("count: u64::MAX", data, 24, &MOST, count(u64::MAX)),
        row("count: one more than there are records", data, 24, &[4], id_cut(217, u64::from(b'c') << 56)),
        row("offset: past the end", data, 83, &226u64.to_le_bytes(), out_of_bounds(1, A, 83, 226, 9)),
        row("offset: one too far", data, 138, &217u64.to_le_bytes(), out_of_bounds(2, B, 138, 217, 9)),
        row("offset: 2^60", data, 83, &HUGE, out_of_bounds(1, A, 83, 1 << 60, 9)),
        row("offset: the sum wraps round", data, 83, &MOST, out_of_bounds(1, A, 83, u64::MAX, 9)),
        row("size: one too many", data, 146, &10u64.to_le_bytes(), out_of_bounds(2, B, 138, 216, 10)),
        row("size: 2^60", data, 91, &HUGE, out_of_bounds(1, A, 83, 200, 1 << 60)),
        row("size: the sum wraps round", data, 91, &MOST, out_of_bounds(1, A, 83, 200, u64::MAX)),
        row("size of a host entry: 2^60", data, 40, &HUGE, out_of_bounds(0, HOST, 32, 200, 1 << 60)),
        row("ID length: past the end", data, 154, &64u64.to_le_bytes(), id_cut(162, 64)),
        row("ID length: 2^60", data, 48, &HUGE, id_cut(56, 1 << 60)),
        row("ID length: the sum wraps round", data, 99, &MOST, id_cut(107, u64::MAX)),
        row("ID: a byte that is no UTF-8", data, 60, &[0xff], not_text(0, 56)),
        row("ID: a character cut short", data, 137, &[0xc3], not_text(1, 107)),
        row("ID: an overlong NUL", data, 170, &[0xc0, 0x80], not_text(2, 162)),
    ];
    check(rows, parse);
}

#[test]
fn each_cut_of_the_table() {
    let fields = [
        ("bundle magic", 0, 24),
        ("bundle entry count", 24, 8),
        ("bundle entry offset", 32, 8),
        ("bundle entry size", 40, 8),
        ("bundle entry ID length", 48, 8),
        ("bundle entry ID", 56, 27),
        ("bundle entry offset", 83, 8),
        ("bundle entry size", 91, 8),
        ("bundle entry ID length", 99, 8),
        ("bundle entry ID", 107, 31),
        ("bundle entry offset", 138, 8),
        ("bundle entry size", 146, 8),
        ("bundle entry ID length", 154, 8),
        ("bundle entry ID", 162, 31),
    ];
    // The count is checked against the room before records are read.
    let special = |have| match have {
        0 => Some(Error::UnknownMagic { offset: 0, found: Vec::new() }),
        32..104 => Some(Error::TooManyEntries { offset: 24, count: 3, most: (have - 32) / 24 }),
        _ => None,
    };
    check(cuts(&good(), &fields, special), parse);
    check(cuts(&good(), &fields, special), |data| Table::parse(data).map(|table| table.len()));
}

#[test]
fn each_cut_of_the_payload() {
    let data = good();
    let cut = |have: u64| {
        let mut error = match have {
            ..209 => out_of_bounds(1, A, 83, 200, 9),
            _ => out_of_bounds(2, B, 138, 216, 9),
        };
        if let Error::EntryOutOfBounds { have: found, .. } = &mut error {
            *found = have;
        }
        (format!("cut to {have} bytes"), data[..have as usize].to_vec(), error)
    };
    check((193..225).map(cut).collect(), parse);
    // The table alone is whole.
    for have in 193..225 {
        assert_eq!(Table::parse(&data[..have]).map(|table| table.len()), Ok(3));
    }
}

/// Overlaps are read, as LLVM's tools and the runtime read them, and reported.
#[test]
fn overlaps_are_findings() {
    let data = good();
    let put = |at: usize, value: u64| parser_samples::patch(&data, at, &value.to_le_bytes());
    let faults = |data: &[u8]| -> Vec<(usize, Fault)> {
        let bundle = Bundle::parse(data).expect("it can be read");
        bundle.check().map(|finding| (finding.index, finding.fault)).collect()
    };
    let overlaps = |other| Fault::Overlaps { other };
    let in_table = |start| Fault::InTable { start, table_end: 193 };
    for (name, data, index, fault) in [
        ("B starts inside A", put(138, 208), 2, overlaps(1)),
        ("B is where A is", put(138, 200), 2, Fault::Shared { other: 1 }),
        ("A holds B", put(91, 25), 2, overlaps(1)),
        ("A starts inside the table", put(83, 40), 1, in_table(40)),
        ("A starts at the magic", put(83, 0), 1, in_table(0)),
    ] {
        let found = faults(&data);
        assert!(found.contains(&(index, fault)), "{name}: {found:?}");
    }
    let odd = |(_, fault): &(usize, Fault)| {
        matches!(fault, Fault::Overlaps { .. } | Fault::Shared { .. } | Fault::InTable { .. })
    };
    assert!(!faults(&data).iter().any(odd));
}
