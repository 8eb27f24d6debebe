//! One partner (§2.1, §4.2, §4.3): read by both ids, and changed field by field.
//!
//! They refuse to leave a partner changed: what they change is borrowed, and given back.
//!
//! | file | owns |
//! |---|---|
//! | [`read`] | which partner an id names |
//! | [`shape`] | what a partner shows |
//! | [`change`] | what a PATCH changes, and what it keeps |
//! | [`beside`] | what a PATCH leaves as it is beside its partner, and PATCHes at once |
//! | [`text`] | name and domain, at their bounds |
//! | [`ids`] | tier, phase, template, owner and access mode |
//! | [`unchanged`] | what changes nothing |
//! | [`refusals`] | bodies that are refused |
//! | [`references`] | ids of what the organisation does not have |

mod beside;
pub(super) mod change;
pub(super) mod ids;
pub(super) mod read;
pub(super) mod references;
pub(super) mod refusals;
pub(super) mod shape;
pub(super) mod text;
pub(super) mod unchanged;
