//! Fuzzes fingerprints of statements; the claim is in `payout_fuzz::fingerprint`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::fingerprint::claim(data));
