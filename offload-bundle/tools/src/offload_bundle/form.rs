//! In what form a bundle is written: the options that `pack` and `repack` share.

use std::io::Write;

use clap::ValueEnum;
use offload_bundle::{BundleBuilder, CcobVersion, CompressOptions, Method, WriteError};

/// How bundles are written.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Form {
    /// Compress
    #[arg(
        long,
        value_name = "METHOD",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "zstd"
    )]
    pub compress: Option<Compression>,
    /// Version of the compressed form: 2 is read by everything, 3 may be larger than 4 GiB [default: 2]
    #[arg(long, value_name = "VERSION", requires = "compress")]
    pub ccob: Option<Version>,
    /// Compression level: zlib 0 to 9, zstd 1 to 22 [default: 9, 3]
    #[arg(long, value_name = "N", requires = "compress", allow_negative_numbers = true)]
    pub level: Option<i32>,
    /// Align entries to so many bytes, a power of two [default: 4096]
    #[arg(long, value_name = "N", value_parser = align)]
    pub align: Option<u64>,
}

/// The library's [`Method`] on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Compression {
    /// Zstandard
    Zstd,
    /// zlib
    Zlib,
}

/// The library's [`CcobVersion`] on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Version {
    /// Sizes of 32 bits
    #[value(name = "2")]
    V2,
    /// Sizes of 64 bits
    #[value(name = "3")]
    V3,
}

fn align(text: &str) -> Result<u64, String> {
    let align = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
    BundleBuilder::new().align(align).map_err(|error| error.to_string())?;
    Ok(align)
}

impl Form {
    /// Checks what the command line's parser cannot: that the method has such a level.
    pub fn check(&self) -> Result<(), WriteError> {
        self.options().map_or(Ok(()), |options| options.check())
    }

    /// The options of the library; none if nothing is to be compressed.
    pub fn options(&self) -> Option<CompressOptions> {
        let method = match self.compress? {
            Compression::Zstd => Method::Zstd,
            Compression::Zlib => Method::Zlib,
        };
        let version = match self.ccob {
            None | Some(Version::V2) => CcobVersion::V2,
            Some(Version::V3) => CcobVersion::V3,
        };
        Some(CompressOptions { version, method, level: self.level, ..CompressOptions::default() })
    }
}

/// Writes a bundle, compressed if there are options for that.
pub(super) fn write(
    builder: &BundleBuilder<'_>,
    options: Option<&CompressOptions>,
    to: impl Write,
) -> Result<u64, WriteError> {
    match options {
        Some(options) => builder.write_compressed(options, to),
        None => builder.write(to),
    }
}
