//! History: one row per mutation, written in its transaction (who, what, before, after, request
//! id). The server's role may insert rows, and neither update nor delete them.

pub mod store;

pub use store::{OPERATOR, record};
