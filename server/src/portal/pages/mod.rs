//! What the pages of the portal show, from the tables. Each statement names the organisation and
//! the partner, in addition to row-level security, which knows both.

pub mod model;
pub(super) mod store;
