//! Fuzzes the body of an update; the claim is in `payout_fuzz::patch_body`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::patch_body::claim(data));
