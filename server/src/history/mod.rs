//! History: one row per mutation, written in its transaction (who, what, before, after, request id).
//!
//! It refuses to be changed: the server's role may insert a row, never update or delete one.

pub mod store;

pub use store::{Entry, OPERATOR, record};
