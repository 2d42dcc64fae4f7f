//! Every check holds for every seed of its own, and for those of all others: the fuzz targets work before they are run.

use std::collections::BTreeSet;

use parser_checks::{CHECKS, seeds};

#[test]
fn every_check_holds_for_every_seed() {
    let seeds = seeds::all();
    for (name, check) in CHECKS {
        assert!(seeds.iter().any(|(of, _, _)| of == name), "{name} has no seed");
        for (of, seed, data) in &seeds {
            eprintln!("{name} over {of}/{seed}");
            check(data);
        }
    }
}

#[test]
fn seeds_are_the_same_each_time_and_have_names_of_their_own() {
    let seeds = seeds::all();
    assert_eq!(seeds, seeds::all());
    let names: BTreeSet<_> = seeds.iter().map(|(of, name, _)| (of, name)).collect();
    assert_eq!(names.len(), seeds.len());
}

/// The samples are good files: fuzzing that starts from refused ones finds nothing.
#[test]
fn the_code_objects_read_without_an_error() {
    for (name, data) in seeds::code_objects() {
        let object = amd_codeobj::CodeObject::parse(&data).expect(&name);
        object.target_id().expect(&name);
        if object.version() > 2 {
            assert!(!object.metadata().expect(&name).kernels.is_empty());
        }
        if name.starts_with("lines") {
            let lines = object.lines().expect(&name).expect(&name);
            let text = object.section(".text").expect(&name).expect(&name).address;
            let line = |address| lines.find(address).expect(&name).first().and_then(|frame| frame.line);
            assert_eq!((line(text), line(text + 4), line(text + 0x1000)), (Some(10), Some(12), None));
        }
        let symbols: Vec<_> = object.symbols().expect(&name).collect::<Result<_, _>>().expect(&name);
        let kernels = symbols.iter().filter(|symbol| symbol.kernel_name().is_some());
        for kernel in kernels.clone() {
            let descriptor = object.kernel_descriptor(kernel).expect(&name);
            assert_eq!(descriptor.kernarg_size, 272);
            let isa = object.isa().expect(&name);
            descriptor.check(isa.generation).expect(&name);
        }
        assert!(kernels.count() >= 1, "{name}");
        assert!(object.relocations().expect(&name).all(|relocation| relocation.is_ok()), "{name}");
    }
}
