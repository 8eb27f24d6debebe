//! Matrices walked from the document: what is added there is tested at once, or fails until it is given a fixture.
//!
//! They refuse exceptions: whatever the document promises, some request of these tests brings about.
//!
//! | file | claim |
//! |---|---|
//! | [`document`] | what the document promises of an answer |
//! | `fixtures` | one sound request for each operation |
//! | `scopes`, `key_states` | only a valid key with the scope passes |
//! | `places`, `tenancy` | an id of another tenant answers like nobody's |
//! | `row_level_security` | the database keeps tenants apart by itself |
//! | `form`, `differential` | a PATCH changes what the document lists, and nothing else passes |
//! | `statuses` | each documented status happens, and every body fits its schema |
//! | `examples` | each example of a response is one that the server gives |

pub(crate) mod document;

mod database;
mod differential;
mod examples;
mod fixtures;
mod form;
mod key_states;
mod places;
mod row_level_security;
mod scopes;
mod statuses;
mod tenancy;
