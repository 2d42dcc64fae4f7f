//! The C library's streams: device output goes where the program's own `printf` goes, in order with it.

#![allow(unsafe_code, reason = "fwrite to the C library's stdout and stderr")]

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
}

/// Writes text to the program's stdout or stderr.
pub fn write(text: &[u8], to_stderr: bool) {
    // SAFETY: both are set up by the C library before any code of the program runs; it changes them only for a
    // program that assigns to them, as this one read sees.
    let stream = unsafe { if to_stderr { stderr } else { stdout } };
    // SAFETY: a stream of the C library, which locks it; the text is as long as said.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stream) };
}
