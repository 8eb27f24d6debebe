//! Commission lines: listed, read, created, changed, taken out of their payout, matured and
//! reversed (§2.2, §3.1, §4.4, §4.5, X6–X8, X19, X20).
//!
//! A change of a line locks the line first and its payout second. One statement changes the line
//! and the payout's amount.

mod change;
mod creation;
mod handlers;
pub mod maturity;
pub mod model;
mod rejection;
mod reversal;
pub mod store;

pub use handlers::CommissionLines;
pub(crate) use reversal::{Reversal, reverse_line};
