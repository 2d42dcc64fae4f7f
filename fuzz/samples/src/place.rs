//! Where the fields of an ELF file stand, for tests that spoil one of them. Panics if the file does not have it: these
//! are our own files.

/// The number at an offset.
pub fn u16_at(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([data[at], data[at + 1]])
}

/// The number at an offset.
pub fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from(u16_at(data, at)) | u32::from(u16_at(data, at + 2)) << 16
}

/// The number at an offset.
pub fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from(u32_at(data, at)) | u64::from(u32_at(data, at + 4)) << 32
}

/// A copy with other bytes at an offset.
pub fn patch(data: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data[at..at + bytes.len()].copy_from_slice(bytes);
    data
}

/// Where some bytes first occur.
pub fn find(data: &[u8], needle: &[u8]) -> usize {
    let found = data.windows(needle.len()).position(|window| window == needle);
    found.unwrap_or_else(|| panic!("the sample does not hold {needle:02x?}"))
}

/// Offset of the `nth` program header of a type (`PT_*`).
pub fn program(data: &[u8], kind: u32, nth: usize) -> usize {
    let (table, count) = (u64_at(data, 0x20) as usize, usize::from(u16_at(data, 0x38)));
    let headers = (0..count).map(|index| table + index * 56);
    let found = headers.filter(|&at| u32_at(data, at) == kind).nth(nth);
    found.unwrap_or_else(|| panic!("the sample has no program header {nth} of type {kind}"))
}

/// Offset of the dynamic entry with a tag (`DT_*`); its value stands 8 bytes further.
pub fn dynamic(data: &[u8], tag: u64) -> usize {
    let header = program(data, 2, 0);
    let (at, size) = (u64_at(data, header + 8) as usize, u64_at(data, header + 32) as usize);
    let found = (at..at + size).step_by(16).find(|&at| u64_at(data, at) == tag);
    found.unwrap_or_else(|| panic!("the sample has no dynamic entry {tag}"))
}

/// Offset of the header of the section of a name; the section's own offset stands 0x18 bytes further.
pub fn section(data: &[u8], name: &str) -> usize {
    let (table, count) = (u64_at(data, 0x28) as usize, usize::from(u16_at(data, 0x3c)));
    let names = table + usize::from(u16_at(data, 0x3e)) * 64;
    let names = u64_at(data, names + 0x18) as usize;
    let headers = (0..count).map(|index| table + index * 64);
    let is_named = |at: &usize| {
        let start = names + u32_at(data, *at) as usize;
        data[start..].starts_with(name.as_bytes()) && data[start + name.len()] == 0
    };
    let mut headers = headers.filter(is_named);
    headers.next().unwrap_or_else(|| panic!("the sample has no section {name}"))
}
