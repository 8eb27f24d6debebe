//! Developer tools of `payout-server`: the data set, imports from files, generated rows, the
//! suite's target file and the demo.
//!
//! The tests of the server use the functions below; everything else is the program's own.
//!
//! | module | contents |
//! |---|---|
//! | [`arguments`] | the command line |
//! | [`mod@import`] | from a JSON file to rows |
//! | [`import_command`] | `import` |
//! | [`seed`] | `seed`: imports and resets the data set |
//! | [`mod@generate`] | `generate`: any number of commission lines |
//! | [`organizations`] | `organizations`: any number of organisations |
//! | [`target`] | `target`: a target file for `payout-conformance` |
//! | [`demo`] | `demo`: a server with data, and a tour of requests |
//! | [`key_file`] | the keys that a command made |

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
