//! Imports a file of organisations with everything they own.
//!
//! The whole file is validated before anything is written, and no organisation is imported twice.
//!
//! | file | contents |
//! |---|---|
//! | [`command`] | the command `import` |
//! | [`mod@format`] | the file's types; `conformance/dataset.schema.json` is made from them |
//! | [`scalars`] | the values in it |
//! | [`read`] | text to [`format::Dataset`], with all violations of the schema at once |
//! | [`check`] | the rules between entries, all violations at once |
//! | [`json_lines`] | the line of a JSON pointer |
//! | [`rows`] | entries to rows: ids, sums, repeated lines |
//! | [`mod@write`] | the transactions and objects of an import |
//! | [`store`] | rows to tables, and their removal |

mod check;
pub(crate) mod command;
pub(crate) mod format;
mod json_lines;
pub(crate) mod read;
mod rows;
mod scalars;
pub(crate) mod store;
pub(crate) mod write;

/// The data set of this project, `conformance/dataset.json`.
pub const DATASET: &str = include_str!("../../../../conformance/dataset.json");

/// One thing wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where: a JSON pointer.
    pub pointer: String,
    /// What, and what would be right.
    pub message: String,
}
