//! Developer tools of `payout-server`: the data set, imports from files, generated rows, the
//! suite's target file and the demo.
//!
//! The tests of the server use the functions below; everything else is the program's own.

// A closed output, as after `| head`, must not end a program with a panic: `anstream` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod arguments;
mod demo;
mod generate;
mod import;
mod import_command;
mod key_file;
mod organizations;
mod seed;
mod target;

pub use arguments::{execute, run};
pub use import::{DATASET, Dataset, Imported, ImportedKey, import};

/// A command's failure; the user reads its text.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
