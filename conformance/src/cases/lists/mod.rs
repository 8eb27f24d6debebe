//! Lists (§2.5, §4.1, §4.4, R6–R10): partners and commission lines. Each page is compared with the
//! list as other requests show it.

mod amounts;
pub(super) mod cursors;
mod filters;
mod items;
pub(super) mod limits;
pub(super) mod pages;
pub(super) mod rejections;
