//! The functions of this library are those that the linker is told to export, and they take what a careless program gives.

use hip_sys::{exports, hiprtcProgram, hiprtcResult};
use hiprtc::ffi::{Out, Text, Texts};

#[test]
fn every_name_that_is_exported_is_here() {
    let mut ours = hiprtc::EXPORTS.to_vec();
    let mut linked: Vec<&str> = exports::rtc_exports().collect();
    ours.sort_unstable();
    linked.sort_unstable();
    assert_eq!(ours, linked);
}

#[test]
fn null_and_unknown_handles_are_refused() {
    let unknown = hiprtcProgram::from_bits(0x1000);
    for program in [hiprtcProgram::NULL, unknown] {
        assert_eq!(
            hiprtc::hiprtcCompileProgram(program, 0, Texts::null()),
            hiprtcResult::ERROR_INVALID_PROGRAM
        );
        let mut size = 7;
        assert_eq!(
            hiprtc::hiprtcGetCodeSize(program, Out::new(&mut size)),
            hiprtcResult::ERROR_INVALID_PROGRAM
        );
        assert_eq!(size, 7);
    }
    let mut program = unknown;
    let none = (Text::null(), Texts::null());
    let created = hiprtc::hiprtcCreateProgram(Out::new(&mut program), none.0, none.0, 0, none.1, none.1);
    assert_eq!((created, program), (hiprtcResult::ERROR_INVALID_INPUT, unknown));
}
