//! Host files that carry fat binaries: an x86-64 shared object with `.hip_fatbin` and `.hipFatBinSegment`, and a static
//! archive. Answers to the gABI, to `CGCUDANV.cpp` of clang for the two sections, and to ar(5).

/// A 64-bit ELF file of the host with these fat binaries in `.hip_fatbin`, each at a multiple of 4096 bytes, and a
/// wrapper for each in `.hipFatBinSegment`.
pub fn host(fat_binaries: &[Vec<u8>]) -> Vec<u8> {
    let mut fatbin = Vec::new();
    let mut starts = Vec::new();
    for binary in fat_binaries {
        fatbin.resize(fatbin.len().next_multiple_of(4096), 0);
        starts.push(fatbin.len() as u64);
        fatbin.extend(binary);
    }
    let fatbin_at = 0x1000u64;
    let segment_at = (fatbin_at + fatbin.len() as u64).next_multiple_of(8);
    let mut segment = Vec::new();
    for start in &starts {
        segment.extend(b"FPIH\x01\0\0\0");
        segment.extend((fatbin_at + start).to_le_bytes());
        segment.extend([0; 8]);
    }
    let names = b"\0.hip_fatbin\0.hipFatBinSegment\0.shstrtab\0";
    let names_at = segment_at + segment.len() as u64;
    let table_at = (names_at + names.len() as u64).next_multiple_of(8);

    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend(3u16.to_le_bytes());
    file.extend(62u16.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    for word in [0, 64, table_at] {
        file.extend(u64::to_le_bytes(word));
    }
    file.extend(0u32.to_le_bytes());
    for half in [64, 56, 1, 64, 4, 3] {
        file.extend(u16::to_le_bytes(half));
    }
    // One loadable segment holds everything.
    file.extend(1u32.to_le_bytes());
    file.extend(6u32.to_le_bytes());
    for word in [0, 0, 0, table_at, table_at, 0x1000] {
        file.extend(u64::to_le_bytes(word));
    }
    file.resize(fatbin_at as usize, 0);
    file.extend(&fatbin);
    file.resize(segment_at as usize, 0);
    file.extend(&segment);
    file.extend(names);
    file.resize(table_at as usize + 64, 0);
    for (name, kind, flags, at, size, align) in [
        (1u32, 1u32, 2u64, fatbin_at, fatbin.len() as u64, 4096u64),
        (13, 1, 3, segment_at, segment.len() as u64, 8),
        (31, 3, 0, names_at, names.len() as u64, 1),
    ] {
        file.extend(name.to_le_bytes());
        file.extend(kind.to_le_bytes());
        let vaddr = if flags == 0 { 0 } else { at };
        for word in [flags, vaddr, at, size, 0, align, 0] {
            file.extend(word.to_le_bytes());
        }
    }
    file
}

/// A static archive of members; names longer than fifteen bytes go into a table of names, as GNU ar does it.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    let mut member = |name: &str, data: &[u8]| {
        file.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len()).bytes());
        file.extend(data);
        if data.len() % 2 == 1 {
            file.push(b'\n');
        }
    };
    let long: String =
        members.iter().filter(|(name, _)| name.len() > 15).map(|(name, _)| format!("{name}/\n")).collect();
    if !long.is_empty() {
        member("//", long.as_bytes());
    }
    let mut at = 0;
    for (name, data) in members {
        if name.len() > 15 {
            member(&format!("/{at}"), data);
            at += name.len() + 2;
        } else {
            member(&format!("{name}/"), data);
        }
    }
    file
}
