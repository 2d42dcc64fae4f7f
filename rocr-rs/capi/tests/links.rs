//! `links.c`: which agent reaches which memory, over what link, on the vendor's library and on ours.

mod common;

use common::Library::{Ours, Vendors};
use common::{build, command, dist, lines};

#[test]
fn agents_reach_memory_as_on_the_vendors_library() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("links.c", "hsa-links", &[]) else { return };
    for machine in ["gfx90a", "gfx90a,gfx90a", "gfx906,gfx908"] {
        let [vendors, ours] =
            [Vendors, Ours].map(|library| lines(&command(&program, &dist, machine, library)));
        assert_eq!(vendors, ours, "{machine}");
        if machine.contains(',') {
            let peers =
                vendors.iter().filter(|line| line.starts_with("agent 1 to segment 0 of 2: access 2, hops 1"));
            assert!(peers.count() > 0, "{vendors:#?}");
        }
    }
}
