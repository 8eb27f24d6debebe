//! What the fuzzers claim: one `claim` for each target, which takes any bytes and panics where it does not hold.
//!
//! They refuse to be of use to fuzzers alone: `server/tests/fuzz_corpus` includes this very file and replays the seeds,
//! so that a find stays a test. A claim compares with a second reading written here, or with the document, and never
//! with the code under test.
//!
//! | file | claim |
//! |---|---|
//! | [`key`] | an API key is read where form and checksum are right, and nowhere else |
//! | [`cursor`] | a cursor has one spelling, and holds for one list |
//! | [`limit`] | a list's query passes where the document takes it, `limit` in its one spelling |
//! | [`patch_body`] | a body passes where the document's schema takes it |
//! | [`link`] | a link opens to the byte, or not at all |
//! | [`content_disposition`] | a filename never ends its quotes or its line |
//! | [`fingerprint`] | equal inputs have equal fingerprints, and no others have |
//! | `document` | the document and its schemas |
//! | `issues` | what every refusal of a form tells |
//! | `reading` | JSON read a second time, for repeated keys and depth |
//! | `source` | values taken from the bytes |

pub mod content_disposition;
pub mod cursor;
pub mod fingerprint;
pub mod key;
pub mod limit;
pub mod link;
pub mod patch_body;

mod document;
mod issues;
mod reading;
mod source;
