//! Lists (§2.5, §4.1, §4.4, R6–R10): partners and commission lines.
//!
//! They refuse to trust one response: each page is held against the list as other requests show it.
//!
//! | file | owns |
//! |---|---|
//! | [`walk`] | the way through a list, page by page |
//! | [`limits`] | how long a page is |
//! | [`pages`] | that all pages together are the list |
//! | [`cursors`] | what is no cursor |
//! | [`filters`] | which lines are listed |
//! | [`refusals`] | parameters that are refused |
//! | [`items`] | what an item shows |
//! | [`amounts`] | money, and its sums |

pub(super) mod amounts;
pub(super) mod cursors;
pub(super) mod filters;
pub(super) mod items;
pub(super) mod limits;
pub(super) mod pages;
pub(super) mod refusals;
pub(super) mod walk;
