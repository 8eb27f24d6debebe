//! Downloads the PDF of a statement from its link. (§2.4, §4.7, S9)
//!
//! | file | contents |
//! |---|---|
//! | `request` | what is downloaded, limited in time and size |
//! | `source` | the requests: no key, no redirect; repeated, and continued where one was cut |
//! | `errors` | the error of a response other than 200; whether a link has expired |
//! | `body` | the PDF as it arrives, checked to be a PDF and complete |
//! | `save` | the PDF as a file, written atomically |
//! | `filename` | which suggested filenames are safe |
//!

mod body;
mod errors;
mod filename;
mod request;
mod save;
mod source;

pub use body::Download;
pub use request::DownloadStatement;
pub use save::SaveError;
