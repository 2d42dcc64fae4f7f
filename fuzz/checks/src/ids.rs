//! Entry IDs, target IDs, and choosing an entry.

use amd_codeobj::{Fit, Isa, TargetId};
use offload_bundle::{Bundle, EntryId};

/// An entry ID is made of its parts; a target ID is printed as it is read.
pub fn entry_id(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let id = EntryId::parse(text);
    assert_eq!(id.to_string(), text);
    assert!(text.starts_with(id.kind.as_str()));
    assert!(text.contains(id.triple) && text.contains(id.target_text));
    assert!(id.kind.as_str().len() + id.triple.len() + id.target_text.len() <= text.len());
    assert_eq!(id.label().is_empty(), text.is_empty());
    let canonical = id.canonical();
    let again = EntryId::parse(&canonical);
    assert_eq!(again.canonical(), canonical, "{text:?}");
    if id.check().is_ok() {
        assert_eq!(again.check(), Ok(()), "{text:?} is good, {canonical:?} is not");
        assert_eq!((again.kind, &again.target), (id.kind, &id.target), "{text:?}");
        assert_eq!((again.is_amdgcn(), again.is_spirv()), (id.is_amdgcn(), id.is_spirv()), "{text:?}");
    }
    target_id(text);
    target_id(id.target_text);
}

/// A target ID: parse, print, parse.
pub fn target_id(text: &str) {
    let Ok(target) = text.parse::<TargetId>() else { return };
    let printed = target.to_string();
    assert_eq!(printed.parse::<TargetId>().as_ref(), Ok(&target), "{text:?}");
    assert!(target.explicit_features() <= 2);
    assert_eq!(target.fits(&target), Ok(Fit::Native));
    if let Some(isa) = target.isa() {
        assert_eq!(isa.name, target.processor);
        // Code that leaves all features open runs on every agent of its processor.
        for (sramecc, xnack) in [(false, false), (true, true)] {
            let agent = TargetId::of_agent(isa, sramecc, xnack);
            assert_eq!(TargetId::any(isa).fits(&agent), Ok(Fit::Native));
            let _ = target.fits(&agent);
        }
    }
}

/// Of a bundle's entries, the best for an agent; every other entry has a reason. The first byte chooses the agent.
pub fn select(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let Ok(bundle) = Bundle::parse(rest) else { return };
    let isas = Isa::all();
    let isa = &isas[usize::from(first & 0x3f) % isas.len()];
    let agent = TargetId::of_agent(isa, first & 0x40 != 0, first & 0x80 != 0);
    let fitting = bundle.entries().filter(|entry| offload_bundle::why(entry, &agent).is_ok()).count();
    match offload_bundle::select(bundle.entries(), &agent) {
        Ok(choice) => {
            assert!(fitting > 0);
            assert_eq!(choice.rejected.len() + 1, bundle.len());
            assert!(choice.rejected.iter().all(|rejected| rejected.index != choice.entry.index));
            assert!(choice.rejected.iter().all(|rejected| !rejected.to_string().is_empty()));
            let found = offload_bundle::why(&choice.entry, &agent).expect("the chosen entry fits");
            assert_eq!(found.target, choice.target);
        }
        Err(none) => {
            assert_eq!(fitting, 0);
            assert_eq!(none.rejected.len(), bundle.len());
            assert_eq!(none.details().count(), bundle.len());
            assert!(none.to_string().starts_with("no code for"));
        }
    }
}
