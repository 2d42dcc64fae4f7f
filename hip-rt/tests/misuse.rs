//! What programs do and should not: pointers that lead nowhere, waits inside callbacks, `fork` with the GPU open. Each
//! gets an error and a live process.

#![allow(unsafe_code, reason = "forks as a C program does")]

use hip_rt::ffi::Out;
use hip_sys::*;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance, without_provenance_mut};
use std::sync::atomic::{AtomicU32, Ordering};

const OK: hipError_t = hipError_t::SUCCESS;

fn malloc(size: usize) -> *mut c_void {
    let mut pointer = null_mut();
    assert_eq!(hip_rt::hipMalloc(Out::new(&mut pointer), size), OK);
    pointer
}

#[test]
fn host_pointers_that_lead_nowhere_are_refused() {
    let device = malloc(4096);
    let mut host = [0u8; 64];
    for nowhere in [0x10, 0x1000, usize::MAX - 4095] {
        let (kind, invalid) = (hipMemcpyKind::DEFAULT, hipError_t::INVALID_VALUE);
        assert_eq!(hip_rt::hipMemcpy(device, without_provenance(nowhere), 64, kind), invalid);
        assert_eq!(hip_rt::hipMemcpy(without_provenance_mut(nowhere), device, 64, kind), invalid);
        assert_eq!(
            hip_rt::hipMemcpyAsync(device, without_provenance(nowhere), 64, kind, hipStream_t::NULL),
            invalid
        );
        assert_eq!(hip_rt::hipMemset(without_provenance_mut(nowhere), 1, 64), invalid);
        assert_eq!(hip_rt::hipHostRegister(without_provenance_mut(nowhere), 4096, 0), invalid);
    }
    assert_eq!(hip_rt::hipMemcpy(host.as_mut_ptr().cast(), device, 64, hipMemcpyKind::DEFAULT), OK);
    assert_eq!(hip_rt::hipFree(device), OK);
}

static SEEN: AtomicU32 = AtomicU32::new(u32::MAX);

unsafe extern "C" fn waits(_: *mut c_void) {
    SEEN.store(hip_rt::hipDeviceSynchronize().0, Ordering::Release);
}

#[test]
fn a_callback_cannot_wait_for_what_it_holds_up() {
    assert_eq!(hip_rt::hipLaunchHostFunc(hipStream_t::NULL, Some(waits), null_mut()), OK);
    assert_eq!(hip_rt::hipStreamSynchronize(hipStream_t::NULL), OK);
    assert_eq!(SEEN.load(Ordering::Acquire), hipError_t::NOT_SUPPORTED.0);
}

#[test]
fn a_child_of_fork_has_no_device_and_can_exit() {
    let device = malloc(4096);
    // SAFETY: the child makes calls of this library and exits; it takes no lock that another thread may hold.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut pointer = null_mut();
        let refused = hip_rt::hipMalloc(Out::new(&mut pointer), 64) == hipError_t::NOT_INITIALIZED
            && hip_rt::hipDeviceSynchronize() == hipError_t::NOT_INITIALIZED
            && hip_rt::hipFree(device) == hipError_t::NOT_INITIALIZED;
        // SAFETY: ends the child through the handlers that `exit` calls, which is what is tested.
        unsafe { libc::exit(if refused { 7 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for our own child and writes our own integer.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "status {status:#x}");
    assert_eq!(libc::WEXITSTATUS(status), 7);
    assert_eq!(hip_rt::hipFree(device), OK);
}
