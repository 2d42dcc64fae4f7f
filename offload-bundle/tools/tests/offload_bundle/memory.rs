//! How much memory a listing takes of a library of gigabytes: headers, and nothing of what is behind them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};

use offload_bundle::BundleBuilder;

use crate::tool::{Folder, TOOL};

/// What the largest library known takes less of; see the issue.
const MOST: u64 = 20 << 10;

/// What is written of each bundle. The kernel keeps what was written in one go in large pieces, and may map such a piece
/// whole when one byte of it is looked at.
const START: usize = 1 << 20;

/// 4 GiB in 64 bundles. The file is sparse: on the disk there is only the start of each.
fn sparse(path: &str) -> u64 {
    const ENTRY: u64 = 8 << 20;
    let mut file = File::create(path).unwrap();
    let mut at = 0u64;
    for _ in 0..64 {
        let targets = ["gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1030", "gfx1100"];
        let ids = targets.map(|target| format!("hipv4-amdgcn-amd-amdhsa--{target}"));
        let entries = ids.iter().map(|id| (id.as_str(), &[0u8; 4096][..]));
        // A small bundle has the table but for the sizes and offsets, which are put in.
        let mut table = BundleBuilder::from_entries(entries).to_vec().unwrap();
        table.resize(START, 1);
        let mut record = 32;
        for (index, id) in ids.iter().enumerate() {
            table[record..record + 8].copy_from_slice(&(4096 + index as u64 * ENTRY).to_le_bytes());
            table[record + 8..record + 16].copy_from_slice(&ENTRY.to_le_bytes());
            record += 24 + id.len();
        }
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&table).unwrap();
        at = (at + 4096 + targets.len() as u64 * ENTRY).next_multiple_of(START as u64);
    }
    file.set_len(at).unwrap();
    at
}

#[test]
fn listing_reads_headers_only() {
    let folder = Folder::new();
    let path = folder.path("large.hipfb");
    assert!(sparse(&path) > 4 << 30);
    let mut child = Command::new(TOOL).args(["ls", "--json", &path]).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    // With its first byte the listing is complete, and since the pipe does not hold all of it, the program is still
    // there to be looked at.
    let mut first = [0];
    output.read_exact(&mut first).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(rest.len() > 64 << 10, "the whole output fits the pipe");
    let rows: serde_json::Value = serde_json::from_slice(&[&first[..], &rest].concat()).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 64 * 8);
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM in /proc");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MOST, "{peak} kB at most, expected less than {MOST}");
}
