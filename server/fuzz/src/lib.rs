//! One `claim` for each fuzz target, which takes any bytes and panics where it does not hold.
//!
//! A claim compares with a second implementation here, or with the document, never with the code
//! under test. `server/tests/server/fuzz_corpus.rs` includes this file and replays the seeds, so
//! that a finding stays a test.
//!
//! | file | claim |
//! |---|---|
//! | [`key`] | an API key is accepted exactly if form and checksum are right |
//! | [`cursor`] | a cursor has one encoding, and is valid for one list |
//! | [`limit`] | `limit` has one spelling, and no query panics |
//! | [`patch_body`] | a body is accepted where the document's schema accepts it |
//! | [`link`] | only an unaltered link opens |
//! | [`content_disposition`] | a filename never ends its quotes or its line |
//! | [`fingerprint`] | fingerprints are equal exactly if their inputs are |
//! | `issues` | checks of every form error |
//! | `reading` | a second JSON reader, for duplicate keys and depth |
//! | `source` | values generated from the bytes |

pub mod content_disposition;
pub mod cursor;
pub mod fingerprint;
pub mod key;
pub mod limit;
pub mod link;
pub mod patch_body;

mod issues;
mod reading;
mod source;
