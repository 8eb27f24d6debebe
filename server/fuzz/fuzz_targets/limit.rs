//! Fuzzes the queries of lists; the claim is in `payout_fuzz::limit`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::limit::claim(data));
