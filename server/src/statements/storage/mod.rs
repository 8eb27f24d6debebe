//! The store of statement PDFs: a directory, a bucket of S3, or a bucket of a store that speaks its
//! protocol; with the marker and other small objects beside them. It knows neither the database nor
//! requests.

mod directory;
mod failure;
mod key;
mod location;
mod open;
mod operations;
mod options;
mod s3;

pub use failure::{SetupError, StorageError};
pub use key::AssetKey;
pub use location::AssetLocation;
pub use operations::{Content, MARKER, Storage, StoredObject};
pub use options::AssetOptions;
pub use s3::SignedUrl;
