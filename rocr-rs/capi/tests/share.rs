//! `share.c`: memory and signals go between two processes, and a buffer of the render node comes in, on the vendor's
//! library and on ours, and with one of them on each side.

mod common;

use common::Library::{self, Ours, Vendors};
use common::{build, command, dist, lines};

#[test]
fn processes_share_whatever_libraries_they_run_on() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("share.c", "hsa-share", &[]) else { return };
    let says = |parent: Library, child: Library| {
        let mut command = command(&program, &dist, "gfx90a", parent);
        match child {
            Vendors => command.env("CHILD_LIBRARY_PATH", ""),
            Ours => command.env("CHILD_LIBRARY_PATH", dist.join("../rocr")),
        };
        lines(&command)
    };
    let vendors = says(Vendors, Vendors);
    assert!(vendors.len() > 55, "{} lines", vendors.len());
    for (parent, child) in [(Ours, Ours), (Vendors, Ours), (Ours, Vendors)] {
        let said = says(parent, child);
        let differing: Vec<_> = vendors.iter().zip(&said).filter(|(theirs, other)| theirs != other).collect();
        assert!(differing.is_empty() && said.len() == vendors.len(), "{parent:?}, {child:?}: {differing:#?}");
    }
}
