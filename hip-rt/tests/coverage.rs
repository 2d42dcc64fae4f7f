//! Each function that the library implements is called by a test: some program of `tests/kernels`, `tests/hip` or this folder
//! names it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What no program of ours calls, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("__gnu_f2h_ieee", "called by code that compilers make; api/half.rs has its tests"),
    ("__gnu_h2f_ieee", "called by code that compilers make; api/half.rs has its tests"),
    ("__hipGetPCH", "for hiprtc of other vendors' builds: there is no precompiled header in ours"),
    (
        "__hipRegisterSurface",
        "called by code that compilers make for surface references, which HIP does not have",
    ),
    ("__hipRegisterTexture", "called by code that compilers make: texture_references.hip"),
    ("amd_dbgapi_get_build_id", "words about a debugger's library"),
    ("amd_dbgapi_get_build_name", "words about a debugger's library"),
    ("amd_dbgapi_get_git_hash", "words about a debugger's library"),
];

/// The identifiers of a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The name in a source: a mangled C++ name has it behind its length.
fn plain(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("_Z") else { return name };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let length = rest[..digits].parse().unwrap_or(0);
    rest[digits..].get(..length).unwrap_or(name)
}

#[test]
fn every_function_is_called_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut words = BTreeSet::new();
    for folder in ["tests/kernels", "tests/hip", "hip-rt/tests"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !path.ends_with("coverage.rs") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                words.extend(identifiers(&text).map(str::to_owned));
            }
        }
    }
    let known = |name: &str| EXCEPTIONS.iter().any(|(exception, _)| *exception == name);
    let missing: Vec<_> =
        hip_rt::IMPLEMENTED.iter().filter(|name| !words.contains(plain(name)) && !known(name)).collect();
    assert!(missing.is_empty(), "no test calls {missing:#?}: see docs/hip/api-tests.md");
    for (name, _) in EXCEPTIONS {
        assert!(hip_rt::IMPLEMENTED.contains(name), "{name} is not implemented and needs no exception");
        assert!(!words.contains(*name), "a test calls {name}: it needs no exception");
    }
}
