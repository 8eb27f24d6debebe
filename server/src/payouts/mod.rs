//! Payouts: what a partner is paid for a period (§2.3, §4.6).
//!
//! It refuses to move a payout's stage: no operation of this version does.

pub mod handlers;
pub mod model;
pub mod store;
