//! `cargo xtask tidy`: the house rules that the compiler does not know, as executable checks.
//!
//! The way: the project's files (`tree`), each Rust file with the paths it names (`source`, `paths`) → one check per
//! rule (`rules`) → findings, minus the exceptions that are stated with a reason (`exceptions`, `run`).
//! It refuses to guess types: what a file imports or names by path is all it looks at.

mod exceptions;
mod finding;
mod paths;
mod rules;
mod run;
mod source;
mod tree;

pub(crate) use run::run;
