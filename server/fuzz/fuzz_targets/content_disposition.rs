//! Fuzzes names of files: `payout_fuzz::content_disposition` says what is claimed.
//!
//! It refuses claims of its own: a seed must mean the same to the replaying test.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::content_disposition::claim(data));
