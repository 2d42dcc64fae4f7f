//! `.kpack` archives and references to them. Answers to `python/rocm_kpack/kpack.py` of rocm-systems, which writes them.

use rmpv::Value;

use crate::msgpack;

fn map(pairs: Vec<(&str, Value)>) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// An archive with code objects of one program: (target ID, bytes). Each is a zstd frame, or stands there as it is.
pub fn kpack(binary: &str, objects: &[(&str, &[u8])], zstd: bool) -> Vec<u8> {
    let mut file = vec![0; 64];
    let mut pairs = vec![
        ("format_version", 1.into()),
        ("group_name", "sample".into()),
        ("gfx_arch_family", "gfx9".into()),
        ("gfx_arches", Value::Array(objects.iter().map(|(target, _)| (*target).into()).collect())),
    ];
    if zstd {
        file.extend((objects.len() as u32).to_le_bytes());
        for (_, data) in objects {
            let frame = zstd::encode_all(*data, 3).expect("memory can be read");
            file.extend((frame.len() as u32).to_le_bytes());
            file.extend(frame);
        }
        pairs.push(("compression_scheme", "zstd-per-kernel".into()));
        pairs.push(("zstd_offset", 64.into()));
        pairs.push(("zstd_size", (file.len() - 64).into()));
    } else {
        let mut blobs = Vec::new();
        for (_, data) in objects {
            blobs.push(map(vec![("offset", file.len().into()), ("size", data.len().into())]));
            file.extend(*data);
        }
        pairs.push(("compression_scheme", "none".into()));
        pairs.push(("blobs", Value::Array(blobs)));
    }
    let record = |(ordinal, (target, data)): (usize, &(&str, &[u8]))| {
        let record = map(vec![
            ("type", "hsaco".into()),
            ("ordinal", ordinal.into()),
            ("original_size", data.len().into()),
        ]);
        ((*target).into(), record)
    };
    let records = Value::Map(objects.iter().enumerate().map(record).collect());
    pairs.push(("toc", map(vec![(binary, records)])));
    let toc = file.len() as u64;
    file.extend(msgpack(&map(pairs)));
    file[..4].copy_from_slice(b"KPAK");
    file[4..8].copy_from_slice(&1u32.to_le_bytes());
    file[8..16].copy_from_slice(&toc.to_le_bytes());
    file
}

/// What a program has in place of a fat binary.
pub fn kpack_reference(kernel_name: &str, search_paths: &[&str]) -> Vec<u8> {
    let paths = Value::Array(search_paths.iter().map(|&path| path.into()).collect());
    msgpack(&map(vec![("kernel_name", kernel_name.into()), ("kpack_search_paths", paths)]))
}
