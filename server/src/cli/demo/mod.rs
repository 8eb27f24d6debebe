//! `demo`: a server with data, keys to use it, and a tour of real calls, each judged by the document.
//!
//! It refuses to trust itself: the calls go over HTTP to the running server, and the document says what is right.
//!
//! | file | owns |
//! |---|---|
//! | [`start`] | the command: database, data, server, and their end |
//! | [`tour`] | which calls, and what must come back |
//! | [`call`] | one call: made, printed, judged |

pub mod call;
pub mod start;
pub mod tour;

pub use start::{DemoArguments, run};
