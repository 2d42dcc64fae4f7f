//! Sections, all symbols, look-ups by hash and by address, and relocations of relocatable objects: against
//! `llvm-readelf-19`, and each look-up against a linear search.

mod common;

use std::collections::BTreeMap;

use amd_codeobj::{Binding, CodeObject, Error, ObjectKind, Symbol, SymbolKind};
use common::{Built, hex, input, object, rows, run, temporary};

/// An OpenCL source compiled and not linked.
fn relocatable(target: &str, flags: &[&str]) -> Built {
    opencl(target, &[&["-c"], flags].concat())
}

fn opencl(target: &str, flags: &[&str]) -> Built {
    let built = Built(temporary("kernels.o"));
    let (cpu, source) = (format!("-mcpu={target}"), input("calls.cl"));
    let mut args =
        vec!["-target", "amdgcn-amd-amdhsa", &cpu, "-nogpulib", "-O1", "-fvisibility=default", "-Xclang"];
    args.extend(["-finclude-default-header", "-cl-std=CL2.0", &source, "-o", built.path()]);
    args.extend(flags);
    run("clang-19", &args);
    built
}

fn assert_symbols(ours: &[Symbol<'_>], theirs: &[Vec<&str>]) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(format!("{}:", ours.index), theirs[0]);
        assert_eq!((ours.value, ours.size), (hex(theirs[1]), theirs[2].parse().unwrap()));
        let words = [ours.kind.to_string(), ours.binding.to_string(), ours.visibility.to_string()];
        assert_eq!(words, theirs[3..6]);
        let section = match ours.section {
            0 => "UND".to_owned(),
            0xfff1 => "ABS".to_owned(),
            section => section.to_string(),
        };
        // readelf gives sections the section's name.
        let name = if ours.kind == SymbolKind::SECTION { "" } else { theirs.get(7).copied().unwrap_or("") };
        assert_eq!((section.as_str(), ours.name), (theirs[6], name));
    }
}

#[test]
fn sections_and_all_symbols_are_those_that_readelf_prints() {
    let linked = ["gfx803", "gfx90a", "gfx1100"].map(|target| object(target, 5));
    let open = ["gfx906", "gfx90a", "gfx1201"].map(|target| relocatable(target, &["-g"]));
    for built in linked.iter().chain(&open) {
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        let text = run("llvm-readelf-19", &["-S", "-W", built.path()]).replace("[ ", "[");
        let theirs: Vec<_> =
            rows(&text, |row| row[..].first().is_some_and(|at| at.starts_with('[') && *at != "[Nr]"))
                .collect();
        let sections: Vec<_> = object.sections().collect::<Result<_, _>>().unwrap();
        assert_eq!(sections.len(), theirs.len());
        for (ours, mut theirs) in sections.iter().zip(theirs) {
            if ours.index == 0 {
                theirs.insert(1, "");
            }
            assert_eq!((format!("[{}]", ours.index).as_str(), ours.name), (theirs[0], theirs[1]));
            let kind = ours.kind.to_string();
            assert!(kind == theirs[2] || kind.starts_with("SHT "), "{kind} {}", theirs[2]);
            let numbers = [ours.address, ours.offset, ours.size, ours.entry_size];
            assert_eq!(numbers, [hex(theirs[3]), hex(theirs[4]), hex(theirs[5]), hex(theirs[6])]);
            let flags = if theirs.len() == 11 { theirs[7] } else { "" };
            assert_eq!(ours.flags.is_writable(), flags.contains('W'));
            assert_eq!(ours.flags.is_allocated(), flags.contains('A'));
            assert_eq!(ours.flags.is_executable(), flags.contains('X'));
            let last: Vec<u64> = theirs[theirs.len() - 3..].iter().map(|n| n.parse().unwrap()).collect();
            assert_eq!(vec![ours.link.into(), ours.info.into(), ours.align], last);
            assert_eq!(object.section_by_index(ours.index).unwrap(), *ours);
        }
        let text = run("llvm-readelf-19", &["--symbols", "-W", built.path()]);
        let (_, table) = text.split_once("Symbol table '.symtab'").expect("a symbol table");
        let table = table.split("Symbol table").next().unwrap();
        let theirs: Vec<_> =
            rows(table, |row| row.len() >= 7 && row[0].ends_with(':') && row[0] != "Num:" && row[0] != "0:")
                .collect();
        let ours: Vec<_> = object.all_symbols().unwrap().collect::<Result<_, _>>().unwrap();
        assert!(ours.iter().any(|symbol| symbol.binding == Binding::LOCAL));
        assert_symbols(&ours, &theirs);
    }
}

/// The dynamic entries of a tag get another tag.
fn retag(bytes: &mut [u8], tag: u64, new: u64) {
    let object = CodeObject::parse(bytes).unwrap();
    let dynamic = object.section(".dynamic").unwrap().unwrap();
    for at in (dynamic.offset as usize..).step_by(16).take(dynamic.data.len() / 16) {
        if bytes[at..at + 8] == tag.to_le_bytes() {
            bytes[at..at + 8].copy_from_slice(&new.to_le_bytes());
        }
    }
}

const DT_HASH: u64 = 4;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
/// No tag that anyone knows.
const NO_TAG: u64 = 0x6fff_0001;

#[test]
fn names_are_found_alike_through_either_table_and_none() {
    for target in ["gfx803", "gfx90a", "gfx1201"] {
        let built = opencl(target, &["-Wl,--unresolved-symbols=ignore-all"]);
        for gone in [&[][..], &[DT_HASH], &[DT_GNU_HASH], &[DT_HASH, DT_GNU_HASH]] {
            let mut bytes = built.bytes();
            for &tag in gone {
                retag(&mut bytes, tag, NO_TAG);
            }
            let object = CodeObject::parse(&bytes).unwrap();
            let mut found = 0;
            for symbol in object.symbols().unwrap().map(Result::unwrap) {
                assert_eq!(object.symbol(symbol.name).unwrap(), symbol);
                found += 1;
            }
            // The undefined one, which no GNU hash table holds, is among them.
            assert!(found >= 6 && !object.symbol("shared_counter").unwrap().is_defined());
            for name in ["", "first.kd.kd", "FIRST", "firs", "first.k"] {
                assert!(matches!(object.symbol(name), Err(Error::NoSuchSymbol { .. })), "{name:?}");
            }
        }
    }
}

#[test]
fn a_hash_chain_that_goes_in_circles_ends() {
    let mut bytes = object("gfx90a", 5).bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let hash = object.section(".hash").unwrap().unwrap();
    let (offset, words) = (hash.offset as usize, hash.data.len() / 4);
    // Every bucket and every link names symbol 1.
    for at in (offset + 8..).step_by(4).take(words - 2) {
        bytes[at..at + 4].copy_from_slice(&1u32.to_le_bytes());
    }
    let object = CodeObject::parse(&bytes).unwrap();
    assert!(matches!(object.symbol("nothing of this name"), Err(Error::NoSuchSymbol { .. })));
}

#[test]
fn symbols_are_found_without_section_headers() {
    let mut bytes = object("gfx942", 5).bytes();
    let count = CodeObject::parse(&bytes).unwrap().symbols().unwrap().count();
    assert!(count >= 10);
    let mut without_hash = bytes.clone();
    retag(&mut without_hash, DT_HASH, NO_TAG);
    for bytes in [&mut bytes, &mut without_hash] {
        // No e_shoff, e_shnum, e_shstrndx: what a stripped or a loaded object may look like.
        bytes[0x28..0x30].fill(0);
        bytes[0x3c..0x40].fill(0);
        let object = CodeObject::parse(bytes).unwrap();
        assert_eq!(object.sections().count(), 0);
        assert_eq!(object.symbols().unwrap().count(), count);
        assert_eq!(object.all_symbols().unwrap().count(), count);
        assert!(object.symbol("saxpy.kd").is_ok());
    }
}

#[test]
fn addresses_lead_to_functions_and_kernels() {
    let built = object("gfx90a", 5);
    let bytes = built.bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let mut expected = BTreeMap::new();
    for symbol in object.all_symbols().unwrap().map(Result::unwrap) {
        if symbol.kind == SymbolKind::FUNC {
            expected
                .extend((symbol.value..symbol.value + symbol.size).step_by(4).map(|at| (at, symbol.name)));
        }
    }
    let text = object.section(".text").unwrap().unwrap();
    for address in (text.address..text.address + text.size).step_by(4) {
        let name = object.symbol_at(address).unwrap().map(|symbol| symbol.name);
        assert_eq!(name, expected.get(&address).copied(), "{address:#x}");
        let kernel = object.kernel_at(address).unwrap().and_then(|symbol| symbol.kernel_name());
        // `recur` is a function; padding between functions is in none, and counts to the kernel before it.
        match expected.get(&address) {
            Some(&"recur") => assert_eq!(kernel, None),
            Some(&name) => assert_eq!(kernel, Some(name)),
            None => {}
        }
    }
    let counter = object.symbol("counter").unwrap();
    assert_eq!(object.symbol_at(counter.value + 3).unwrap().unwrap().name, "counter");
    for address in [0, counter.value, u64::MAX] {
        assert_eq!(object.kernel_at(address).unwrap(), None);
    }
}

#[test]
fn relocations_of_relocatable_objects_are_those_that_readelf_prints() {
    for target in ["gfx90a", "gfx1100"] {
        let built = relocatable(target, &["-g"]);
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        assert_eq!(object.kind(), ObjectKind::RELOCATABLE);
        assert_eq!(object.relocations().unwrap().count(), 0);
        let text = run("llvm-readelf-19", &["-r", "-W", built.path()]);
        let mut theirs = rows(&text, |row| row.get(2).is_some_and(|kind| kind.starts_with("R_AMDGPU")));
        let mut compared = BTreeMap::new();
        for table in object.relocation_sections() {
            let table = table.unwrap();
            for relocation in table.relocations().unwrap() {
                let relocation = relocation.unwrap();
                let theirs = theirs.next().unwrap();
                assert_eq!(
                    (relocation.offset, relocation.kind.to_string().as_str()),
                    (hex(theirs[0]), theirs[2])
                );
                let symbol = table.symbol(relocation.symbol).unwrap();
                let name = match symbol.kind {
                    SymbolKind::SECTION => object.section_by_index(symbol.section.into()).unwrap().name,
                    _ => symbol.name,
                };
                assert_eq!((symbol.value, name), (hex(theirs[3]), theirs[4]));
                let sign = if theirs.get(5) == Some(&"-") { -1 } else { 1 };
                assert_eq!(relocation.addend, sign * theirs.get(6).map_or(0, |n| hex(n)) as i64);
                *compared.entry(relocation.kind.to_string()).or_insert(0) += 1;
            }
        }
        assert_eq!(theirs.next(), None);
        for kind in [
            "R_AMDGPU_REL64",
            "R_AMDGPU_ABS32",
            "R_AMDGPU_ABS64",
            "R_AMDGPU_REL32_LO",
            "R_AMDGPU_GOTPCREL32_HI",
        ] {
            assert!(compared.contains_key(kind), "{kind}: {compared:?}");
        }
    }
}

#[test]
fn kernels_of_relocatable_objects_have_descriptors() {
    let built = relocatable("gfx90a", &[]);
    let bytes = built.bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let generation = object.isa().unwrap().generation;
    let metadata = object.metadata().unwrap();
    for kernel in &metadata.kernels {
        let symbol = object.symbol(&kernel.symbol).unwrap();
        let descriptor = object.kernel_descriptor(&symbol).unwrap();
        assert_eq!(descriptor.group_segment_fixed_size, kernel.group_segment_fixed_size);
        assert_eq!(descriptor.kernarg_size, kernel.kernarg_segment_size);
        // Its entry is a relocation that no linker has applied.
        assert_eq!(descriptor.entry_offset, 0);
        descriptor.check(generation).unwrap();
    }
    assert_eq!(metadata.kernels.len(), 2);
}
