//! Tests from outside whether a deployment conforms to the Partner and Commission Payout API: HTTP
//! only, base URL and keys in, verdicts out.
//!
//! It uses the OpenAPI document (`openapi-document`) and its own cases, never the server's or the
//! client's types, with which it would inherit their mistakes. The README
//! lists the modules.

// A closed output, as after `| head`, must not end a program with a panic: `anstream` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod baseline;
mod case;
mod cases;
mod clause;
pub mod cli;
mod deployment;
mod document;
mod exchange;
mod expectations;
mod faults;
mod invariants;
mod isolation;
mod journal;
mod pdf;
mod probes;
mod prove;
mod proxy;
mod report;
mod run;
mod secret;
mod snapshot;
mod target;
#[cfg(test)]
mod tests;
mod toml_file;
mod verdict;
mod visible;

pub use document::DOCUMENT;
