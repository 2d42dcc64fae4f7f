//! `image.c`: capabilities, descriptors and samplers on the vendor's library and on ours, word by word; and what becomes of
//! elements.

mod common;

use common::Library::{Ours, Vendors};
use common::{build, command, dist, limited, lines};

#[test]
fn images_are_described_as_by_the_vendors_library() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("image.c", "hsa-image", &[]) else { return };
    let vendors = lines(&command(&program, &dist, "gfx90a", Vendors));
    assert!(vendors.len() > 3000, "{} lines", vendors.len());
    let ours = lines(&command(&program, &dist, "gfx90a", Ours));
    let differing: Vec<_> =
        vendors.iter().zip(&ours).filter(|(theirs, ours)| theirs != ours).take(20).collect();
    assert!(differing.is_empty() && vendors.len() == ours.len(), "{differing:#?}");
}

#[test]
fn elements_go_in_and_out_and_are_cleared() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("image.c", "hsa-image-elements", &[]) else { return };
    let says = |engines: Option<&str>| {
        let mut command = command(&program, &dist, "gfx90a", Ours);
        command.arg("elements");
        if let Some(engines) = engines {
            command.env("HSA_ENABLE_SDMA", engines);
        }
        lines(&command)
    };
    let said = says(None);
    assert_eq!(said.len(), 66);
    for line in said.iter().filter(|line| line.starts_with("geometry")) {
        assert!(
            line.contains("import 0, export 0, same 1, no more 1, copy 0 ") && line.contains("clear 0 "),
            "{line}"
        );
    }
    // The colours 0.25, -0.5, 2, 0.75 and 5, -70000, 300, 77 in elements of each format.
    let colours = [
        (0, "0000803e000000bf000000400000403f"),
        (1, "4000ffbf"),
        (2, "ff0040bf"),
        (3, "05000080"),
        (4, "05004d00"),
        (5, "003a"),
        (6, "05000000"),
        (7, "5f20c07f"),
        (8, "1f40"),
        (9, "ff030010"),
        (10, "002000c0ff7fff5f"),
    ];
    for (format, colour) in colours {
        let of = format!("format {format}:");
        let mut lines = said.iter().filter(|line| line.contains(&of)).peekable();
        assert!(lines.peek().is_some() && lines.all(|line| line.ends_with(colour)), "{of} {colour}");
    }
    assert_eq!(says(Some("1")), said);
    // The vendor's kernels do the same with the image instructions of the emulated device, for images of one dimension,
    // which are linear there too; at the first tiled one they stop, and the program with them.
    let theirs = limited(command(&program, &dist, "gfx90a", Vendors).arg("elements"), 60);
    let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
    let of_one_dimension = |line: &&str| line.starts_with("geometry 0,");
    let theirs: Vec<&str> = theirs.lines().filter(of_one_dimension).collect();
    assert_eq!(theirs, said.iter().map(String::as_str).filter(of_one_dimension).collect::<Vec<_>>());
}
