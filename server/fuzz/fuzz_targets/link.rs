//! Fuzzes links to PDFs: `payout_fuzz::link` says what is claimed.
//!
//! It refuses claims of its own: a seed must mean the same to the replaying test.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::link::claim(data));
