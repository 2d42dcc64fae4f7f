//! Metadata: any bytes are refused or read, and what is read keeps every key.

use amd_codeobj::Metadata;
use amd_codeobj::metadata::{Value, yaml};

/// MessagePack to a tree, to typed metadata, and to YAML.
pub fn metadata(data: &[u8]) {
    let tree = Value::parse(data, 0);
    match Metadata::parse(data, 0) {
        Ok(metadata) => {
            read(&metadata);
            let tree = tree.expect("typed metadata is well-formed");
            assert!(tree.get("amdhsa.version").is_some());
            let Value::Map(pairs) = tree else { panic!("the root is a map") };
            // A number that is none is not equal to itself, so that values are compared as they are printed.
            for (key, value) in &metadata.other {
                let mut found = pairs.iter().filter(|(found, _)| found.as_str() == Some(key));
                assert!(
                    found.any(|(_, found)| format!("{found:?}") == format!("{value:?}")),
                    "{key} has changed"
                );
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match yaml(data, 0) {
        Ok(text) => assert!(text.starts_with("---") && text.ends_with("...\n")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Reads everything in metadata.
pub fn read(metadata: &Metadata) {
    for kernel in &metadata.kernels {
        let hidden = kernel.args.iter().filter(|arg| arg.value_kind.is_hidden()).count();
        assert_eq!(kernel.explicit_args().count() + hidden, kernel.args.len());
        assert!(kernel.args.iter().all(|arg| arg.end() >= u64::from(arg.offset)));
        assert!(kernel.args.first().is_none_or(|arg| kernel.hidden_arg(&arg.value_kind) == Some(arg)));
        let resources = kernel.resources();
        for isa in [amd_codeobj::Isa::all().first(), amd_codeobj::Isa::all().last()].into_iter().flatten() {
            assert!(isa.generation.occupancy(&resources).waves > 0);
        }
    }
    if let Some(first) = metadata.kernels.first() {
        assert!(metadata.kernel(&first.name).is_some_and(|found| found.name == first.name));
    }
}
