//! Commission lines: listed, and detached from their payout (§2.2, §3.1, §4.4, §4.5).

mod handlers;
pub mod model;
pub mod store;
