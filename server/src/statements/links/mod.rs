//! Download URLs: who may download a PDF without a key, until when, and under which name (S9, S10).
//! No list of links is stored: what a link grants is written in it, and signed.

pub mod download;
mod filename;
mod options;
pub mod range;
mod signer;

pub(crate) use download::Downloads;
pub use filename::{content_disposition, statement_filename};
pub use options::LinkOptions;
pub(crate) use signer::FOLDER;
pub use signer::{GenuineLink, LINK_LENGTH_LIMIT_BYTES, LinkSigner, LinkedAsset, PublicUrl};
