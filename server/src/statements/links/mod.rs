//! Who may download a PDF without a key, until when, and under which name (S9, S10).
//!
//! It refuses to keep a list of links: what a link grants is written in it, and signed.
//!
//! | file | owns |
//! |---|---|
//! | `options` | the flags with their defaults and bounds |
//! | `public_url` | the address that links begin with |
//! | [`link`] | signing links, and opening them |
//! | `keyring` | the keys that sign |
//! | `key_file` | the file that holds those keys |
//! | `filename` | the name a person sees |
//! | `disposition` | that name as a header |
//! | [`range`] | one range of bytes |
//! | `linker` | a link of the store's where it signs any, else ours |
//! | [`download`] | answering our links |

mod disposition;
pub mod download;
mod filename;
mod key_file;
mod keyring;
pub mod link;
mod linker;
mod options;
mod public_url;
pub mod range;

pub use disposition::content_disposition;
pub use download::Downloads;
pub use filename::statement_filename;
pub use key_file::{KeyFileError, load_keys, load_or_create_keys};
pub use keyring::{Keyring, KeyringError};
pub use link::{GenuineLink, LinkedAsset, Links};
pub use linker::{DownloadLink, Linker};
pub use options::LinkOptions;
pub use public_url::PublicUrl;
