//! Thousands of requests generated from the document: none is answered with a 5xx, and each is
//! answered in the decided order of checks. A failure reports the request's number and the seed,
//! which repeat it.
//!
//! | file | owns |
//! |---|---|
//! | `run` | the test, and the number of requests |
//! | `request` | one request: key, query, headers |
//! | `path`, `body` | its method and path, its body |
//! | `values` | texts and JSON, valid and hostile |
//! | `world` | the keys, ids and cursors that requests name |
//! | `expectation` | the expected response, and the comparison with the real one |

mod body;
mod expectation;
mod path;
mod request;
mod run;
mod values;
mod world;
