//! Fuzzes filenames; the claim is in `payout_fuzz::content_disposition`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::content_disposition::claim(data));
