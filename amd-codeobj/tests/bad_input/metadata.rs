//! Metadata: MessagePack that is spoilt, nested, or means something else.

use amd_codeobj::metadata::{Value, yaml};
use amd_codeobj::{Error, Metadata};
use parser_samples::{find, metadata, msgpack};

use crate::{Row, check, row};

fn good() -> Vec<u8> {
    metadata(2, "amdgcn-amd-amdhsa--gfx942", &["first", "second"])
}

/// The offset that errors count from.
const AT: u64 = 0x1000;

fn read(data: &[u8]) -> Result<usize, Error> {
    Metadata::parse(data, AT).map(|metadata| metadata.kernels.len())
}

#[test]
fn each_wrong_value() {
    let data = &good();
    assert_eq!(read(data), Ok(2));
    let after = |key: &str| find(data, key.as_bytes()) + key.len();
    let bad = |path: &str, found: &str, expected| Error::BadValue {
        offset: AT,
        path: path.to_owned(),
        found: found.to_owned(),
        expected,
    };
    let missing = |path: &str| Error::MissingKey { offset: AT, path: path.to_owned() };
    let number = "an integer of 32 bits without sign";
    let kernel = "amdhsa.kernels[0]";
    let of = |key: &str| format!("{kernel}{key}");
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("root: nil", data, 0, &[0xc0], bad("the root", "nil", "a map")),
        row("root: an array", data, 0, &[0x94], bad("the root", "an array of 4", "a map")),
        row("a key: nil", data, 1, &[0xc0], bad("the root", "nil", "a string as a map's key")),
        row("a key: not UTF-8", data, 2, &[0xff], bad("the root", "a string that is not UTF-8", "a string as a map's key")),
        row("version: missing", data, find(data, b"amdhsa.version"), b"Amdhsa", missing("amdhsa.version")),
        row("version: a string", data, after("amdhsa.version"), &[0xa2], bad("amdhsa.version", "the string \"\\u{1}\\u{2}\"", "an array")),
        row("version: nil in it", data, after("amdhsa.version") + 1, &[0xc0], bad("amdhsa.version[0]", "nil", number)),
        row("kernels: nil", data, after("amdhsa.kernels"), &[0xc0], bad("amdhsa.kernels", "nil", "an array")),
        row("a kernel: nil", data, after("amdhsa.kernels") + 1, &[0xc0], bad(kernel, "nil", "a map")),
        row("target: nil", data, after("amdhsa.target"), &[0xc0], bad("amdhsa.target", "nil", "a string")),
        row("name: missing", data, find(data, b".name\xa5first"), b".nam3", missing(&of(".name"))),
        row("name: nil", data, find(data, b"\xa5first\xbb"), &[0xc0], bad(&of(".name"), "nil", "a string")),
        row("name: not UTF-8", data, find(data, b"first\xbb"), &[0xff], bad(&of(".name"), "a string that is not UTF-8", "a string")),
        row("symbol: missing", data, find(data, b".symbol"), b".Symbol", missing(&of(".symbol"))),
        row("kernarg size: missing", data, find(data, b".kernarg_segment_size"), b".Kernarg", missing(&of(".kernarg_segment_size"))),
        row("kernarg size: negative", data, after(".kernarg_segment_size"), &[0xff], bad(&of(".kernarg_segment_size"), "-1", number)),
        row("wave size: nil", data, after(".wavefront_size"), &[0xc0], bad(&of(".wavefront_size"), "nil", number)),
        row("VGPRs: true", data, after(".vgpr_count"), &[0xc3], bad(&of(".vgpr_count"), "true", number)),
        row("dynamic stack: 2", data, after(".uses_dynamic_stack"), &[2], bad(&of(".uses_dynamic_stack"), "2", "a boolean")),
        row("arguments: a number", data, after(".args"), &[5], bad(&of(".args"), "5", "an array")),
        row("an argument: a number", data, after(".args") + 1, &[5], bad(&of(".args[0]"), "5", "a map")),
        row("size of an argument: missing", data, find(data, b".size"), b".Size", missing(&of(".args[0].size"))),
        row("kind of an argument: nil", data, find(data, b"\xadglobal_buffer"), &[0xc0], bad(&of(".args[0].value_kind"), "nil", "a string")),
        row("work-group size: two numbers", data, after(".reqd_workgroup_size"), &[0x92], bad(&of(".reqd_workgroup_size"), "an array of 2", "an array of the documented length")),
    ];
    check(rows, read);
}

#[test]
fn each_cut_is_refused() {
    let data = good();
    for have in 0..data.len() {
        let error = Metadata::parse(&data[..have], AT).expect_err("something is missing");
        let Error::MessagePack { offset, .. } = error else { panic!("cut to {have}: {error}") };
        assert!((AT..=AT + have as u64).contains(&offset), "cut to {have}: {error}");
        assert!(matches!(Value::parse(&data[..have], AT), Err(Error::MessagePack { .. })));
        assert!(matches!(yaml(&data[..have], AT), Err(Error::MessagePack { .. })));
    }
}

/// Any depth and any count: refused before memory is spent, and without a deep stack.
#[test]
fn depths_and_counts() {
    let deep = |depth: usize, marker: &[u8]| [&b"\x81\xa1x"[..], &marker.repeat(depth), b"\xc0"].concat();
    let at = |offset, reason| Error::MessagePack { offset: AT + offset, reason };
    let count = "a container has more elements than there are bytes left";
    let (nests, ends) = ("it nests too deep", "it ends inside a value");
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        ("arrays, 100,000 deep".to_owned(), deep(100_000, &[0x91]), at(3 + 32, nests)),
        ("maps in values, 100,000 deep".to_owned(), deep(100_000, &[0x81, 0x01]), at(3 + 64, nests)),
        ("maps in keys, 100,000 deep".to_owned(), [&deep(100_000, &[0x81])[..], &[0; 100_000]].concat(), at(3 + 32, nests)),
        ("an array of 2^32 - 1".to_owned(), b"\x81\xa1x\xdd\xff\xff\xff\xff".to_vec(), at(3, count)),
        ("a map of 2^32 - 1".to_owned(), b"\x81\xa1x\xdf\xff\xff\xff\xff".to_vec(), at(3, count)),
        ("the root: a map of 2^32 - 1".to_owned(), b"\xdf\xff\xff\xff\xff".to_vec(), at(0, count)),
        ("arrays of 2^16 - 1 in one another".to_owned(), b"\x81\xa1x\xdc\xff\xff".repeat(3), at(3, count)),
        ("text of 2^32 - 1 bytes".to_owned(), b"\x81\xa1x\xdb\xff\xff\xff\xff".to_vec(), at(3, ends)),
        ("binary data of 2^32 - 1 bytes".to_owned(), b"\x81\xa1x\xc6\xff\xff\xff\xff".to_vec(), at(3, ends)),
        ("an extension of 2^32 - 1 bytes".to_owned(), b"\x81\xa1x\xc9\xff\xff\xff\xff\x01".to_vec(), at(3, ends)),
        ("the byte that means nothing".to_owned(), b"\x81\xa1x\xc1".to_vec(), at(3, "the byte 0xc1 means nothing")),
        ("nothing at all".to_owned(), Vec::new(), at(0, ends)),
    ];
    for (name, data, _) in &rows {
        assert!(yaml(data, AT).is_err() && Value::parse(data, AT).is_err(), "{name}");
    }
    check(rows, read);
}

#[test]
fn a_key_named_twice() {
    let twice = rmpv::Value::Map(vec![("amdhsa.version".into(), 1.into()); 2]);
    let error = read(&msgpack(&twice)).expect_err("refused");
    assert!(matches!(error, Error::BadValue { .. } | Error::DuplicateKey { .. }), "{error}");
}
