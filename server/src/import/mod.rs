//! Importing a file of organisations with all they own: read, judged whole, resolved to rows, written.
//!
//! It refuses to write anything before everything has been found sound, and to import an organisation twice.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@format`] | the file's form; `conformance/dataset.schema.json` is made from it |
//! | [`scalars`] | the values in it |
//! | [`read`] | text to [`format::Dataset`], every violation of the form at once |
//! | [`place`] | the line of a JSON pointer |
//! | [`check`] | the rules between entries, every violation at once |
//! | [`resolve`] | entries to rows: ids, sums, repeated lines |
//! | [`mod@write`] | the transactions of an import |
//! | [`store`] | rows to tables, and their removal |
//! | [`bulk`] | any number of generated lines, for measuring |

pub mod bulk;
pub mod check;
pub mod format;
pub mod place;
pub mod read;
pub mod resolve;
pub mod scalars;
pub mod store;
pub mod write;

/// The data set of this project (`conformance/dataset.json`), which `seed` and `demo` import.
pub const DATASET: &str = include_str!("../../../conformance/dataset.json");

/// One thing wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where: a JSON pointer.
    pub pointer: String,
    /// What, and what would be right.
    pub message: String,
}
