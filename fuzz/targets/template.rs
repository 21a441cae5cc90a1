#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| abide_laws::hold("template", bytes));
