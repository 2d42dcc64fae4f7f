//! One C program, `probe.c`, on the vendor's library and on ours: every attribute and some two hundred calls with wrong
//! arguments, on the emulated device behind `/dev/kfd`. Where the two differ, the reason stands here.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Library, build, command, dist, limited, lines};

/// The machines to probe: chips that the vendor's library knows.
const MACHINES: &[&str] = &["gfx90a", "gfx906", "gfx908"];

/// Lines on which the two may differ, by how they begin, and why.
#[rustfmt::skip]
const MAY_DIFFER: &[(&str, &str)] = &[
    ("system 0 0x7:", "the vendor's mask has bits for the finalizer's sake, and shifts those of AMD's extensions by one"),
    ("agent 1 0x14:", "as above"),
    ("extension 0 version", "no finalizer: the vendor's library says yes, and then has none"),
    ("extension 0x200 version", "no profiler: as above"),
    ("extension 0x201 version 1:", "the vendor's library says 1.0 and has the table of 1.3; ours says so"),
    ("extension 0x202 version", "aqlprofile is another library, which the vendor's looks for in vain"),
    ("agent 1 extension 0:", "as above"), ("agent 1 extension 0 major:", "as above"),
    ("agent 1 extension 0x2", "as above: the vendor's says yes of everything"),
    ("agent 1 extension 0x3", "as above"),
    ("status 0x2d:", "HSA_STATUS_ERROR_OUT_OF_REGISTERS is newer than 5.2.3"),
    ("cache ", "the manual says that the name is text and the size bytes; 5.2.3 gives a pointer and KiB"),
    ("agent 1 0x300b:", "5.2.3 gives the chip's number for want of a break"),
    ("hsa_agent_major_extension_supported(0, gpu, 1, NULL, &result):", "5.2.3 crashes"),
    ("hsa_signal_group_create(1, &signal, 0, NULL, NULL):", "5.2.3 crashes"),
    ("hsa_queue_create(cpu,", "the manual: INVALID_QUEUE_CREATION when the agent has no queues of that type"),
    ("hsa_executable_load_agent_code_object(executable, no_agent,", "the manual: INVALID_AGENT"),
    ("hsa_executable_agent_global_variable_define(executable, no_agent,", "the manual: INVALID_AGENT"),
    ("hsa_system_get_extension_table(0x201, 1, 3", "see above"),
];

#[test]
fn the_vendors_library_and_ours_answer_the_same() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("probe.c", "hsa-probe", &[]) else { return };
    for chips in MACHINES {
        let vendors = lines(&command(&program, &dist, chips, Library::Vendors));
        let ours = lines(&command(&program, &dist, chips, Library::Ours));
        assert!(vendors.len() > 800, "{} lines", vendors.len());
        let differing: Vec<_> = vendors
            .iter()
            .zip(&ours)
            .filter(|(theirs, ours)| theirs != ours)
            .filter(|(theirs, _)| !MAY_DIFFER.iter().any(|(start, _)| theirs.starts_with(start)))
            .map(|(theirs, ours)| format!("vendor: {theirs}\nours:   {ours}\n"))
            .collect();
        assert!(differing.is_empty(), "{chips}:\n{}", differing.concat());
        assert_eq!(vendors.len(), ours.len(), "{chips}");
    }
}

#[test]
fn the_device_in_the_process_answers_as_the_one_behind_kfd() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("probe.c", "hsa-probe-in-process", &[]) else { return };
    let folder = dist.join("../rocr");
    let behind = lines(&command(&program, &dist, "gfx90a", Library::Ours));
    let mut within = Command::new(&program);
    within.env("LD_LIBRARY_PATH", &folder).env("ROCRS_DEVICE", "emu:gfx90a").env("ROCRS_QUIET", "1");
    let output = limited(&within, 20);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // A host whose sysfs is not mounted, as in a bare container, has no caches to tell of; `amdgpu-emu` shows some then.
    let bare = !Path::new("/sys/devices/system/cpu/cpu0/cache/index0/level").exists();
    let of_caches = ["agent 0 0x12:", "agent 0 caches:", "cache "];
    // The serial number is made anew for each run.
    let is_same = |line: &&str| {
        !(line.starts_with("agent 1 0xa011:")
            || bare && of_caches.iter().any(|start| line.starts_with(start)))
    };
    let within: Vec<&str> = text.lines().filter(is_same).collect();
    let behind: Vec<&str> = behind.iter().map(String::as_str).filter(is_same).collect();
    assert_eq!(within, behind);
}
