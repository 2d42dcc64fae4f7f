//! Static archives.

use offload_bundle::{Container, Error};
use parser_samples::{archive, host};

use crate::{Row, check, row};

/// Names at 8 (the table, 21 bytes of content and one to pad), members at 90 and behind it.
fn good() -> Vec<u8> {
    let object = host(&[parser_samples::raw(&[("hipv4-amdgcn-amd-amdhsa--gfx90a", b"code")], 8)]);
    archive(&[("a name that is long", &object), ("b.o", &object)])
}

fn read(data: &[u8]) -> Result<usize, Error> {
    let mut sections = 0;
    for section in Container::parse(data)?.sections() {
        sections += section.map(|_| 1)?;
    }
    Ok(sections)
}

#[test]
fn each_field() {
    let data = &good();
    assert_eq!(read(data), Ok(4));
    let have = data.len() as u64;
    let number = |what, offset| Error::Malformed { what, offset, why: "it is no decimal number" };
    let end = |value| Error::BadField {
        what: "end of an archive member header",
        offset: 8 + 58,
        value,
        why: "a member header ends with 60 0a",
    };
    let index = |value| Error::BadField {
        what: "archive member name",
        offset: 90,
        value,
        why: "it is past the end of the table of names",
    };
    let cut = |need| Error::Truncated { what: "archive member", offset: 150, need, have };
    let (size, name) = ("archive member size", "index of an archive member's name");
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("magic", data, 0, b"!<arsh>\n", Error::UnknownMagic { offset: 0, found: b"!<arsh>\n".to_vec() }),
        row("a thin archive", data, 0, b"!<thin>\n", Error::Unsupported {
            what: "a thin archive",
            offset: 0,
            way_out: "it has only the names of its members: read those files, or make a whole archive of it",
        }),
        row("end of a header", data, 8 + 58, b"\n`", end(0x600a)),
        row("size: no number", data, 90 + 48, b"0x10      ", number(size, 138)),
        row("size: negative", data, 90 + 48, b"-1        ", number(size, 138)),
        row("size: with a sign", data, 90 + 48, b"+1        ", number(size, 138)),
        row("size: empty", data, 90 + 48, b"          ", number(size, 138)),
        row("size: not UTF-8", data, 90 + 48, &[0xff; 10], number(size, 138)),
        row("size: the largest there is", data, 90 + 48, b"9999999999", cut(9_999_999_999)),
        row("index of a name: past the end", data, 90, b"/22             ", index(22)),
        row("index of a name: the largest", data, 90, b"/999999999999999", index(999_999_999_999_999)),
        row("index of a name: no number", data, 90, b"/x              ", number(name, 91)),
        row("length of a name: no number", data, 90, b"#1/x            ", number("length of an archive member's name", 93)),
        row("length of a name: longer than the member", data, 90, b"#1/9999999999999", Error::Truncated {
            what: "archive member name",
            offset: 150,
            need: 9_999_999_999_999,
            have: 150 + (have - 150 - 60) / 2,
        }),
        row("name in the table: not UTF-8", data, 68, &[0xff], Error::Malformed {
            what: "archive member name",
            offset: 68,
            why: "it is not UTF-8",
        }),
        row("name in the header: not UTF-8", data, 90, &[0xff; 16], Error::Malformed {
            what: "archive member name",
            offset: 90,
            why: "it is not UTF-8",
        }),
    ];
    check(rows, read);
}

#[test]
fn each_cut_of_the_headers() {
    let data = good();
    let cut = |have: u64| {
        let (what, offset, need) = match have {
            9..68 => ("archive member header", 8, 60),
            68..89 => ("archive member", 68, 21),
            _ => ("archive member header", 90, 60),
        };
        let error = Error::Truncated { what, offset, need, have };
        (format!("cut to {have} bytes"), data[..have as usize].to_vec(), error)
    };
    // At 8, 89 and 90 the archive just has fewer members.
    let places = (9..150).filter(|have| !matches!(have, 89 | 90));
    check(places.map(cut).collect(), read);
    assert_eq!([8, 89, 90].map(|have| read(&data[..have])), [Ok(0), Ok(0), Ok(0)]);
}
