//! Reports of a run: terminal, JSON, JUnit and HTML, all written from one model.
//!
//! | file | contents |
//! |---|---|
//! | [`model`] | the outcome as data |
//! | [`redact`] | removes secrets from it |
//! | [`json`] | JSON, and its published schema |
//! | [`junit`] | JUnit XML, for build servers |
//! | [`html`] | one self-contained page |
//! | [`terminal`] | the text at the end of a run |
//! | [`proof`] | the report of a proof |
//! | [`progress`] | what is printed while it runs |
//! | [`gap`] | what was missing, and which requirements that left unproved |
//! | [`words`] | the sentences that all of them share |

mod compare;
pub(crate) mod gap;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod model;
mod pretty;
pub(crate) mod progress;
pub(crate) mod proof;
pub(crate) mod redact;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod terminal;
pub(crate) mod words;
