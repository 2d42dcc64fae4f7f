//! Registration as a compiler's constructor does it, with a wrapper made by hand: nothing is parsed, nothing fails.

use hip_rt::ffi::{In, Out, Text};
use hip_sys::{dim3, hipError_t, hipStream_t};
use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance};

#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    image: *const u8,
    unused: *const u8,
}

fn wrapper(magic: u32, version: u32, image: &'static [u8]) -> &'static Wrapper {
    Box::leak(Box::new(Wrapper { magic, version, image: image.as_ptr(), unused: null() }))
}

const HIPF: u32 = 0x4849_5046;

fn register(wrapper: &'static Wrapper) -> *mut *const c_void {
    hip_rt::__hipRegisterFatBinary((&raw const *wrapper).cast())
}

#[test]
fn a_damaged_image_is_registered_and_a_foreign_magic_is_not() {
    let handle = register(wrapper(HIPF, 1, b"this is no bundle at all, and nobody looks before a launch"));
    assert!(!handle.is_null());
    let key: *const c_void = without_provenance(0x1000);
    let name = Text::new(c"_Z1kv");
    hip_rt::__hipRegisterFunction(handle, key, name, name, u32::MAX, null(), null(), null(), null(), null());
    hip_rt::__hipRegisterFunction(handle, key, name, name, u32::MAX, null(), null(), null(), null(), null());
    hip_rt::__hipRegisterVar(
        handle,
        without_provenance(0x2000),
        Text::new(c"v"),
        Text::new(c"v"),
        0,
        4,
        0,
        0,
    );
    hip_rt::__hipUnregisterFatBinary(handle);

    assert!(register(wrapper(0x1234_5678, 1, b"x")).is_null());
    assert!(register(wrapper(HIPF, 2, b"x")).is_null());
    assert!(hip_rt::__hipRegisterFatBinary(null()).is_null());
    hip_rt::__hipUnregisterFatBinary(null_mut());
}

#[test]
fn a_managed_variable_has_its_value_when_it_is_registered() {
    let handle = register(wrapper(HIPF, 1, b"nothing"));
    let initial = [1u32, 2, 3];
    let mut pointer: *mut c_void = null_mut();
    hip_rt::__hipRegisterManagedVar(
        handle,
        Out::new(&mut pointer),
        (&raw const initial).cast(),
        Text::new(c"x"),
        size_of_val(&initial),
        64,
    );
    assert!(!pointer.is_null() && pointer.addr().is_multiple_of(4096));
    #[allow(unsafe_code, reason = "reads the variable as the program does")]
    // SAFETY: the runtime set the pointer to storage of this size.
    let value = unsafe { pointer.cast::<[u32; 3]>().read() };
    assert_eq!(value, initial);
}

#[test]
fn configurations_are_a_stack_of_the_thread() {
    let push =
        |x| hip_rt::__hipPushCallConfiguration(dim3::new(x, 1, 1), dim3::new(64, 1, 1), 7, hipStream_t::NULL);
    assert_eq!(push(1), hipError_t::SUCCESS);
    assert_eq!(push(2), hipError_t::SUCCESS);
    for want in [2, 1] {
        let (mut grid, mut block, mut shared, mut stream) =
            (dim3::default(), dim3::default(), 0usize, hipStream_t::PER_THREAD);
        let popped = hip_rt::__hipPopCallConfiguration(
            Out::new(&mut grid),
            Out::new(&mut block),
            Out::new(&mut shared),
            Out::new(&mut stream),
        );
        assert_eq!(popped, hipError_t::SUCCESS);
        assert_eq!((grid.x, block.x, shared, stream), (want, 64, 7, hipStream_t::NULL));
    }
    let nothing = hip_rt::__hipPopCallConfiguration(Out::null(), Out::null(), Out::null(), Out::null());
    assert_eq!(nothing, hipError_t::MISSING_CONFIGURATION);
    assert_eq!(hip_rt::hipLaunchByPtr(without_provenance(8)), hipError_t::MISSING_CONFIGURATION);
    let _ = In::<u32>::null();
}
