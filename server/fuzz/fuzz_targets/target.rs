//! Fuzzes the claim that the program is named after.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::claim(env!("CARGO_BIN_NAME"), data));
