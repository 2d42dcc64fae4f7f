//! `queues.c`: queues of all kinds behave as on the vendor's library, and so do those whose packets a tool sees.

mod common;

use common::{Library, build, command, dist, lines};

#[test]
fn queues_behave_as_the_vendors() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("queues.c", "hsa-queues", &[]) else { return };
    let [vendors, ours] =
        [Library::Vendors, Library::Ours].map(|library| lines(&command(&program, &dist, "gfx90a", library)));
    assert_eq!(ours, vendors);
    assert!(ours.iter().any(|line| line.starts_with("left 0 of 300")), "{ours:#?}");
    assert_eq!(lines(command(&program, &dist, "gfx90a", Library::Ours).env("FLOOD", "1")), vendors);
}

#[test]
fn a_tool_sees_and_changes_packets_as_on_the_vendors() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("queues.c", "hsa-queues-intercepted", &[]) else { return };
    let arguments = ["-shared", "-fPIC", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa"];
    let Some(tool) = build("intercept.cpp", "hsa-intercept.so", &arguments) else { return };
    let [vendors, ours] = [Library::Vendors, Library::Ours]
        .map(|library| lines(command(&program, &dist, "gfx90a", library).env("HSA_TOOLS_LIB", &tool)));
    assert_eq!(ours, vendors);
    let mut flooded = command(&program, &dist, "gfx90a", Library::Ours);
    assert_eq!(
        lines(flooded.env("HSA_TOOLS_LIB", &tool).env("FLOOD", "1")),
        vendors,
        "with more than has room"
    );
    // 300 packets of the program, 30 held back, and one more for each third that was not.
    let wanted = "tool: 300 packets in order 1, 360 to the hardware, own signal 910";
    assert!(ours.iter().any(|line| line == wanted), "{ours:#?}");
}
