//! Tests `contract breaking` with an example of each rule, and with mutations of a whole document.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]

mod command;
mod examples;
mod identity;
mod mutations;
mod null;
mod support;
