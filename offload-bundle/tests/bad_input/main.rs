//! Bad input, a row each: what is spoilt in a good file, and the very error that it gives. No row may panic, and none may
//! be read as if it were good.

mod archive;
mod compressed;
mod host;
mod ids;
mod kpack;
mod raw;

use offload_bundle::Error;
use parser_samples::{check, row};

type Row = parser_samples::Row<Error>;

/// A field of a header in the order of reading: what the error calls it, where it starts, how long it is.
type HeaderField = (&'static str, u64, u64);

/// The input cut at every byte up to the end of the header: the error is about the first field that is not whole.
fn cuts(good: &[u8], fields: &[HeaderField], special: impl Fn(u64) -> Option<Error>) -> Vec<Row> {
    let end = fields.iter().map(|(_, at, size)| at + size).max().unwrap_or(0);
    let rows = (0..end).map(|have| {
        let first = fields.iter().find(|(_, at, size)| at + size > have);
        let cut = first.map(|&(what, offset, need)| Error::Truncated { what, offset, need, have });
        let error = special(have).or(cut).expect("a field ends past the cut");
        (format!("cut to {have} bytes"), good[..have as usize].to_vec(), error)
    });
    rows.collect()
}

const HUGE: [u8; 8] = (1u64 << 60).to_le_bytes();
const MOST: [u8; 8] = u64::MAX.to_le_bytes();
