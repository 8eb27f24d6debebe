//! Statements (§4.7): what a document costs, and what the API adds to it.
//!
//! It refuses a figure of a part alone where the whole can be measured: calls go through the API, the gate included.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@measure`] | the subject from build to report |
//! | [`documents`] | typesetting alone, in a process for each size |
//! | [`calls`] | repeated calls beside getPayout, first calls, downloads |
//! | [`data`] | the organisations and payouts that are called for |
//! | [`present`] | tables, goals, how to read them |

mod calls;
mod data;
mod documents;
mod measure;
mod present;

pub(crate) use documents::DocumentsError;
pub(crate) use measure::measure;
