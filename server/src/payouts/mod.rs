//! Payouts: what a partner is paid for a period (§2.3, §4.6, X2–X5).

mod change;
pub mod creation;
mod handlers;
pub mod model;
mod stages;
pub mod store;

pub(crate) use self::stages::sources_of;
pub use self::{change::InvalidTransition, stages::TAKES_LINES};
