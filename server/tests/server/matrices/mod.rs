//! Tests generated from the document: an addition to it is tested at once, or fails until it has a
//! fixture. Every documented response must occur.
//!
//! | file | claim |
//! |---|---|
//! | [`document`] | checks a response against the document |
//! | `fixtures` | one valid request for each operation |
//! | `scopes`, `key_states` | only a valid key with the scope passes |
//! | `places`, `tenancy` | another tenant's id gets the same response as an unknown id |
//! | `row_level_security` | the database keeps tenants apart by itself |
//! | `form`, `differential` | a PATCH changes what the document lists, and nothing else passes |
//! | `statuses` | each documented status happens, and every body fits its schema |
//! | `examples`, `example_bodies` | each example of a response is one that the server gives |

pub(crate) mod document;

mod database;
mod differential;
mod example_bodies;
mod examples;
mod fixtures;
mod form;
mod key_states;
mod places;
mod row_level_security;
mod scopes;
mod statuses;
mod tenancy;
