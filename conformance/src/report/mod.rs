//! Reports: what is told of a run, and to whom.
//!
//! They refuse to judge: each tells what the model holds, what is broken first.
//!
//! | file | owns |
//! |---|---|
//! | [`model`] | the outcome as data |
//! | [`json`] | the same as JSON, and its published schema |
//! | [`junit`] | for build servers |
//! | [`html`] | one page for people, which needs no network |
//! | [`terminal`] | what is told while it runs, and at the end |
//! | [`redact`] | the last gate before any of them: no secret |
//! | [`gap`] | what was missing, and what that left unproved |
//! | [`words`] | what all of them say in the same words |

mod compare;
pub mod gap;
pub mod html;
pub mod json;
pub mod junit;
pub mod model;
mod pretty;
pub mod redact;
#[cfg(test)]
pub(crate) mod sample;
pub mod terminal;
pub(crate) mod visible;
pub mod words;
mod xml;
