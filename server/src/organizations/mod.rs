//! Organisations: who owns the data, how much they may ask, and what their statements need to know of them.
//!
//! It refuses to be reached by a request: an organisation is an operator's, and the key decides which one it is.

pub mod model;
pub mod store;

pub use model::{Billing, CreditAllowance, Limits, MissingBilling, Organization};
