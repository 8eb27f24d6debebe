//! One partner (§2.1, §4.2, §4.3): read by both ids, and changed field by field. What a case
//! changes it locks and restores.
//!
//! | file | owns |
//! |---|---|
//! | [`read`] | which partner an id names |
//! | [`shape`] | what a partner shows |
//! | [`change`] | what a PATCH changes, and what it keeps |
//! | [`concurrent`] | other partners, the list, and concurrent requests |
//! | [`text`] | name and domain, at their bounds |
//! | [`ids`] | tier, phase, template, owner and access mode |
//! | [`unchanged`] | PATCHes that change nothing |
//! | [`rejections`] | bodies that are rejected |
//! | [`references`] | ids of what the organisation does not have |

pub(super) mod change;
mod concurrent;
pub(super) mod ids;
pub(super) mod read;
pub(super) mod references;
pub(super) mod rejections;
pub(super) mod shape;
pub(super) mod text;
pub(super) mod unchanged;
