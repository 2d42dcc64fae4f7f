//! What the library exports: the table, the version script, and the vendor's library are of one mind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use hsakmt::exports::EXPORTS;

/// The vendor's library, where Debian puts it.
const VENDORS: &str = "/usr/lib/x86_64-linux-gnu/libhsakmt.so.1";
const VERSION: &str = "HSAKMT_1";

/// What the newest release exports that 5.2.3 does not (`libhsakmt.ver` of ROCm's `rocr-runtime`).
#[rustfmt::skip]
const NEWEST: &[&str] = &[
    "hsaKmtGetNodeWallclockFrequency", "hsaKmtAllocMemoryAlign", "hsaKmtAvailableMemory",
    "hsaKmtImportExternalSemaphore", "hsaKmtDestroyExternalSemaphore", "hsaKmtDbgEnable", "hsaKmtDbgDisable",
    "hsaKmtDbgGetDeviceData", "hsaKmtDbgGetQueueData", "hsaKmtCheckRuntimeDebugSupport",
    "hsaKmtGetRuntimeCapabilities", "hsaKmtDebugTrapIoctl", "hsaKmtOpenSMI", "hsaKmtExportDMABufHandle",
    "hsaKmtWaitOnEvent_Ext", "hsaKmtWaitOnMultipleEvents_Ext", "hsaKmtReplaceAsanHeaderPage",
    "hsaKmtReturnAsanHeaderPage", "hsaKmtGetAMDGPUDeviceHandle", "hsaKmtPcSamplingQueryCapabilities",
    "hsaKmtPcSamplingCreate", "hsaKmtPcSamplingDestroy", "hsaKmtPcSamplingStart", "hsaKmtPcSamplingStop",
    "hsaKmtPcSamplingSupport", "hsaKmtAisReadWriteFile", "hsaKmtHandleImport", "hsaKmtMemoryVaMap",
    "hsaKmtMemoryVaUnmap", "hsaKmtMemHandleFree", "hsaKmtMemoryGetCpuAddr", "hsaKmtMemoryCpuMap",
    "hsaKmtSetSigbusDelay",
    // Declared in the header, for users of the static library.
    "hsaKmtCreateQueueExt", "hsaKmtQueueRingDoorbell", "hsaKmtModelEnabled",
    "hsaKmtRegisterGraphicsHandleToNodesExt",
];

/// Functions of a shared library, each `name@@version`.
fn functions(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().expect("nm");
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split_once(" T ")).map(|(_, name)| name.to_owned());
    names.collect()
}

fn versioned(name: &str) -> String {
    format!("{name}@@{VERSION}")
}

#[test]
fn table_and_version_script_agree() {
    let script = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/libhsakmt.map")).unwrap();
    assert!(script.starts_with(&format!("{VERSION} {{")));
    let listed: BTreeSet<&str> = script
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| name.starts_with("hsa"))
        .collect();
    let table: BTreeSet<&str> = EXPORTS.iter().copied().collect();
    assert_eq!(table.len(), EXPORTS.len(), "a name is there twice");
    assert_eq!(listed, table);
}

#[test]
fn all_of_the_vendors_and_of_the_newest_release_are_there() {
    let table: BTreeSet<String> = EXPORTS.iter().map(|name| versioned(name)).collect();
    for name in NEWEST {
        assert!(table.contains(&versioned(name)), "{name}");
    }
    if !Path::new(VENDORS).exists() {
        eprintln!("SKIPPED: no {VENDORS}: apt-get install libhsakmt1");
        return;
    }
    let theirs = functions(Path::new(VENDORS));
    assert!(theirs.len() >= 67, "{} functions in {VENDORS}", theirs.len());
    let lacking: Vec<_> = theirs.difference(&table).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
    let more: BTreeSet<String> = NEWEST.iter().map(|name| versioned(name)).collect();
    let ours: Vec<_> = table.difference(&theirs).filter(|name| !more.contains(*name)).collect();
    assert!(ours.is_empty(), "neither the vendor's nor new: {ours:?}");
}

#[test]
fn the_linked_library_exports_just_that() {
    let Some(dist) = std::env::var_os("ROCRS_DIST").map(PathBuf::from) else {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
        return;
    };
    let library = dist.join("libhsakmt.so.1");
    let table: BTreeSet<String> = EXPORTS.iter().map(|name| versioned(name)).collect();
    assert_eq!(functions(&library), table);
    let dynamic = Command::new("readelf").arg("-d").arg(&library).output().expect("readelf");
    let dynamic = String::from_utf8(dynamic.stdout).unwrap();
    assert!(dynamic.contains("Library soname: [libhsakmt.so.1]"), "{dynamic}");
    assert!(dynamic.contains("NODELETE"), "it leaves fork handlers with the C library: {dynamic}");
}
