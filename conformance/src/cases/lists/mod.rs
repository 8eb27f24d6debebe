//! Lists (§2.5, §4.1, §4.4, R6–R10): partners and commission lines, compared with what other
//! requests show.

mod faults;
mod filters;
mod items;
