//! `cargo xtask endurance`: runs the fault scenarios of `server/tests/faults` for minutes or hours,
//! longer than `cargo xtask test` does and with one seed after the other, then every fuzz target.

mod fuzz;
mod run;

pub(crate) use run::{Options, run};
