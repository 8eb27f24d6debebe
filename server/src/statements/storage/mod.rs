//! Where statement PDFs are stored: a directory, a bucket of S3, or a bucket of a store that speaks
//! its protocol; and the marker and other small objects beside them. Knows neither the database nor
//! requests.

mod directory;
mod endpoint;
mod failure;
mod key;
mod metrics;
mod open;
mod operations;
mod options;
mod place;
mod s3;
mod small;

pub use endpoint::Endpoint;
pub use failure::{SetupError, StorageError};
pub use key::AssetKey;
pub use operations::{Content, Storage, StoredObject};
pub use options::AssetOptions;
pub use place::AssetPlace;
pub use s3::SignedUrl;
pub use small::{MARKER, SMALL_OBJECT_LIMIT_BYTES};
