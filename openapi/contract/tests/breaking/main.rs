//! `contract breaking`: an example of each rule, mutations of a whole document, and the command.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]

mod command;
mod examples;
mod identity;
mod mutations;
mod null;
mod support;
