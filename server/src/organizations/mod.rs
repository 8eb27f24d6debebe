//! Organisations: their limits, and the billing information of their statements. Only an operator's
//! commands change them; a request's key decides its organisation.

pub mod model;
pub mod store;

pub use model::{Billing, CreditAllowance, Limits, MissingBilling, Organization};
