//! What a build with some of the cargo features reads, and what it says of the rest.

mod common;

use common::{code_object, compress, kpack, raw};
use offload_bundle::kpack::Archive;
use offload_bundle::{Bundle, Compressed, DEFAULT_LIMIT, Error, Image, ImageKind, Method, select};

const ID: &str = "hipv4-amdgcn-amd-amdhsa--gfx942";

fn is_built(method: Method) -> bool {
    match method {
        Method::Zlib => cfg!(feature = "zlib"),
        Method::Zstd => cfg!(feature = "zstd"),
    }
}

#[test]
fn raw_bundles_need_none() {
    let code = code_object("gfx942", 5);
    let bytes = raw(&[(ID, &code)], 4096);
    let bundle = Bundle::parse(&bytes).unwrap();
    let choice = select(bundle.entries(), &"gfx942:sramecc+:xnack-".parse().unwrap()).unwrap();
    assert!(choice.entry.data == code);
    assert_eq!(bundle.check().count(), 0);
}

/// Headers are read in every build, so that a listing shows what is there.
#[test]
fn compressed_bundles_need_theirs() {
    let content = raw(&[(ID, b"code")], 8);
    for method in [Method::Zlib, Method::Zstd] {
        for version in [1, 2, 3] {
            let bytes = compress(version, method, &content);
            let compressed = Compressed::parse_at(&bytes, 0x1000).unwrap();
            assert_eq!(compressed.kind(), ImageKind::Compressed { version });
            assert_eq!(compressed.uncompressed_size(), content.len() as u64);
            let header_size = [20, 24, 32][usize::from(version) - 1];
            let missing =
                Error::NotBuilt { method, offset: 0x1000 + header_size, size: content.len() as u64 };
            assert_eq!(
                missing.to_string(),
                format!(
                    "{} bytes in {method} at offset {:#x} are not unpacked: build with the cargo feature {method}",
                    content.len(),
                    0x1000 + header_size
                )
            );
            let expected = if is_built(method) { Ok(content.clone()) } else { Err(missing.clone()) };
            assert_eq!(compressed.decompress(DEFAULT_LIMIT), expected);
            // Only version 1 has to be unpacked for its end to be found.
            let size = if is_built(method) || version > 1 { Ok(bytes.len() as u64) } else { Err(missing) };
            assert_eq!(compressed.total_size(), size);
            assert_eq!(Image::walk(&bytes).filter(Result::is_ok).count(), usize::from(size.is_ok()));
        }
    }
}

#[test]
fn kpack_archives_need_theirs() {
    for zstd in [false, true] {
        let bytes = kpack::archive(&[("a.so#0", "gfx942", b"code")], zstd);
        let archive = Archive::parse(&bytes).unwrap();
        let kernel = archive.kernels().next().unwrap().unwrap();
        match kernel.extract(DEFAULT_LIMIT) {
            Ok(code) => assert_eq!(*code, *b"code"),
            Err(error) => {
                assert!(matches!(error, Error::NotBuilt { method: Method::Zstd, size: 4, .. }), "{error}")
            }
        }
        assert_eq!(kernel.extract(DEFAULT_LIMIT).is_ok(), !zstd || is_built(Method::Zstd));
    }
}
