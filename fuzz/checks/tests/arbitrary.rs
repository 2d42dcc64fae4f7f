//! The checks over arbitrary input: seeds with changes, MessagePack of any shape, IDs put together from their parts.

use std::sync::OnceLock;

use amd_codeobj::{Feature, Isa, KernelDescriptor, TargetId, Word};
use offload_bundle::{EntryId, OffloadKind, code_id};
use parser_checks::seeds::{self, Seed};
use parser_checks::{CHECKS, run};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rmpv::Value;

fn all_seeds() -> &'static [Seed] {
    static SEEDS: OnceLock<Vec<Seed>> = OnceLock::new();
    SEEDS.get_or_init(seeds::all)
}

/// One change of some bytes.
#[derive(Debug, Clone)]
enum Change {
    Byte(Index, u8),
    /// A number of so many bytes, as headers have them.
    Number(Index, u64, usize),
    Cut(Index),
    /// Bytes from one place written over another.
    Copy(Index, Index, usize),
    Insert(Index, Vec<u8>),
}

fn number() -> impl Strategy<Value = u64> {
    let edges = vec![0, 1, 0xff, 0xffff, 0xffff_ffff, 1 << 31, 1 << 32, 1 << 60, 1 << 63, u64::MAX];
    prop_oneof![any::<u64>(), 0u64..0x4000, select(edges)]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        4 => (any::<Index>(), number(), select(vec![2usize, 4, 8])).prop_map(|(at, n, size)| Change::Number(at, n, size)),
        1 => any::<Index>().prop_map(Change::Cut),
        1 => (any::<Index>(), any::<Index>(), 1usize..64).prop_map(|(from, to, size)| Change::Copy(from, to, size)),
        1 => (any::<Index>(), prop::collection::vec(any::<u8>(), 1..16)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
    ]
}

fn apply(data: &mut Vec<u8>, change: &Change) {
    if data.is_empty() {
        return;
    }
    let length = data.len();
    match change {
        Change::Byte(at, byte) => data[at.index(length)] = *byte,
        Change::Number(at, number, size) => {
            let at = at.index(length);
            data[at..].iter_mut().zip(&number.to_le_bytes()[..*size]).for_each(|(to, from)| *to = *from);
        }
        Change::Cut(at) => data.truncate(at.index(length)),
        Change::Copy(from, to, size) => {
            let from = from.index(length);
            let bytes = data[from..(from + size).min(length)].to_vec();
            data[to.index(length)..].iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        }
        Change::Insert(at, bytes) => {
            let at = at.index(length);
            data.splice(at..at, bytes.iter().copied());
        }
    }
}

/// Any MessagePack, with the keys of real metadata more often than others.
fn tree() -> impl Strategy<Value = Value> {
    let words = vec![
        "amdhsa.version",
        "amdhsa.kernels",
        "amdhsa.target",
        ".name",
        ".symbol",
        ".args",
        ".size",
        ".offset",
        ".value_kind",
        "global_buffer",
        ".vgpr_count",
        ".kernarg_segment_size",
        ".reqd_workgroup_size",
        "",
        "1",
        "true",
        "- x",
        "a: b",
    ];
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(words).prop_map(Value::from),
        "\\PC{0,12}|[ -~\\n\\t]{0,12}".prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..8).prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((inner.clone(), inner), 0..6).prop_map(Value::from),
        ]
    })
}

fn target() -> impl Strategy<Value = TargetId> {
    let states = |supported: bool| {
        let states = [Feature::Any, Feature::Off, Feature::On];
        if supported { states.to_vec() } else { vec![Feature::Unsupported] }
    };
    (0..Isa::all().len()).prop_flat_map(move |row| {
        let isa = &Isa::all()[row];
        (select(states(isa.supports_sramecc)), select(states(isa.supports_xnack)))
            .prop_map(|(sramecc, xnack)| TargetId { processor: isa.name.to_owned(), sramecc, xnack })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn seeds_with_changes(seed in any::<Index>(), changes in prop::collection::vec(change(), 1..8)) {
        let seeds = all_seeds();
        let (target, _, data) = &seeds[seed.index(seeds.len())];
        let mut data = data.clone();
        changes.iter().for_each(|change| apply(&mut data, change));
        run(target, &data);
    }

    #[test]
    fn any_bytes_for_any_check(check in 0..CHECKS.len(), data in prop::collection::vec(any::<u8>(), 0..300)) {
        CHECKS[check].1(&data);
    }

    #[test]
    fn any_messagepack(tree in tree()) {
        run("metadata", &parser_samples::msgpack(&tree));
    }

    /// A value in the place of one of a good document's.
    #[test]
    fn any_messagepack_under_a_known_key(tree in tree(), key in any::<Index>()) {
        let good = parser_samples::metadata(2, "gfx942", &["kernel"]);
        let mut root = rmpv::decode::read_value(&mut &good[..]).unwrap();
        let Value::Map(pairs) = &mut root else { unreachable!("metadata is a map") };
        let kernel = pairs.iter_mut().find(|(key, _)| key.as_str() == Some("amdhsa.kernels")).map(|(_, value)| value);
        let Some(Value::Array(kernels)) = kernel else { unreachable!("with kernels") };
        let Value::Map(kernel) = &mut kernels[0] else { unreachable!("which are maps") };
        let place = key.index(kernel.len());
        kernel[place].1 = tree;
        run("metadata", &parser_samples::msgpack(&root));
    }

    #[test]
    fn target_ids_are_read_as_they_are_printed(target in target()) {
        prop_assert_eq!(target.to_string().parse::<TargetId>(), Ok(target.clone()));
        let id = code_id(&target);
        let entry = EntryId::parse(&id);
        prop_assert_eq!(entry.check(), Ok(()));
        prop_assert_eq!(entry.kind, OffloadKind::HipV4);
        prop_assert_eq!(entry.target.as_ref(), Some(&target));
        prop_assert_eq!(entry.canonical(), id.as_str());
        run("entry_id", id.as_bytes());
    }

    #[test]
    fn entry_ids_of_parts(
        kind in select(vec!["host", "hip", "hipv4", "hcc", "openmp", "cuda", ""]),
        triple in prop::collection::vec(select(vec!["amdgcn", "amd", "amdhsa", "spirv64", "x86_64", "unknown", "linux", "gnu", "gfx9", ""]), 0..6),
        target in select(vec!["", "gfx90a", "gfx90a:xnack+", "gfx9-4-generic", "gfx942:xnack-:sramecc+", "sm_70", "amdgcnspirv", "gfx9:", "-"]),
    ) {
        let id = format!("{kind}-{}-{target}", triple.join("-"));
        run("entry_id", id.as_bytes());
    }

    /// The bits that fields have and the bits that none has make up the words.
    #[test]
    fn descriptors_are_the_sum_of_their_fields(bytes in prop::collection::vec(any::<u8>(), 64), row in 0..Isa::all().len()) {
        let generation = Isa::all()[row].generation;
        let descriptor = KernelDescriptor::parse(&bytes).unwrap();
        for word in Word::ALL {
            let fields = descriptor.fields(generation).filter(|(field, _)| field.word == word);
            let known = fields.fold(0, |bits, (field, value)| bits | value << field.low);
            let unknown = descriptor.unknown_bits(generation).find(|(found, _)| *found == word).map_or(0, |(_, bits)| bits);
            let width = if matches!(word, Word::Properties | Word::Preload) { 2 } else { 4 };
            let raw = bytes[word.offset() as usize..][..width].iter().rev().fold(0, |raw, &byte| raw << 8 | u32::from(byte));
            prop_assert_eq!(known & unknown, 0);
            prop_assert_eq!(known | unknown, raw);
        }
    }
}
