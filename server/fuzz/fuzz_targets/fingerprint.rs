//! Fuzzes fingerprints of statements: `payout_fuzz::fingerprint` says what is claimed.
//!
//! It refuses claims of its own: a seed must mean the same to the replaying test.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| payout_fuzz::fingerprint::claim(data));
