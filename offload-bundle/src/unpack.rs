//! Unpacking zlib (RFC 1950) and Zstandard (RFC 8878) within a bound.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

use crate::bytes::Bytes;
use crate::{Error, Method};

/// Memory is reserved in steps of at most this many bytes before data has proved that it needs more.
const FIRST_RESERVE: u64 = 1 << 20;
/// What one byte of Zstandard can stand for at most: a block of 128 KiB takes four.
const ZSTD_RATIO: u64 = 1 << 15;
/// The same of zlib: 258 bytes take two bits.
const ZLIB_RATIO: u64 = 1032;
/// Zstandard frames may ask for a window of this size whatever they hold: 8 MiB, that of level 19.
const LEAST_WINDOW_LOG: u32 = 23;
/// The largest that LLVM's bundler can ask for (level 22).
const MOST_WINDOW_LOG: u32 = 27;

/// The packed bytes, of which the stream may be only the beginning, and how they are packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<'a> {
    pub method: Method,
    pub bytes: Bytes<'a>,
    /// What it unpacks to, as a header says.
    pub size: u64,
}

impl<'a> Packed<'a> {
    /// Unpacks the first `size` bytes, and one more, by which a content that is too long shows.
    pub fn unpack(&self, size: u64) -> Result<Vec<u8>, Error> {
        match (self.reserved(size), self.method) {
            (Some(content), Method::Zstd) => self.unpack_frame(content),
            (Some(content), Method::Zlib) => self.unpack_into(content, size),
            (None, _) => {
                let reserve = size.min(FIRST_RESERVE.max(self.bytes.len())).saturating_add(1);
                self.unpack_into(Vec::with_capacity(usize::try_from(reserve).unwrap_or(0)), size)
            }
        }
    }

    /// Memory for the whole content, if the packed bytes can be that content. Without it the promise of a header would
    /// be enough to reserve any amount.
    fn reserved(&self, size: u64) -> Option<Vec<u8>> {
        let possible = match self.method {
            Method::Zlib => self.bytes.len().saturating_mul(ZLIB_RATIO) >= size,
            Method::Zstd => {
                let said = zstd::zstd_safe::get_frame_content_size(self.bytes.data).ok().flatten();
                said == Some(size) && self.bytes.len().saturating_mul(ZSTD_RATIO) >= size
            }
        };
        let mut content = Vec::new();
        let reserve = usize::try_from(size.checked_add(1)?).ok()?;
        (possible && content.try_reserve_exact(reserve).is_ok()).then_some(content)
    }

    /// A frame whose size is known is unpacked in one go, straight to where it stays.
    fn unpack_frame(&self, mut content: Vec<u8>) -> Result<Vec<u8>, Error> {
        let frame = self.stream_length()?;
        let frame = self.bytes.slice("zstd frame", 0, frame)?;
        let result = zstd::bulk::Decompressor::new()
            .and_then(|mut decompressor| decompressor.decompress_to_buffer(frame, &mut content));
        result.map_err(|error| self.corrupt(0, error.to_string()))?;
        Ok(content)
    }

    fn unpack_into(&self, mut content: Vec<u8>, size: u64) -> Result<Vec<u8>, Error> {
        let most = size.saturating_add(1);
        let result = match self.method {
            Method::Zlib => ZlibDecoder::new(self.bytes.data).take(most).read_to_end(&mut content),
            Method::Zstd => {
                self.frame_decoder().and_then(|decoder| decoder.take(most).read_to_end(&mut content))
            }
        };
        match result {
            Ok(_) => Ok(content),
            Err(error) => Err(self.corrupt(content.len() as u64, error.to_string())),
        }
    }

    /// A decoder whose window is no larger than the content needs.
    fn frame_decoder(&self) -> std::io::Result<zstd::stream::read::Decoder<'static, &'a [u8]>> {
        let mut decoder = zstd::stream::read::Decoder::with_buffer(self.bytes.data)?.single_frame();
        let log = self.size.checked_next_power_of_two().map_or(MOST_WINDOW_LOG, u64::ilog2);
        decoder.window_log_max(log.clamp(LEAST_WINDOW_LOG, MOST_WINDOW_LOG))?;
        Ok(decoder)
    }

    /// Bytes of the packed stream. For zlib it is unpacked without being kept, up to the promised size.
    pub fn stream_length(&self) -> Result<u64, Error> {
        match self.method {
            Method::Zstd => zstd::zstd_safe::find_frame_compressed_size(self.bytes.data)
                .map(|length| length as u64)
                .map_err(|code| self.corrupt(0, zstd::zstd_safe::get_error_name(code).to_owned())),
            Method::Zlib => {
                let mut decoder = ZlibDecoder::new(self.bytes.data);
                let mut bounded = decoder.by_ref().take(self.size.saturating_add(1));
                let produced = std::io::copy(&mut bounded, &mut std::io::sink())
                    .map_err(|error| self.corrupt(0, error.to_string()))?;
                if produced > self.size {
                    let reason = format!("more comes out than the {} bytes that were promised", self.size);
                    return Err(self.corrupt(produced, reason));
                }
                Ok(decoder.total_in())
            }
        }
    }

    pub fn corrupt(&self, produced: u64, reason: String) -> Error {
        Error::Corrupt { method: self.method, offset: self.bytes.base, produced, reason }
    }
}
