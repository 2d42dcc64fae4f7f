//! Small files that would have a careless reader take much memory: each is read or refused within a bound. One test, so
//! that nothing else runs in the process.

use amd_codeobj::metadata::{Value, yaml};
use amd_codeobj::{CodeObject, Metadata};
use parser_samples::{Packing, find, patch, section, u64_at};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MB: usize = 1 << 20;
/// The most that a file of a megabyte may take, in bytes.
const MOST: usize = 64 << 20;

/// The most bytes that were allocated at a time during some work, beyond those before it.
fn grown(work: impl FnOnce()) -> usize {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    work();
    ALLOCATOR.peak_usage() - before
}

/// The most memory that the whole process ever had, libraries in C included, in bytes (`VmHWM` of proc(5)).
fn process_peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a high-water mark");
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes << 10
}

/// A map with one key whose value is these bytes, over and over.
fn value(bytes: &[u8]) -> Vec<u8> {
    let mut data = b"\x81\xa1x\xdd".to_vec();
    let count = (MB - 8) / bytes.len();
    data.extend((count as u32).to_be_bytes());
    data.extend(bytes.repeat(count));
    data
}

#[test]
fn metadata_of_a_megabyte_takes_bounded_memory() {
    let nested = [&[0x91; 30][..], &[0xc0]].concat();
    for (name, data) in [
        ("nils", value(&[0xc0])),
        ("empty maps", value(&[0x80])),
        ("maps of one pair", value(&[0x81, 0xc0, 0xc0])),
        ("arrays of one", value(&[0x91, 0xc0])),
        ("arrays in arrays", value(&nested)),
        ("text that is escaped", value(b"\xa4\"\n\x01\x02")),
        ("text of one letter", value(b"\xa1a")),
    ] {
        assert!(data.len() <= MB);
        let tree = grown(|| drop(Value::parse(&data, 0)));
        let typed = grown(|| drop(Metadata::parse(&data, 0)));
        let text = grown(|| drop(yaml(&data, 0)));
        eprintln!("{name}: tree {} MB, typed {} MB, YAML {} MB", tree >> 20, typed >> 20, text >> 20);
        assert!(tree <= MOST && typed <= MOST && text <= MOST, "{name}: {tree} {typed} {text}");
    }

    // Many short lines, each of them far to the right.
    let deep = [&b"\x81\xa1x"[..], &[0x91; 28], &value(&[0xc0])].concat();
    let text = grown(|| {
        let error = yaml(&deep, 0).expect_err("mostly spaces");
        assert!(error.to_string().contains("so deep that most of it is indentation"), "{error}");
    });
    eprintln!("deep: YAML {} MB", text >> 20);
    assert!(text <= MOST, "{text}");

    // Debug information that unpacks to much more than it says, or says much more than it unpacks to.
    let mut object = parser_samples::CodeObject::new(5, 0x54c, "gfx942", &["kernel"]).with_lines();
    object.debug.push((".debug_str".to_owned(), vec![0; 16 * MB]));
    for packing in [Packing::Zlib, Packing::Zstd] {
        object.debug_packing = Some(packing);
        let data = object.build();
        let before = process_peak();
        let at = u64_at(&data, section(&data, ".debug_str") + 0x18) as usize;
        for size in [0, 1000, 4 * MB as u64, 1 << 40, u64::MAX] {
            let spoilt = patch(&data, at + 8, &size.to_le_bytes());
            let memory = grown(|| {
                let object = CodeObject::parse(&spoilt).expect("good headers");
                assert!(object.lines_within(4 * MB as u64).is_err());
            });
            assert!(memory <= 16 << 20, "{packing:?} says {size}: {memory}");
        }
        let memory = process_peak() - before;
        assert!(memory <= 32 << 20, "{packing:?}: {memory}");
    }

    // Counts in headers.
    let good = parser_samples::CodeObject::new(5, 0x54c, "gfx942", &["kernel"]).build();
    let extended = patch(&good, 0x3c, &[0, 0]);
    let table = u64_at(&good, 0x28) as usize;
    for count in [1u64 << 20, 1 << 57, 1 << 60, u64::MAX] {
        let spoilt = patch(&extended, table + 32, &count.to_le_bytes());
        let memory = grown(|| assert!(CodeObject::parse(&spoilt).is_err()));
        assert!(memory <= 1 << 20, "{count} sections: {memory}");
    }
    let kernels = find(&good, b"amdhsa.kernels") + 14;
    let spoilt = patch(&good, kernels, &[0xdd, 0xff, 0xff, 0xff, 0xff]);
    let memory = grown(|| assert!(CodeObject::parse(&spoilt).expect("good headers").metadata().is_err()));
    assert!(memory <= 1 << 20, "2^32 - 1 kernels: {memory}");
}
