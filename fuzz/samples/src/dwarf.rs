//! The least debug information that says which line an address comes from. Answers to DWARF 4: sections 3.1 and 3.3 for
//! the entries, 6.2 for the line table, 7.5 for the encodings.

/// Sections `.debug_abbrev`, `.debug_info` and `.debug_line` for a function `kernel` of `kernel.hip` that has `size` bytes
/// at an address: line 10, and from the fourth byte on line 12.
pub fn dwarf(address: u64, size: u32) -> Vec<(String, Vec<u8>)> {
    vec![
        (".debug_abbrev".to_owned(), ABBREVIATIONS.to_vec()),
        (".debug_info".to_owned(), info(address, size)),
        (".debug_line".to_owned(), lines(address, size)),
    ]
}

/// A compilation unit with its name, line table and range; in it a function with its name and range.
#[rustfmt::skip]
const ABBREVIATIONS: &[u8] = &[
    1, 0x11, 1, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0,
    2, 0x2e, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0,
    0,
];

/// A unit of debug information: the bytes behind their length.
fn unit(content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32).to_le_bytes(), content].concat()
}

fn info(address: u64, size: u32) -> Vec<u8> {
    // DWARF 4, abbreviations at 0, addresses of 8 bytes.
    let mut content = vec![4, 0, 0, 0, 0, 0, 8];
    content.push(1);
    content.extend(b"kernel.hip\0");
    content.extend(0u32.to_le_bytes());
    content.extend(address.to_le_bytes());
    content.extend(size.to_le_bytes());
    content.push(2);
    content.extend(b"kernel\0");
    content.extend(address.to_le_bytes());
    content.extend(size.to_le_bytes());
    content.push(0);
    unit(&content)
}

fn lines(address: u64, size: u32) -> Vec<u8> {
    // Instructions of four bytes, lines from -5 to 8 in a special opcode, thirteen standard opcodes.
    let mut header = vec![4, 1, 1, 0xfb, 14, 13];
    header.extend([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
    header.push(0);
    header.extend(b"kernel.hip\0\0\0\0");
    header.push(0);
    let mut program = vec![0, 9, 2];
    program.extend(address.to_le_bytes());
    // advance_line 9, copy; advance_pc 1, advance_line 2, copy; advance_pc to the end, end_sequence.
    program.extend([3, 9, 1, 2, 1, 3, 2, 1]);
    program.extend([2, (size / 4).saturating_sub(1).min(0x7f) as u8, 0, 1, 1]);
    let mut content = vec![4, 0];
    content.extend((header.len() as u32).to_le_bytes());
    content.extend(header);
    content.extend(program);
    unit(&content)
}
