//! `newer.c`: what the library has that 5.2.3 has not, each answer against the manual of ROCm 7; `svm.c`: shared virtual
//! memory, on the vendor's library and on ours.

mod common;

use std::process::Command;

use common::{Library, build, command, dist, limited, lines};

#[test]
fn newer_functions_answer_as_the_manual_says() {
    let Some(dist) = dist() else { return };
    let folder = dist.join("../rocr");
    let library = folder.join("libhsa-runtime64.so.1");
    let library = library.to_str().expect("a path of text");
    let Some(program) = build("newer.c", "hsa-newer", &[library]) else { return };
    lines(&command(&program, &dist, "gfx90a", Library::Ours));
    // And on the device in the process, whose memory another process takes in all the same.
    let mut within = Command::new(&program);
    within.env("LD_LIBRARY_PATH", &folder).env("ROCRS_DEVICE", "emu:gfx90a").env("ROCRS_QUIET", "1");
    let output = limited(&within, 60);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn shared_ranges_are_answered_for_as_by_the_vendors_library() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("svm.c", "hsa-svm", &[]) else { return };
    let vendors = lines(&command(&program, &dist, "gfx90a", Library::Vendors));
    assert!(vendors.len() > 50, "{} lines", vendors.len());
    let ours = lines(&command(&program, &dist, "gfx90a", Library::Ours));
    let differing: Vec<_> = vendors.iter().zip(&ours).filter(|(theirs, ours)| theirs != ours).collect();
    assert!(differing.is_empty() && vendors.len() == ours.len(), "{differing:#?}");
}
