//! Fuzzes API keys; the claim is in `payout_fuzz::key`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::key::claim(data));
