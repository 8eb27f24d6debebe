//! Fuzzes links to PDFs; the claim is in `payout_fuzz::link`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::link::claim(data));
