//! Which entry an agent gets, and the reasons that the others are given.

mod common;

use amd_codeobj::{Isa, TargetId};
use common::{code_object, raw};
use offload_bundle::{Bundle, NoMatch, OffloadKind, Options, Reason, Why, select, select_with};

const PREFIX: &str = "hipv4-amdgcn-amd-amdhsa--";

/// Selects among `hipv4` entries with these target IDs. Only the bytes of generic code matter, which has a version.
fn choose(targets: &[&str], agent: &str) -> Result<(String, Why), NoMatch> {
    let ids: Vec<_> = targets.iter().map(|target| format!("{PREFIX}{target}")).collect();
    let mut entries: Vec<(&str, &[u8])> = vec![("host-x86_64-unknown-linux--", b"")];
    let codes: Vec<_> = targets.iter().map(|target| generic_code(target)).collect();
    entries.extend(ids.iter().zip(&codes).map(|(id, code)| (id.as_str(), &code[..])));
    let bytes = raw(&entries, 1);
    let bundle = Bundle::parse(&bytes).unwrap();
    let choice = select(bundle.entries(), &agent.parse().unwrap())?;
    assert_eq!(choice.rejected.len(), targets.len());
    Ok((choice.entry.id.target_text.to_owned(), choice.why))
}

/// Code for a generic target, of version 1. Not every generic target is known to clang-19: the header is all that is
/// looked at, and that is made from another's.
fn generic_code(target: &str) -> Vec<u8> {
    let processor = target.split(':').next().unwrap();
    let Some(isa) = Isa::by_name(processor).filter(|isa| isa.is_generic) else { return b"code".to_vec() };
    let mut code = code_object("gfx942", 5);
    // EI_ABIVERSION of code object v6; in e_flags the processor, and the generic version in the last byte.
    code[8] = 4;
    code[0x30] = isa.mach.0;
    code[0x33] = 1;
    code
}

#[test]
fn the_entry_that_the_runtime_takes() {
    for (targets, agent, expected, why) in [
        (&["gfx90a", "gfx942"][..], "gfx942:sramecc+:xnack-", "gfx942", Why::Compatible),
        (&["gfx90a:xnack+", "gfx90a:xnack-"], "gfx90a:sramecc+:xnack-", "gfx90a:xnack-", Why::Compatible),
        (
            &["gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack+"],
            "gfx90a:sramecc+:xnack+",
            "gfx90a:sramecc+:xnack+",
            Why::Exact,
        ),
        (
            &["gfx90a", "gfx90a:xnack-", "gfx90a:sramecc+:xnack-"],
            "gfx90a:sramecc+:xnack-",
            "gfx90a:sramecc+:xnack-",
            Why::Exact,
        ),
        (&["gfx90a:sramecc+", "gfx90a:xnack-"], "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+", Why::Compatible),
        (&["gfx1030"], "gfx1030", "gfx1030", Why::Exact),
        (&["gfx9-4-generic", "gfx942"], "gfx942:sramecc+:xnack-", "gfx942", Why::Compatible),
        (
            &["gfx9-4-generic:xnack-", "gfx90a"],
            "gfx942:sramecc+:xnack-",
            "gfx9-4-generic:xnack-",
            Why::Generic,
        ),
        (&["gfx9-generic"], "gfx906:sramecc+:xnack-", "gfx9-generic", Why::Generic),
        (&["gfx11-generic", "gfx10-3-generic"], "gfx1036", "gfx10-3-generic", Why::Generic),
    ] {
        let (chosen, reason) = choose(targets, agent).unwrap();
        assert_eq!((chosen.as_str(), reason), (expected, why), "{targets:?} for {agent}");
    }
}

#[test]
fn no_entry_fits() {
    let error = choose(&["gfx90a", "gfx942"], "gfx906:sramecc+:xnack-").unwrap_err();
    assert_eq!(error.to_string(), "no code for gfx906:sramecc+:xnack-: the fat binary has gfx90a, gfx942");
    let details: Vec<_> = error.details().collect();
    assert_eq!(
        details,
        [
            "host-x86_64-unknown-linux--: it is host code",
            "hipv4-amdgcn-amd-amdhsa--gfx90a: compiled for gfx90a, not for gfx906",
            "hipv4-amdgcn-amd-amdhsa--gfx942: compiled for gfx942, not for gfx906",
        ]
    );
    let error = choose(&["gfx90a:xnack+", "gfx9-generic"], "gfx90a:sramecc+:xnack-").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx90a:sramecc+:xnack-: the fat binary has gfx90a:xnack+, gfx9-generic"
    );
    let details: Vec<_> = error.details().skip(1).collect();
    assert!(details[0].ends_with("compiled for xnack on, but the agent has xnack off"), "{details:?}");
    let error = choose(&[], "gfx90a:sramecc+:xnack-").unwrap_err();
    assert_eq!(error.to_string(), "no code for gfx90a:sramecc+:xnack-: the fat binary has no device code");
}

#[test]
fn each_entry_that_is_passed_over_has_its_reason() {
    let code = code_object("gfx942", 5);
    let broken = b"not an ELF file".as_slice();
    let entries: Vec<(&str, &[u8])> = vec![
        ("host-x86_64-unknown-linux--", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", b""),
        ("openmp-amdgcn-amd-amdhsa--gfx90a", broken),
        ("hipv4-nvptx64-nvidia-cuda--sm_70", broken),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", broken),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:what", broken),
        ("hip-amdgcn-amd-amdhsa--gfx90a", broken),
        ("hip-amdgcn-amd-amdhsa--gfx90a", &code),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", broken),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a", broken),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", broken),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", broken),
        ("nonsense", broken),
        ("", broken),
    ];
    let bytes = raw(&entries, 8);
    let bundle = Bundle::parse(&bytes).unwrap();
    let agent: TargetId = "gfx90a:sramecc+:xnack-".parse().unwrap();
    let choice = select(bundle.entries(), &agent).unwrap();
    assert_eq!((choice.entry.index, choice.why), (10, Why::Exact));
    let reasons: Vec<_> = choice.rejected.iter().map(|rejected| (rejected.index, &rejected.reason)).collect();
    let [host, empty, openmp, cuda, spirv, bad, unreadable, other, xnack, any, second, nonsense, nothing] =
        reasons[..]
    else {
        panic!("{reasons:?}")
    };
    assert_eq!(host, (0, &Reason::Host));
    assert_eq!(empty, (1, &Reason::Empty));
    assert!(matches!(openmp, (2, Reason::OtherKind { .. })));
    assert!(matches!(cuda, (3, Reason::OtherTriple { .. })));
    assert_eq!(spirv, (4, &Reason::SpirV));
    assert!(matches!(bad, (5, Reason::BadTargetId(_))));
    assert!(matches!(unreadable, (6, Reason::BadCodeObject(_))));
    assert!(matches!(other, (7, Reason::Mismatch(_))));
    assert_eq!(choice.rejected[7].label, "gfx942", "the code object says what a hip entry is for");
    assert!(matches!(xnack, (8, Reason::Mismatch(_))));
    assert!(matches!(any, (9, Reason::PassedOver { why: "is more specific", .. })));
    assert!(matches!(second, (11, Reason::PassedOver { why: "comes first", .. })));
    assert!(matches!(nonsense, (12, Reason::OtherKind { .. })));
    assert!(matches!(nothing, (13, Reason::OtherKind { .. })));
}

#[test]
fn hip_entries_are_judged_by_their_code_object() {
    let code = code_object("gfx90a:xnack-", 4);
    let entries: Vec<(&str, &[u8])> =
        vec![("hip-amdgcn-amd-amdhsa-gfx900", &code), ("hcc-amdgcn-amd-amdhsa--gfx900", &code)];
    let bytes = raw(&entries, 4096);
    let bundle = Bundle::parse(&bytes).unwrap();
    let choice = select(bundle.entries(), &"gfx90a:sramecc+:xnack-".parse().unwrap()).unwrap();
    assert_eq!(choice.entry.id.kind, OffloadKind::Hip);
    assert_eq!(choice.target, "gfx90a:xnack-".parse().unwrap());
}

#[test]
fn generic_code_has_a_version() {
    let agent: TargetId = "gfx942:sramecc+:xnack-".parse().unwrap();
    let good = generic_code("gfx9-4-generic");
    let id = format!("{PREFIX}gfx9-4-generic");
    let choose = |code: &[u8]| {
        let bytes = raw(&[(&id, code)], 8);
        let bundle = Bundle::parse(&bytes).unwrap();
        match select(bundle.entries(), &agent) {
            Ok(choice) => choice.why.to_string(),
            Err(no_match) => no_match.rejected[0].reason.to_string(),
        }
    };
    assert_eq!(choose(&good), "generic target of the processor");
    // The version is the last byte of e_flags.
    let mut older = good.clone();
    assert_eq!(older[0x33], 1);
    older[0x33] = 0;
    assert_eq!(choose(&older), "it is version 0 of gfx9-4-generic, of which version 1 or later is needed");
    older[0x33] = 2;
    assert_eq!(choose(&older), "generic target of the processor");
    assert!(choose(b"code").starts_with("its code object cannot be read: "));
}

/// Native code, then generic, then SPIR-V if the caller can compile it.
#[test]
fn spirv_is_the_last_choice_of_who_has_a_compiler() {
    let agent: TargetId = "gfx942:sramecc+:xnack-".parse().unwrap();
    let generic = generic_code("gfx9-4-generic");
    let spirv = "hip-spirv64-amd-amdhsa--amdgcnspirv";
    let (own, family) = (format!("{PREFIX}gfx942"), format!("{PREFIX}gfx9-4-generic"));
    let all: [(&str, &[u8]); 3] = [(spirv, b"spirv"), (&family, &generic), (&own, b"code")];
    for (count, expected, passed_over) in [
        (1, Why::SpirV, ""),
        (2, Why::Generic, "is compiled already"),
        (3, Why::Compatible, "is for the processor itself"),
    ] {
        let bytes = raw(&all[..count], 8);
        let bundle = Bundle::parse(&bytes).unwrap();
        let choice = select_with(bundle.entries(), &agent, Options::default().spirv(true)).unwrap();
        assert_eq!(choice.why, expected);
        assert_eq!(choice.entry.index, count - 1);
        for rejected in &choice.rejected {
            assert!(
                matches!(rejected.reason, Reason::PassedOver { why, .. } if why == passed_over),
                "{rejected}"
            );
        }
        let without = select(bundle.entries(), &agent);
        assert_eq!(without.is_err(), count == 1);
        let rejected = without.map_or_else(|no_match| no_match.rejected, |choice| choice.rejected);
        assert_eq!(rejected[0].reason, Reason::SpirV);
    }
    let bytes = raw(&[(spirv, b"")], 8);
    let bundle = Bundle::parse(&bytes).unwrap();
    let no_match = select_with(bundle.entries(), &agent, Options::default().spirv(true)).unwrap_err();
    assert_eq!(no_match.rejected[0].reason, Reason::Empty);
}
