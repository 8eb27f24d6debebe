//! Where statement PDFs are stored: a directory, a bucket of S3, or a bucket of a store that speaks
//! its protocol. Knows neither the database nor requests.

mod directory;
mod endpoint;
mod failure;
mod key;
mod open;
mod operations;
mod options;
mod place;
mod s3;

pub use endpoint::Endpoint;
pub use failure::{SetupError, StorageError};
pub use key::AssetKey;
pub use operations::{Content, Storage, StoredObject};
pub use options::AssetOptions;
pub use place::AssetPlace;
pub use s3::SignedUrl;
