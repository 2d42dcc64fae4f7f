//! A writer of `.kpack` archives and references, as `rocm_kpack` lays them out.

use rmpv::Value;

pub fn map(pairs: Vec<(&str, Value)>) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

pub fn pack(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).unwrap();
    bytes
}

/// Binary, target ID, code.
pub type Code<'a> = (&'a str, &'a str, &'a [u8]);

/// An archive; neighbours of the same binary share its map.
pub fn archive(kernels: &[Code<'_>], zstd: bool) -> Vec<u8> {
    let mut bytes = b"KPAK\x01\0\0\0".to_vec();
    bytes.resize(64, 0);
    let mut fields = vec![
        ("format_version", 1.into()),
        ("group_name", "rand".into()),
        ("gfx_arch_family", "gfx94X".into()),
        ("gfx_arches", Value::Array(vec!["gfx942".into(), "gfx90a".into()])),
        ("compression_scheme", if zstd { "zstd-per-kernel" } else { "none" }.into()),
    ];
    if zstd {
        bytes.extend((kernels.len() as u32).to_le_bytes());
        for (_, _, code) in kernels {
            let frame = zstd::bulk::compress(code, 3).unwrap();
            bytes.extend((frame.len() as u32).to_le_bytes());
            bytes.extend(frame);
        }
        fields.extend([("zstd_offset", 64.into()), ("zstd_size", (bytes.len() - 64).into())]);
    } else {
        let mut blobs = Vec::new();
        for (_, _, code) in kernels {
            bytes.resize(bytes.len().next_multiple_of(64), 0);
            blobs.push(map(vec![("offset", bytes.len().into()), ("size", code.len().into())]));
            bytes.extend(*code);
        }
        fields.push(("blobs", Value::Array(blobs)));
    }
    let mut binaries: Vec<(Value, Value)> = Vec::new();
    for (ordinal, (binary, target, code)) in kernels.iter().enumerate() {
        let record = map(vec![
            ("type", "hsaco".into()),
            ("ordinal", ordinal.into()),
            ("original_size", code.len().into()),
        ]);
        let record = (Value::from(*target), record);
        match binaries.last_mut() {
            Some((name, Value::Map(targets))) if name.as_str() == Some(binary) => targets.push(record),
            _ => binaries.push((Value::from(*binary), Value::Map(vec![record]))),
        }
    }
    fields.push(("toc", Value::Map(binaries)));
    let at = bytes.len() as u64;
    bytes[8..16].copy_from_slice(&at.to_le_bytes());
    bytes.extend(pack(&map(fields)));
    bytes
}

/// What a program has in place of its fat binaries.
pub fn reference(name: &str, paths: &[&str]) -> Vec<u8> {
    let paths = paths.iter().map(|&path| path.into()).collect();
    pack(&map(vec![("kpack_search_paths", Value::Array(paths)), ("kernel_name", name.into())]))
}
