//! Partners: listed, read, updated (§2.1, §4.1–4.3). No operation creates one.

mod change;
mod handlers;
pub mod model;
pub mod store;
