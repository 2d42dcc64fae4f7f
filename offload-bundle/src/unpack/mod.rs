//! Unpacking zlib and Zstandard within a bound, each behind the cargo feature of its name.

#[cfg(feature = "zlib")]
mod zlib;
#[cfg(feature = "zstd")]
mod zstd;

#[cfg(any(feature = "zlib", feature = "zstd"))]
use alloc::string::String;
use alloc::vec::Vec;

use crate::bytes::Bytes;
use crate::{Error, Method};

/// Memory is reserved in steps of at most this many bytes before data has proved that it needs more.
#[cfg(any(feature = "zlib", feature = "zstd"))]
const FIRST_RESERVE: u64 = 1 << 20;

/// The packed bytes, of which the stream may be only the beginning, and how they are packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<'a> {
    pub method: Method,
    pub bytes: Bytes<'a>,
    /// What it unpacks to, as a header says.
    pub size: u64,
}

/// Why unpacking stopped: how much had come out, and what the library says.
#[cfg(any(feature = "zlib", feature = "zstd"))]
type Failure = (u64, String);

impl Packed<'_> {
    /// Unpacks the first `size` bytes, and one more, by which a content that is too long shows.
    pub fn unpack(&self, size: u64) -> Result<Vec<u8>, Error> {
        match self.method {
            #[cfg(feature = "zlib")]
            Method::Zlib => zlib::unpack(self, size).map_err(|failure| self.corrupt(failure)),
            #[cfg(feature = "zstd")]
            Method::Zstd => zstd::unpack(self, size).map_err(|failure| self.corrupt(failure)),
            #[cfg(not(all(feature = "zlib", feature = "zstd")))]
            method => Err(Error::NotBuilt { method, offset: self.bytes.base, size }),
        }
    }

    /// Bytes of the packed stream.
    pub fn stream_length(&self) -> Result<u64, Error> {
        match self.method {
            #[cfg(feature = "zlib")]
            Method::Zlib => zlib::stream_length(self).map_err(|failure| self.corrupt(failure)),
            #[cfg(feature = "zstd")]
            Method::Zstd => zstd::stream_length(self).map_err(|failure| self.corrupt(failure)),
            #[cfg(not(all(feature = "zlib", feature = "zstd")))]
            method => Err(Error::NotBuilt { method, offset: self.bytes.base, size: self.size }),
        }
    }

    /// Memory to unpack `size` bytes and one more into: all of it if `possible`, that is if the packed bytes can be so
    /// many. Without that, the promise of a header would be enough to reserve any amount.
    #[cfg(any(feature = "zlib", feature = "zstd"))]
    fn reserve(&self, size: u64, possible: bool) -> Vec<u8> {
        let mut content = Vec::new();
        let whole = usize::try_from(size.saturating_add(1)).unwrap_or(usize::MAX);
        if !possible || content.try_reserve_exact(whole).is_err() {
            let first = usize::try_from(FIRST_RESERVE.max(self.bytes.len())).unwrap_or(usize::MAX);
            content.reserve_exact(whole.min(first));
        }
        content
    }

    #[cfg(any(feature = "zlib", feature = "zstd"))]
    fn corrupt(&self, (produced, reason): Failure) -> Error {
        Error::Corrupt { method: self.method, offset: self.bytes.base, produced, reason }
    }
}
