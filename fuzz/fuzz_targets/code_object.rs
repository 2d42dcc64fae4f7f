//! Fuzz target `code_object`: the check of that name in `parser-checks`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parser_checks::run("code_object", data));
