//! `cargo xtask endurance`: the proof under faults for as long as one likes, then every fuzz target for a while.
//!
//! It refuses scenarios of its own: it runs those of `cargo xtask test` (`server/tests/faults`), longer, and with one seed
//! after the other.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@run`] | arguments, the order, how it ends |
//! | [`scenario`] | one scenario with one seed: its process, its figures, the command that repeats it |
//! | [`table`] | what was done, and any violated law |
//! | [`fuzz`] | the fuzz targets |

mod fuzz;
mod run;
mod scenario;
mod table;

pub(crate) use run::{Options, run};
