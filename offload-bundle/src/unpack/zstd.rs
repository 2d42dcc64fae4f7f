//! Zstandard (RFC 8878): one frame.

use std::io::{Error, Read};

use zstd::stream::read::Decoder;
use zstd::zstd_safe;

use super::{Failure, Packed};

/// What one byte can stand for at most: a block of 128 KiB takes four.
const RATIO: u64 = 1 << 15;
/// Frames may ask for a window of this size whatever they hold: 8 MiB, that of level 19.
const LEAST_WINDOW_LOG: u32 = 23;
/// The largest window that LLVM's bundler can ask for (level 22).
const MOST_WINDOW_LOG: u32 = 27;

pub(super) fn unpack(packed: &Packed<'_>, size: u64) -> Result<Vec<u8>, Failure> {
    let data = packed.bytes.data;
    let possible = packed.bytes.len().saturating_mul(RATIO) >= size;
    let mut content = packed.reserve(size, possible);
    let said = zstd_safe::get_frame_content_size(data).ok().flatten();
    let whole = said == Some(size) && content.capacity() as u64 >= size;
    let result =
        if whole { unpack_frame(packed, &mut content) } else { unpack_part(packed, size, &mut content) };
    match result {
        Ok(()) => Ok(content),
        Err(error) => Err((content.len() as u64, error.to_string())),
    }
}

/// A frame whose size is known is unpacked in one go, straight to where it stays.
fn unpack_frame(packed: &Packed<'_>, content: &mut Vec<u8>) -> Result<(), Error> {
    let length = zstd_safe::find_frame_compressed_size(packed.bytes.data).map_err(error)?;
    let frame = packed.bytes.data.get(..length).ok_or_else(|| Error::other("the frame has no end"))?;
    zstd::bulk::Decompressor::new()?.decompress_to_buffer(frame, content).map(|_| ())
}

/// The window may be as large as the whole content needs, whatever part of it is wanted.
fn unpack_part(packed: &Packed<'_>, size: u64, content: &mut Vec<u8>) -> Result<(), Error> {
    let mut decoder = Decoder::with_buffer(packed.bytes.data)?.single_frame();
    let log = packed.size.checked_next_power_of_two().map_or(MOST_WINDOW_LOG, u64::ilog2);
    decoder.window_log_max(log.clamp(LEAST_WINDOW_LOG, MOST_WINDOW_LOG))?;
    decoder.take(size.saturating_add(1)).read_to_end(content).map(|_| ())
}

/// The headers of the frame's blocks say where it ends.
pub(super) fn stream_length(packed: &Packed<'_>) -> Result<u64, Failure> {
    let length = zstd_safe::find_frame_compressed_size(packed.bytes.data);
    length.map(|length| length as u64).map_err(|code| (0, error(code).to_string()))
}

fn error(code: usize) -> Error {
    Error::other(zstd_safe::get_error_name(code).to_owned())
}
