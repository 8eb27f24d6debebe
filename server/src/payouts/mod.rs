//! Payouts: what a partner is paid for a period (§2.3, §4.6, X2–X5).

mod change;
pub mod creation;
mod handlers;
pub mod model;
mod stages;
pub mod store;

pub(crate) use self::stages::{LOCKS_LINES, sources_of};
pub use self::{handlers::Payouts, stages::TAKES_LINES};
