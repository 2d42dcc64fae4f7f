//! Fuzz target `select`: the check of that name in `parser-checks`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parser_checks::run("select", data));
