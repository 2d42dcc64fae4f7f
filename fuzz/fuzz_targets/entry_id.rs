//! Fuzz target `entry_id`: the check of that name in `parser-checks`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parser_checks::run("entry_id", data));
