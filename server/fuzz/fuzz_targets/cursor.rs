//! Fuzzes cursors; the claim is in `payout_fuzz::cursor`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::cursor::claim(data));
