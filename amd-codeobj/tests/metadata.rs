//! Metadata at its borders: keys that stand twice, counts that are lies, many kernels, words that are not known.

use amd_codeobj::metadata::Value;
use amd_codeobj::{AddressSpace, Error, Metadata, ValueKind};
use proptest::prelude::*;

/// The value as MessagePack.
fn pack(value: &rmpv::Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).unwrap();
    bytes
}

fn map(pairs: Vec<(&str, rmpv::Value)>) -> rmpv::Value {
    rmpv::Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn list(items: Vec<rmpv::Value>) -> rmpv::Value {
    rmpv::Value::Array(items)
}

fn kernel(name: &str, more: Vec<(&str, rmpv::Value)>) -> rmpv::Value {
    let mut pairs = vec![(".name", name.into()), (".symbol", format!("{name}.kd").into())];
    for key in [
        ".kernarg_segment_size",
        ".kernarg_segment_align",
        ".group_segment_fixed_size",
        ".private_segment_fixed_size",
        ".max_flat_workgroup_size",
        ".wavefront_size",
        ".sgpr_count",
        ".vgpr_count",
    ] {
        pairs.push((key, 64.into()));
    }
    pairs.extend(more);
    map(pairs)
}

fn root(kernels: Vec<rmpv::Value>) -> Vec<u8> {
    pack(&map(vec![("amdhsa.version", list(vec![1.into(), 2.into()])), ("amdhsa.kernels", list(kernels))]))
}

fn error(bytes: &[u8]) -> String {
    Metadata::parse(bytes, 0x40).unwrap_err().to_string()
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let twice = |more| error(&root(vec![kernel("a", vec![]), kernel("b", more)]));
    assert_eq!(
        twice(vec![(".vgpr_count", 5.into())]),
        "metadata (note at offset 0x40) has amdhsa.kernels[1].vgpr_count twice"
    );
    assert_eq!(
        twice(vec![(".new", 5.into()), (".other", 5.into()), (".new", 6.into())]),
        "metadata (note at offset 0x40) has amdhsa.kernels[1].new twice"
    );
    let arg = map(vec![(".offset", 0.into()), (".offset", 0.into())]);
    assert_eq!(
        twice(vec![(".args", list(vec![arg]))]),
        "metadata (note at offset 0x40) has amdhsa.kernels[1].args[0].offset twice"
    );
}

#[test]
fn wrong_values_are_named_by_their_path() {
    let wrong = |more| error(&root(vec![kernel("a", more)]));
    for (key, value, expected) in [
        (
            ".agpr_count",
            rmpv::Value::from(-1),
            ".agpr_count is -1, expected an integer of 32 bits without sign",
        ),
        (".agpr_count", (1u64 << 32).into(), ".agpr_count is 4294967296, expected an integer"),
        (".agpr_count", 1.5.into(), ".agpr_count is a floating-point number, expected an integer"),
        (".language", 1.into(), ".language is 1, expected a string"),
        (
            ".language_version",
            list(vec![1.into()]),
            ".language_version is an array of 1, expected an array of the",
        ),
        (".cluster_dims", list(vec![1.into(), "x".into(), 1.into()]), ".cluster_dims[1] is the string \"x\""),
        (".uses_dynamic_stack", 2.into(), ".uses_dynamic_stack is 2, expected a boolean"),
        (".args", map(vec![]), ".args is a map of 0, expected an array"),
        (".args", list(vec![list(vec![])]), ".args[0] is an array of 0, expected a map"),
    ] {
        let error = wrong(vec![(key, value)]);
        assert!(error.contains(&format!("amdhsa.kernels[0]{expected}")), "{error}");
    }
    // {"amdhsa.version": [1, 2], 5: 5}
    let number = [&[0x82, 0xae][..], b"amdhsa.version\x92\x01\x02\x05\x05"].concat();
    assert!(error(&number).contains("the root is 5, expected a string as a map's key"));
    let bad_text = [&[0x81, 0xa2][..], b"\xff\xfe\x05"].concat();
    assert!(error(&bad_text).contains("a string that is not UTF-8"));
}

#[test]
fn counts_that_are_lies_are_refused_before_anything_is_allocated() {
    // Arrays and maps of 2^32 - 1 elements, and one after the other: each would be 100 GB and more.
    for head in [&[0xdd, 0xff, 0xff, 0xff, 0xff][..], &[0xdf, 0xff, 0xff, 0xff, 0xff]] {
        for nested in [1, 2, 30] {
            let bytes = head.repeat(nested);
            assert!(matches!(Value::parse(&bytes, 8), Err(Error::MessagePack { offset: 8, .. })));
            let known = [&[0x81, 0xae][..], b"amdhsa.kernels", &bytes].concat();
            assert!(matches!(
                Metadata::parse(&known, 8),
                Err(Error::MessagePack { .. } | Error::BadValue { .. })
            ));
        }
    }
    // Containers that share the bytes that are left: the inner one cannot claim what the outer one needs.
    let mut bytes = vec![0x9a, 0xdc, 0, 64];
    bytes.extend([1; 70]);
    assert!(matches!(Value::parse(&bytes, 0), Err(Error::MessagePack { offset: 1, .. })));
    bytes.extend([1; 3]);
    assert!(Value::parse(&bytes, 0).is_ok());
    // Text longer than the file.
    assert!(matches!(Value::parse(&[0xdb, 0xff, 0xff, 0xff, 0xff, b'a'], 0), Err(Error::MessagePack { .. })));
    assert!(matches!(Value::parse(&[0xc1], 0), Err(Error::MessagePack { .. })));
}

#[test]
fn ten_thousand_kernels_are_read_and_found() {
    let kernels =
        (0..10_000).map(|index| kernel(&format!("kernel_{}", index * 7919 % 10_000), vec![])).collect();
    let metadata = Metadata::parse(&root(kernels), 0).unwrap();
    assert_eq!(metadata.kernels.len(), 10_000);
    for kernel in &metadata.kernels {
        assert!(std::ptr::eq(metadata.kernel(&kernel.name).unwrap(), kernel));
    }
    assert_eq!(metadata.kernel("kernel_10000"), None);
}

#[test]
fn kernels_are_found_after_the_list_has_changed() {
    let mut metadata = Metadata::parse(&root(vec![kernel("b", vec![]), kernel("a", vec![])]), 0).unwrap();
    metadata.kernels[0].name = "z".to_owned();
    metadata.kernels.truncate(1);
    assert!(metadata.kernel("z").is_some());
    assert_eq!((metadata.kernel("a"), metadata.kernel("b")), (None, None));
}

#[test]
fn words_that_are_not_known_are_kept() {
    let arg = map(vec![
        (".offset", 0.into()),
        (".size", 8.into()),
        (".value_kind", "hidden_something_new".into()),
        (".address_space", "far".into()),
        (".value_type", "u8".into()),
    ]);
    let metadata = Metadata::parse(&root(vec![kernel("a", vec![(".args", list(vec![arg]))])]), 0).unwrap();
    let arg = &metadata.kernels[0].args[0];
    assert_eq!(arg.value_kind, ValueKind::Other("hidden_something_new".to_owned()));
    assert!(arg.value_kind.is_hidden());
    assert_eq!(arg.address_space, Some(AddressSpace::Other("far".to_owned())));
    assert_eq!(arg.other, [(".value_type".to_owned(), Value::String("u8".to_owned()))]);
}

/// Our tree as rmpv's.
fn as_rmpv(value: &Value) -> rmpv::Value {
    match value {
        Value::Nil => rmpv::Value::Nil,
        Value::Boolean(value) => (*value).into(),
        Value::Unsigned(value) => (*value).into(),
        Value::Negative(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::RawString(bytes) | Value::Binary(bytes) => rmpv::Value::Binary(bytes.clone()),
        Value::Array(items) => rmpv::Value::Array(items.iter().map(as_rmpv).collect()),
        Value::Map(pairs) => {
            rmpv::Value::Map(pairs.iter().map(|(key, value)| (as_rmpv(key), as_rmpv(value))).collect())
        }
        Value::Ext(kind, bytes) => rmpv::Value::Ext(*kind, bytes.clone()),
    }
}

fn any_value() -> impl Strategy<Value = rmpv::Value> {
    let leaf = prop_oneof![
        Just(rmpv::Value::Nil),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        (-200i64..200).prop_map(Into::into),
        (-1e9..1e9).prop_map(|value: f64| value.into()),
        "\\PC{0,40}".prop_map(Into::into),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(rmpv::Value::Binary),
        (any::<i8>(), prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(kind, bytes)| rmpv::Value::Ext(kind, bytes)),
    ];
    leaf.prop_recursive(4, 64, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(rmpv::Value::Array),
            prop::collection::vec((inner.clone(), inner), 0..20).prop_map(rmpv::Value::Map),
        ]
    })
}

proptest! {
    #[test]
    fn values_are_what_was_written(value in any_value()) {
        let bytes = pack(&value);
        prop_assert_eq!(as_rmpv(&Value::parse(&bytes, 0).unwrap()), value);
        for cut in 0..bytes.len() {
            prop_assert!(Value::parse(&bytes[..cut], 0).is_err());
        }
    }
}
