//! Creating payouts, one or a batch of them, with lines of the pending pool (X3, X5).

pub mod store;
