//! Tests `contract breaking` with an example of each rule and each place of a schema.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]

mod client;
mod command;
mod examples;
mod forms;
mod identity;
mod keywords;
mod null;
mod support;
mod verdicts;
