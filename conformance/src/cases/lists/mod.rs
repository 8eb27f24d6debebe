//! Lists (§2.5, §4.1, §4.4, R6–R10): partners and commission lines. Each page is compared with the
//! list as other requests show it.

pub(super) mod amounts;
pub(super) mod filters;
pub(super) mod items;
