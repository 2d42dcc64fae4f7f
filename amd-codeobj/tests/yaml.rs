//! Metadata as YAML against `llvm-readelf-19 --notes`: of compiled objects, of values written down, and of trees made up.
//!
//! Made-up metadata stands in a file of notes only: an ELF header, one PT_NOTE, and the notes.

mod common;

use amd_codeobj::{CodeObject, Error, metadata};
use common::{Built, compile, run, temporary};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rmpv::Value;

/// An ELF file for gfx90a whose one segment holds these notes.
fn notes(contents: &[Vec<u8>]) -> Vec<u8> {
    let mut notes = Vec::new();
    for content in contents {
        notes.extend([7u32, content.len() as u32, 32].iter().flat_map(|word| word.to_le_bytes()));
        notes.extend(b"AMDGPU\0\0");
        notes.extend(content);
        notes.resize(notes.len().next_multiple_of(4), 0);
    }
    let mut file = b"\x7fELF\x02\x01\x01\x40\x03\0\0\0\0\0\0\0".to_vec();
    let halves = |file: &mut Vec<u8>, words: &[u16]| {
        file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    halves(&mut file, &[3, 224, 1, 0]);
    file.extend([0, 64, 0].iter().flat_map(|word: &u64| word.to_le_bytes()));
    halves(&mut file, &[0x53f, 0, 64, 56, 1, 64, 0, 0]);
    file.extend(4u32.to_le_bytes());
    file.extend(4u32.to_le_bytes());
    let size = notes.len() as u64;
    file.extend([120, 0, 0, size, size, 4].iter().flat_map(|word: &u64| word.to_le_bytes()));
    assert_eq!(file.len(), 120);
    file.extend(notes);
    file
}

/// The YAML that readelf prints, one text a document.
fn documents(path: &str) -> Vec<String> {
    const BEFORE: &str = "    AMDGPU Metadata:\n        ";
    let text = run("llvm-readelf-19", &["--notes", path]);
    text.split(BEFORE).skip(1).map(|text| text[..text.find("\n...\n").unwrap() + 5].to_owned()).collect()
}

fn compare(values: &[Value]) {
    let pack = |value: &Value| {
        let mut content = Vec::new();
        rmpv::encode::write_value(&mut content, value).unwrap();
        content
    };
    let contents: Vec<Vec<u8>> = values.iter().map(pack).collect();
    let built = Built(temporary("notes.co"));
    std::fs::write(&built.0, notes(&contents)).unwrap();
    let theirs = documents(built.path());
    assert_eq!(theirs.len(), values.len(), "readelf could not read all of the notes");
    for ((value, content), theirs) in values.iter().zip(&contents).zip(theirs) {
        assert_eq!(metadata::yaml(content, 0).unwrap(), theirs, "{value:?}");
    }
}

#[test]
fn yaml_of_compiled_objects_is_what_readelf_prints() {
    for (clang, target, version) in [
        ("clang-15", "gfx803", 4),
        ("clang-15", "gfx90a:sramecc+:xnack-", 4),
        ("clang-19", "gfx906", 4),
        ("clang-19", "gfx1100", 5),
        ("clang-19", "gfx1201", 6),
    ] {
        let built = compile(clang, target, &["-O2", &format!("-mcode-object-version={version}")]);
        let bytes = built.bytes();
        let ours = CodeObject::parse(&bytes).unwrap().metadata_yaml().unwrap();
        assert_eq!(vec![ours], documents(built.path()), "{target}");
    }
}

/// Strings at the borders of every rule of quoting and tagging.
#[rustfmt::skip]
const STRINGS: &[&str] = &[
    "", " ", "a", "a ", " a", "\ta", "a b", "a\tb", "~", "null", "Null", "NULL", "nULL", "true", "True", "TRUE",
    "false", "tRUE", "yes", "no", "on", "off", "y", "n", "Y", "N", "On", "ON", "oN", "No", "NO", "nO", "Off", "OFF",
    "oFF", "OFf", "Yes", "YES", "yES", "TRue", "False", "FALSE", "0", "00", "08", "07", "12", "-12", "+12", "1_000",
    "0x", "0x1f", "0X1F", "0xg", "0b", "0b101", "0b102", "0o", "0o17", "0o18", "-0x10", "+0x10",
    "18446744073709551615", "18446744073709551616", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "1.5", ".5", "5.", ".", "..", "-.", "+.5", "1e", "1e5", "1e+5", "1e-5", "1e+", "1.e5",
    ".e5", "e5", "E5", "1E5", "0x1p5", "0x1p", "0x.8", "0x1.8p-3", "0x.p1", "inf", "INF", "-inf", "infinity",
    "infinit", "nan", "NaN", "-nan", "nan()", "nan(12a_)", "nan(1-)", "nan(", ".nan", ".NaN", ".NAN", ".inf", "-.inf",
    "+.Inf", ".INF", "-.nan", " 1.5", "\n1.5", "1.5 ", "1 5", "-", "--", "- a", "?", "? a", ":", "a:", "a: b", "a:b",
    ":a", "\\", "a\\b", ",", "a,b", "[", "]", "{", "}", "a[0]", "#", "a #b", "a#b", "&a", "a&b", "*a", "a*b", "!a",
    "a!", "|", "a|b", ">", "a>b", "'", "it's", "''", "'a'", "\"", "a\"b", "%", "a%d", "@", "a@b", "`", "a`b", "a/b",
    "/", "a^b", "^", "_", "a_b", "a.b", ".a", "a=b", "=", "(a)", "a+b", "+", "+a", "a;b", "$", "<a>", "int*",
    "float2 const", "struct.S", "1:1:4:%d\\n", "a\nb", "a\n", "a\r", "\x01", "a\x07\x08\x0b\x0c\x1b\x1f", "\x7f",
    "a\x7f", "a\0b", "\0", "1\x002", "1.5\0x", "x\0", "é", "a\u{85}b", "a\u{a0}b", "\u{ad}", "\u{2028}", "\u{2029}",
    "\u{200b}", "\u{200d}", "\u{feff}", "\u{301}a", "日本語", "\u{3000}", "😀", "\u{e000}", "\u{378}", "\u{10ffff}",
    "\u{e0041}", "\u{fffd}", "é\n\"\\\t\0", ".kd", "_Z3fooPi.kd", "amdgcn-amd-amdhsa--gfx90a:xnack-", "---", "...",
    "--- a", "- - a",
];

#[test]
fn strings_are_quoted_and_tagged_as_readelf_does() {
    let text = |text: &&str| Value::from(*text);
    compare(&[Value::Array(STRINGS.iter().map(text).collect())]);
    let as_value = |text: &&str| Value::Map(vec![(Value::from("key"), Value::from(*text))]);
    compare(&STRINGS.iter().map(as_value).collect::<Vec<_>>());
    let as_key = |text: &&str| Value::Map(vec![(Value::from(*text), Value::from(1))]);
    compare(&STRINGS.iter().map(as_key).collect::<Vec<_>>());
    compare(&[Value::Map(STRINGS.iter().map(|text| (Value::from(*text), Value::from(*text))).collect())]);
}

#[test]
fn strings_that_are_not_utf8_are_cut_as_readelf_does() {
    // An array of one string of two to five bytes.
    for text in [&b"a\xff"[..], b"\xc3(", b"a\xed\xa0\x80b", b"\xf4\x90\x80\x80", b"ok\x80\x80"] {
        let mut content = vec![0x91, 0xa0 | text.len() as u8];
        content.extend(text);
        let built = Built(temporary("notes.co"));
        std::fs::write(&built.0, notes(std::slice::from_ref(&content))).unwrap();
        let ours = metadata::yaml(&content, 0).unwrap();
        let output = std::process::Command::new("llvm-readelf-19").args(["--notes", built.path()]).output();
        let theirs = output.unwrap().stdout;
        let found = theirs.windows(ours.len()).any(|window| window == ours.as_bytes());
        assert!(found, "{ours}\nis not in\n{}", String::from_utf8_lossy(&theirs));
    }
}

fn floats() -> impl Iterator<Item = Value> {
    [0.0, -0.0, 1.0, -1.5, 0.1, 1e-7, 123_456_789.0, 9.999_999_5, f64::MAX, f64::MIN_POSITIVE, 5e-324]
        .into_iter()
        .chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
        .flat_map(|value| [Value::F64(value), Value::F32(value as f32)])
}

#[test]
fn other_scalars_are_what_readelf_prints() {
    let integers = [0, 1, 127, 128, 255, 256, 65535, 65536, u64::MAX].map(Value::from);
    let negative = [-1i64, -32, -33, -128, -129, -32769, i64::MIN].map(Value::from);
    let others = [Value::Nil, Value::Boolean(true), Value::Boolean(false)];
    let scalars: Vec<Value> = integers.into_iter().chain(negative).chain(others).chain(floats()).collect();
    compare(&[Value::Array(scalars.clone())]);
    let keyed = |value: Value| Value::Map(vec![(Value::from("some_key"), value)]);
    compare(&scalars.iter().cloned().map(keyed).collect::<Vec<_>>());
    // As keys: LLVM sorts them by kind, then by value.
    let mut keys: Vec<(Value, Value)> = Vec::new();
    for key in scalars.into_iter().rev() {
        let is_new = keys.iter().all(|(other, _)| !same_key(other, &key));
        if is_new && !matches!(key.as_f64(), Some(value) if value.is_nan()) {
            keys.push((key, Value::from("v")));
        }
    }
    compare(&[Value::Map(keys)]);
}

fn same_key(a: &Value, b: &Value) -> bool {
    a == b
        || matches!((a, b), (Value::F32(_) | Value::F64(_), Value::F32(_) | Value::F64(_)) if a.as_f64() == b.as_f64())
}

#[test]
fn containers_are_laid_out_as_readelf_does() {
    let map = |pairs: Vec<(&str, Value)>| {
        Value::Map(pairs.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
    };
    let (none, nothing, one) = (Value::Array(vec![]), Value::Map(vec![]), Value::from(1));
    let list = |items: &[&Value]| Value::Array(items.iter().map(|&item| item.clone()).collect());
    let deep = list(&[&list(&[&list(&[&one, &one]), &list(&[&one])]), &one]);
    compare(&[
        none.clone(),
        nothing.clone(),
        list(&[&none]),
        list(&[&nothing]),
        list(&[&one, &none, &one, &nothing, &one]),
        list(&[&list(&[&none, &none]), &none]),
        deep.clone(),
        map(vec![("a", none.clone()), ("b", nothing.clone()), ("c", deep.clone())]),
        map(vec![
            ("a_key_of_sixteen", one.clone()),
            ("fifteen_letters", one.clone()),
            ("longer_than_sixteen", one.clone()),
        ]),
        list(&[
            &map(vec![("a", map(vec![("b", list(&[&map(vec![("c", none.clone())])]))]))]),
            &map(vec![("d", nothing.clone())]),
        ]),
        list(&[&list(&[&map(vec![("a", one.clone()), ("b", deep)]), &map(vec![("a", one.clone())])])]),
        map(vec![("b", one.clone()), ("a", one.clone()), ("B", one.clone()), ("é", one.clone()), ("", one)]),
    ]);
}

/// Strings have no characters that became assigned after Unicode 15: LLVM 19 escapes those.
fn tree() -> impl Strategy<Value = Value> {
    let string = prop_oneof![
        proptest::sample::select(STRINGS).prop_map(str::to_owned),
        "[\\x00-\u{7ff}\u{2000}-\u{20bf}\u{2100}-\u{23ff}\u{ac00}-\u{d7a3}\u{e000}-\u{f8ff}\u{1f600}-\u{1f64f}]{0,12}",
        "[0-9a-fx.eE+-]{0,6}",
        "[ -~]{0,40}",
    ];
    let leaf = prop_oneof![
        4 => string.clone().prop_map(Value::from),
        2 => any::<u64>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<f32>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Nil),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        let pairs = proptest::collection::btree_map(string.clone(), inner.clone(), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..6).prop_map(Value::Array),
            pairs.prop_map(|pairs| Value::Map(pairs.into_iter().map(|(k, v)| (k.into(), v)).collect())),
        ]
    })
}

#[test]
fn made_up_trees_are_what_readelf_prints() {
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut trees = Vec::new();
    while trees.len() < 1500 {
        let value = tree().new_tree(&mut runner).unwrap().current();
        if value.is_map() || value.is_array() {
            trees.push(value);
        }
    }
    compare(&trees);
}

#[test]
fn what_readelf_cannot_print_is_an_error() {
    let error = |content: &[u8]| metadata::yaml(content, 0x40).unwrap_err().to_string();
    assert_eq!(error(&[0x01]), "metadata (note at offset 0x40): the root is 1, expected a map or an array");
    assert_eq!(
        error(&[0x81, 0xa1, b'k', 0xc4, 1, 0]),
        "metadata (note at offset 0x40): k is binary data, expected a scalar that YAML can show"
    );
    assert_eq!(
        error(&[0x91, 0xd4, 1, 0]),
        "metadata (note at offset 0x40): the root[0] is an extension value, expected a scalar that YAML can show"
    );
    assert_eq!(
        error(&[0x82, 0xa1, b'k', 1, 0xa1, b'k', 2]),
        "metadata (note at offset 0x40): k is there twice, expected a key once"
    );
    assert_eq!(
        error(&[0x81, 0x90, 1]),
        "metadata (note at offset 0x40): the root is an array of 0, expected a scalar that YAML can show"
    );
    assert!(matches!(metadata::yaml(&[0x92, 1], 0x40).unwrap_err(), Error::MessagePack { offset: 0x40, .. }));
    let content = vec![0x91, 0xd4, 1, 0];
    let built = Built(temporary("notes.co"));
    std::fs::write(&built.0, notes(&[content])).unwrap();
    assert!(documents(built.path()).is_empty());
}
