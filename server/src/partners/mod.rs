//! Partners: listed, read, updated (§2.1, §4.1–4.3).
//!
//! It refuses to create one: that is an extended operation, which this version does not have.

pub mod change;
pub mod handlers;
pub mod model;
pub mod store;
