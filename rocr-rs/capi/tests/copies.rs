//! `copies.c`: copies by agents, rectangles and fills, on the vendor's library and on ours, with engines as each likes, always
//! and never.

mod common;

use common::Library::{Ours, Vendors};
use common::{build, command, dist, lines};

#[test]
fn copies_answer_and_arrive_as_on_the_vendors_library() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("copies.c", "hsa-copies", &[]) else { return };
    let vendors = lines(&command(&program, &dist, "gfx90a", Vendors));
    assert!(vendors.len() > 70, "{} lines", vendors.len());
    for engines in [None, Some("0"), Some("1")] {
        let mut ours = command(&program, &dist, "gfx90a", Ours);
        if let Some(engines) = engines {
            ours.env("HSA_ENABLE_SDMA", engines);
        }
        let ours = lines(&ours);
        let differing: Vec<_> = vendors.iter().zip(&ours).filter(|(theirs, ours)| theirs != ours).collect();
        assert!(differing.is_empty() && vendors.len() == ours.len(), "{engines:?}: {differing:#?}");
    }
}
