//! Requests made up from the document, thousands of them: none is answered with a 5xx, and each is answered as the
//! decided order says.
//!
//! They refuse chance: a failure tells the request's number and the seed, which make the same request again.
//!
//! | file | owns |
//! |---|---|
//! | `run` | the test, and how many |
//! | `request` | one request: key, query, headers |
//! | `path`, `body` | its method and path, its body |
//! | `values` | texts and JSON, fitting and hostile |
//! | `world` | the keys, ids and cursors that requests name |
//! | `expectation` | what the document and the decided order say of a request; whether an answer is that |

mod body;
mod expectation;
mod path;
mod request;
mod run;
mod values;
mod world;
