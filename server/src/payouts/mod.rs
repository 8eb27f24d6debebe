//! Payouts: what a partner is paid for a period (§2.3, §4.6). No operation changes the stage.

mod handlers;
pub mod model;
pub mod store;
