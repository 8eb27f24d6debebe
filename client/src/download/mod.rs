//! From a statement's link to its PDF. (§2.4, §4.7, S9)
//!
//! | file | owns |
//! |---|---|
//! | `request` | the request: no key, no redirect, bounded in time and size |
//! | `refusal` | what an answer other than 200 means; when a link has expired |
//! | `body` | the PDF as it arrives: its first bytes, and each of its bytes |
//! | `save` | the PDF as a file: all of it, or none |
//! | `file_name` | which suggested names are safe to use |
//!
//! It refuses to resume: a statement is small, and a link signed anew gives the same document.

mod body;
mod file_name;
mod refusal;
mod request;
mod save;

pub use body::Download;
pub use request::{DEFAULT_DOWNLOAD_LIMIT_BYTES, DEFAULT_DOWNLOAD_TIMEOUT, DownloadStatement};
pub use save::SaveError;
