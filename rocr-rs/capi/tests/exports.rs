//! What the library exports: the tables, the version script, and the vendor's library are of one mind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use hsa_runtime64::exports::{TABLE_ONLY, implemented, not_implemented};

/// The vendor's library, where Debian puts it.
const VENDORS: &str = "/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1";
const VERSION: &str = "ROCR_1";
/// Data, not a function.
const DATA: &str = "_amdgpu_r_debug";

/// What ROCm 7.0 exports that 5.2.3 does not (`hsacore.so.def` of ROCm's ROCR-Runtime).
#[rustfmt::skip]
const NEWER: &[&str] = &[
    "hsa_amd_agent_set_async_scratch_limit", "hsa_amd_enable_logging", "hsa_amd_memory_async_copy_on_engine",
    "hsa_amd_memory_copy_engine_status", "hsa_amd_memory_get_preferred_copy_engine",
    "hsa_amd_portable_close_dmabuf", "hsa_amd_portable_export_dmabuf", "hsa_amd_portable_export_dmabuf_v2",
    "hsa_amd_queue_get_info", "hsa_amd_signal_wait_all", "hsa_amd_spm_acquire", "hsa_amd_spm_release",
    "hsa_amd_spm_set_dest_buffer", "hsa_amd_vmem_address_free", "hsa_amd_vmem_address_reserve",
    "hsa_amd_vmem_address_reserve_align", "hsa_amd_vmem_export_shareable_handle", "hsa_amd_vmem_get_access",
    "hsa_amd_vmem_get_alloc_properties_from_handle", "hsa_amd_vmem_handle_create", "hsa_amd_vmem_handle_release",
    "hsa_amd_vmem_import_shareable_handle", "hsa_amd_vmem_map", "hsa_amd_vmem_retain_alloc_handle",
    "hsa_amd_vmem_set_access", "hsa_amd_vmem_unmap", "hsa_ext_sampler_create_v2", "hsa_ven_amd_pcs_create",
    "hsa_ven_amd_pcs_create_from_id", "hsa_ven_amd_pcs_destroy", "hsa_ven_amd_pcs_flush",
    "hsa_ven_amd_pcs_iterate_configuration", "hsa_ven_amd_pcs_start", "hsa_ven_amd_pcs_stop",
];

/// Symbols of a shared library, each `name@@version`.
fn symbols(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().expect("nm");
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.rsplit_once(' ')).map(|(_, name)| name.to_owned());
    names.filter(|name| name.contains("@@")).collect()
}

fn versioned(name: &str) -> String {
    format!("{name}@@{VERSION}")
}

fn rows() -> Vec<&'static str> {
    let rows = implemented().into_iter().chain(not_implemented()).chain([DATA]);
    rows.filter(|name| !TABLE_ONLY.contains(name)).collect()
}

fn table() -> BTreeSet<&'static str> {
    rows().into_iter().collect()
}

#[test]
fn the_tables_and_the_version_script_agree() {
    let script =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/libhsa-runtime64.map")).unwrap();
    assert!(script.starts_with(&format!("{VERSION}\n{{")) || script.starts_with(&format!("{VERSION} {{")));
    let listed: BTreeSet<&str> = script
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| name.starts_with("hsa_") || *name == DATA)
        .collect();
    let table = table();
    assert_eq!(table.len(), rows().len(), "a name is there twice");
    assert_eq!(listed, table);
}

#[test]
fn all_of_the_vendors_and_of_7_0_are_there() {
    let table: BTreeSet<String> = table().into_iter().map(versioned).collect();
    assert_eq!(table.len(), 259);
    let newer: BTreeSet<String> = NEWER.iter().map(|name| versioned(name)).collect();
    assert!(newer.is_subset(&table), "{:?}", newer.difference(&table).collect::<Vec<_>>());
    if !Path::new(VENDORS).exists() {
        eprintln!("SKIPPED: no {VENDORS}: apt-get install libhsa-runtime64-1");
        return;
    }
    let theirs = symbols(Path::new(VENDORS));
    assert_eq!(theirs.len(), 225, "in {VENDORS}");
    let both: BTreeSet<String> = theirs.union(&newer).cloned().collect();
    assert_eq!(both, table);
}

#[test]
fn the_linked_library_exports_just_that() {
    let Some(dist) = std::env::var_os("ROCRS_DIST").map(PathBuf::from) else {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
        return;
    };
    let library = dist.join("libhsa-runtime64.so.1");
    let table: BTreeSet<String> = table().into_iter().map(versioned).collect();
    assert_eq!(symbols(&library), table);
    let dynamic = Command::new("readelf").arg("-d").arg(&library).output().expect("readelf");
    let dynamic = String::from_utf8(dynamic.stdout).unwrap();
    assert!(dynamic.contains("Library soname: [libhsa-runtime64.so.1]"), "{dynamic}");
    assert!(dynamic.contains("NODELETE"), "its threads outlive a dlclose: {dynamic}");
}

#[test]
fn our_hip_does_not_need_it() {
    let Some(dist) = std::env::var_os("ROCRS_DIST").map(PathBuf::from) else {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
        return;
    };
    let dynamic =
        Command::new("readelf").arg("-d").arg(dist.join("libamdhip64.so.5")).output().expect("readelf");
    let dynamic = String::from_utf8(dynamic.stdout).unwrap();
    assert!(dynamic.contains("libamdhip64.so.5") && !dynamic.contains("libhsa-runtime64"), "{dynamic}");
}
