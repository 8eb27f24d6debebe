//! Commission lines: listed, read, created, changed, and taken out of their payout (§2.2, §3.1,
//! §4.4, §4.5, X6–X8).
//!
//! What changes a line locks the line first and its payout second, and changes the payout's amount
//! in the statement that changes the line.

mod change;
mod creation;
mod handlers;
pub mod model;
pub mod store;
