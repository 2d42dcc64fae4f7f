//! zlib (RFC 1950).

use std::io::Read;

use flate2::bufread::ZlibDecoder;

use super::{Failure, Packed};

/// What one byte can stand for at most: 258 bytes take two bits.
const RATIO: u64 = 1032;

pub(super) fn unpack(packed: &Packed<'_>, size: u64) -> Result<Vec<u8>, Failure> {
    let possible = packed.bytes.len().saturating_mul(RATIO) >= size;
    let mut content = packed.reserve(size, possible);
    let mut bounded = ZlibDecoder::new(packed.bytes.data).take(size.saturating_add(1));
    match bounded.read_to_end(&mut content) {
        Ok(_) => Ok(content),
        Err(error) => Err((content.len() as u64, error.to_string())),
    }
}

/// Nothing but unpacking finds the end: nothing is kept, and no more comes out than was promised.
pub(super) fn stream_length(packed: &Packed<'_>) -> Result<u64, Failure> {
    let mut decoder = ZlibDecoder::new(packed.bytes.data);
    let mut bounded = decoder.by_ref().take(packed.size.saturating_add(1));
    let produced =
        std::io::copy(&mut bounded, &mut std::io::sink()).map_err(|error| (0, error.to_string()))?;
    if produced > packed.size {
        return Err((produced, format!("more comes out than the {} bytes that were promised", packed.size)));
    }
    Ok(decoder.total_in())
}
