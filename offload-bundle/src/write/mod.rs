//! Making bundles: raw ones in the layout of Clang's offload bundler, and compressed ones (`CCOB`, versions 2 and 3).
//! Answers to `BinaryFileHandler` and `CompressedOffloadBundle::compress` in `clang/lib/Driver/OffloadBundler.cpp`.

mod builder;
mod compress;
mod error;
mod id;

pub use builder::{BundleBuilder, NewEntry};
pub use compress::{CcobVersion, CompressOptions, compress};
pub use error::WriteError;
pub use id::{HOST_ID, check_id, code_id};
