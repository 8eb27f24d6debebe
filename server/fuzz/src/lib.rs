//! One `claim` for each fuzz target, which takes any bytes and panics where it does not hold.
//!
//! A claim compares with a second implementation here, or with the document, never with the code
//! under test. `server/tests/server/fuzz_corpus.rs` includes this file and replays the seeds, so
//! that a finding stays a test.
//!
//! | file | claim |
//! |---|---|
//! | `key` | an API key is accepted exactly if form and checksum are right |
//! | `cursor` | a cursor has one encoding, and is valid for one list |
//! | `limit` | `limit` has one spelling, and no query panics |
//! | `patch_body` | a body is accepted where the document's schema accepts it |
//! | `link` | only an unaltered link opens |
//! | `content_disposition` | a filename never ends its quotes or its line |
//! | `fingerprint` | fingerprints are equal exactly if their inputs are |
//! | `issues` | checks of every form error |
//! | `reading` | a second JSON reader, for duplicate keys and depth |
//! | `source` | values generated from the bytes |

mod content_disposition;
mod cursor;
mod fingerprint;
mod key;
mod limit;
mod link;
mod patch_body;

mod issues;
mod reading;
mod source;

/// A target's name, and its claim.
type Target = (&'static str, fn(&[u8]));

/// All targets, by name.
pub const TARGETS: [Target; 7] = [
    ("content_disposition", content_disposition::claim),
    ("cursor", cursor::claim),
    ("fingerprint", fingerprint::claim),
    ("key", key::claim),
    ("limit", limit::claim),
    ("link", link::claim),
    ("patch_body", patch_body::claim),
];

/// Holds any bytes against the claim of a target.
pub fn claim(target: &str, data: &[u8]) {
    let (_, claim) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    claim(data);
}
