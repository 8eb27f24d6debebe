//! Organisations: their limits, and the billing information of their statements. Only an operator's
//! commands change them; a request's key decides its organisation.

pub mod model;
pub mod store;

pub use model::{Billing, CreditAllowance, Limits, MissingBilling, Organization};

use crate::contract::types::Person;

/// A user of the organisation in a response (V8), from columns that an outer join gives.
pub(crate) fn person(
    id: Option<String>,
    name: Option<String>,
    email: Option<String>,
) -> Option<Person> {
    Some(Person { id: id?.into(), name: name?, email: email? })
}
