//! `lifetimes.c`: ten thousand runtimes one after the other leave nothing behind: no memory, files, threads or mappings.

mod common;

use std::process::Command;

use common::{build, dist, limited};

/// The numbers of a line, by what they count.
fn numbers(line: &str) -> Vec<(&str, i64)> {
    let words: Vec<&str> = line.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
    words.windows(2).filter_map(|pair| Some((pair[0], pair[1].parse().ok()?))).collect()
}

#[test]
fn runtimes_leave_nothing_behind() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("lifetimes.c", "hsa-lifetimes", &[]) else { return };
    for arguments in [&["10000"][..], &["2000", "leave"]] {
        let mut command = Command::new(&program);
        command.args(arguments).env("LD_LIBRARY_PATH", dist.join("../rocr"));
        command.env("ROCRS_DEVICE", "emu:gfx90a").env("ROCRS_QUIET", "1");
        let output = limited(&command, 200);
        let text = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {text}{said}", output.status);
        println!("{text}{said}");
        let [before, after] = [0, 1].map(|line| numbers(text.lines().nth(line).unwrap_or_default()));
        assert_eq!(before.len(), 5, "{text}");
        for ((what, before), (_, after)) in before.into_iter().zip(after) {
            // Where the allocator's memory lies differs a little from time to time.
            let slack = if ["resident", "virtual"].contains(&what) { 1024 } else { 2 };
            assert!(after <= before + slack, "{what}: {before}, then {after}");
        }
    }
}
