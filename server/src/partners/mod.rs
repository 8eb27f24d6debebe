//! Partners: listed, read, created, updated (§2.1, §4.1–4.3, X1).

mod change;
mod handlers;
pub mod model;
pub mod store;

pub use handlers::Partners;
