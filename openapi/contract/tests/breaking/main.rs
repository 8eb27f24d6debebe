//! `contract breaking`: an example of each rule, mutations of a whole document, and the command.

mod command;
mod examples;
mod identity;
mod mutations;
mod support;
