//! Fat binaries, raw and compressed.

use offload_bundle::{
    Bundle, BundleBuilder, CcobVersion, CompressOptions, Compressed, FatBinaryWrapper, Table, compress,
};

use crate::LIMIT;

/// A raw bundle: entries lie inside, the size covers them, and it reads the same when it is written again.
pub fn bundle(data: &[u8]) {
    let _ = FatBinaryWrapper::parse(data);
    if let Ok(table) = Table::parse(data) {
        assert!(table.size() <= data.len() as u64);
        assert_eq!(table.records().count(), table.len());
    }
    let Ok(bundle) = Bundle::parse(data) else { return };
    read(&bundle, data);
    let whole = &data[..bundle.total_size() as usize];
    assert_eq!(Bundle::parse(whole).map(|bundle| bundle.total_size()), Ok(bundle.total_size()));
    write(&bundle);
}

fn write(bundle: &Bundle<'_>) {
    let mut builder = BundleBuilder::from_bundle(bundle);
    builder.align(8).expect("eight is a power of two");
    // Entries may share their bytes in the file, but are written one by one.
    if builder.size().is_ok_and(|size| size > LIMIT) {
        return;
    }
    let Ok(written) = builder.to_vec() else { return };
    assert_eq!(builder.size().ok(), Some(written.len() as u64));
    let again = Bundle::parse(&written).expect("what was written is read");
    let parts = |bundle: &Bundle<'_>| -> Vec<(String, Vec<u8>)> {
        bundle.entries().map(|entry| (entry.id.text.to_owned(), entry.data.to_vec())).collect()
    };
    assert_eq!(parts(&again), parts(bundle));
}

/// Reads everything in a bundle that starts at the first byte of the data.
pub fn read(bundle: &Bundle<'_>, data: &[u8]) {
    let size = bundle.total_size();
    assert!(size <= data.len() as u64);
    assert!(bundle.table().size() <= size);
    assert_eq!(bundle.entries().count(), bundle.len());
    assert_eq!(bundle.is_empty(), bundle.entries().next().is_none());
    for ((index, entry), record) in bundle.entries().enumerate().zip(bundle.table().records()) {
        assert_eq!((entry.index, record.index), (index, index));
        assert_eq!((&entry.id, entry.offset, entry.size), (&record.id, record.offset, record.size));
        assert_eq!(entry.data.len() as u64, entry.size);
        assert_eq!(entry.id.to_string(), entry.id.text);
        if entry.size != 0 {
            let (start, end) = (entry.offset as usize, (entry.offset + entry.size) as usize);
            assert!(end as u64 <= size);
            assert!(
                std::ptr::eq(entry.data, &data[start..end]),
                "an entry's bytes are not those of the bundle"
            );
        }
    }
    // The checker compares entries with each other.
    if bundle.len() <= 256 {
        for finding in bundle.check() {
            assert!(finding.index < bundle.len());
            assert!(!finding.to_string().is_empty());
        }
    }
}

/// A compressed bundle: what comes out is as long as the header says, never longer than allowed.
pub fn ccob(data: &[u8]) {
    let Ok(compressed) = Compressed::parse(data) else { return };
    assert!((1..=3).contains(&compressed.version()));
    if let Ok(size) = compressed.total_size() {
        assert!(size <= data.len() as u64);
    }
    // A limit below what the header says refuses before work is done.
    if let Some(less) = compressed.uncompressed_size().checked_sub(1) {
        assert!(compressed.decompress(less).is_err());
    }
    // Even the first bytes take a window of the size that the content needs, so that it is for the caller to look at.
    if compressed.uncompressed_size() > LIMIT {
        assert!(compressed.decompress(LIMIT).is_err());
        return;
    }
    let prefix = compressed.prefix(4096);
    let table = compressed.table(LIMIT);
    let Ok(content) = compressed.decompress(LIMIT) else { return };
    assert_eq!(content.len() as u64, compressed.uncompressed_size());
    let prefix = prefix.expect("what unpacks whole unpacks in part");
    assert_eq!(prefix[..], content[..content.len().min(4096)]);
    let hash = compressed.check_hash(&content);
    if let Ok(bundle) = Bundle::parse(&content) {
        read(&bundle, &content);
        let table = table.expect("the table of a good bundle");
        assert!(content.starts_with(&table));
        assert_eq!(Table::parse(&table).map(|table| table.len()), Ok(bundle.len()));
    }
    if content.len() < 1 << 16 {
        let version = if compressed.version() == 3 { CcobVersion::V3 } else { CcobVersion::V2 };
        let options =
            CompressOptions { version, method: compressed.method(), level: Some(1), long_distance: false };
        let packed = compress(&content, &options).expect("small content is compressed");
        let again = Compressed::parse(&packed).expect("what was written is read");
        assert_eq!(again.total_size(), Ok(packed.len() as u64));
        assert_eq!(again.decompress(LIMIT).as_ref(), Ok(&content));
        assert!(again.check_hash(&content).is_ok());
        assert!(hash.is_err() || again.hash() == compressed.hash());
    }
}
