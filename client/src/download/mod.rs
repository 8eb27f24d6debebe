//! Downloads the PDF of a statement from its link. (§2.4, §4.7, S9)
//!
//! | file | contents |
//! |---|---|
//! | `request` | the request: no key, no redirect, limited in time and size |
//! | `errors` | the error of a response other than 200; whether a link has expired |
//! | `body` | the PDF as it arrives, checked to be a PDF and complete |
//! | `save` | the PDF as a file, written atomically |
//! | `filename` | which suggested filenames are safe |
//!
//! A download is not resumed: a statement is small, and a new link leads to the same document.

mod body;
mod errors;
mod filename;
mod request;
mod save;

pub use body::Download;
pub use request::DownloadStatement;
pub use save::SaveError;
