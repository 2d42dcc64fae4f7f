//! The C surface against the table of exports: every name is there once, implemented or as a stub.

use hip_sys::exports::EXPORTS;
use std::collections::BTreeSet;

#[test]
fn every_exported_name_is_implemented_or_a_stub() {
    let implemented: BTreeSet<_> = hip_rt::IMPLEMENTED.iter().chain(hiprtc::EXPORTS).copied().collect();
    let stubs: BTreeSet<_> = hip_rt::not_implemented::NOT_IMPLEMENTED.iter().copied().collect();
    let exports: BTreeSet<_> = EXPORTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(implemented.intersection(&stubs).collect::<Vec<_>>(), Vec::<&&str>::new());
    let ours: BTreeSet<_> = implemented.union(&stubs).copied().collect();
    assert_eq!(
        exports.difference(&ours).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "exported and not defined"
    );
    assert_eq!(
        ours.difference(&exports).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "defined and not exported"
    );
}

#[test]
fn a_stub_answers_not_supported() {
    use hip_sys::hipError_t;
    assert_eq!(hip_rt::not_implemented::hipMemSetMemPool(), hipError_t::NOT_SUPPORTED);
    assert_eq!(hip_rt::hipPeekAtLastError(), hipError_t::NOT_SUPPORTED);
    assert_eq!(hip_rt::hipGetLastError(), hipError_t::NOT_SUPPORTED);
    assert_eq!(hip_rt::hipGetLastError(), hipError_t::SUCCESS);
}

#[test]
fn errors_have_names_and_texts() {
    use std::ffi::CStr;
    for error in hip_sys::hipError_t::ALL {
        #[allow(unsafe_code, reason = "reads the strings as a C program does")]
        // SAFETY: both calls return strings that live for ever.
        let (name, text) = unsafe {
            (
                CStr::from_ptr(hip_rt::hipGetErrorName(*error)),
                CStr::from_ptr(hip_rt::hipGetErrorString(*error)),
            )
        };
        assert!(name.to_str().unwrap().starts_with("hip"));
        assert!(!text.to_bytes().is_empty());
    }
}
