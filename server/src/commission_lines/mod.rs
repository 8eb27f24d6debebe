//! Commission lines: listed, read, created, changed, and taken out of their payout (§2.2, §3.1,
//! §4.4, §4.5, X6–X8).
//!
//! A change of a line locks the line first and its payout second. One statement changes the line
//! and the payout's amount.

mod change;
mod creation;
mod handlers;
pub mod model;
mod rejection;
pub mod store;

pub use handlers::CommissionLines;
