//! Where statement PDFs are stored: a directory, a bucket of S3, or a bucket of a store that speaks
//! its protocol. Knows neither the database nor requests.
//!
//! | module | owns |
//! |---|---|
//! | `options` | the flags with their defaults and bounds |
//! | `place` | how a directory or a bucket is written |
//! | `endpoint` | the address of an S3-compatible store |
//! | `open` | from flags to a store that was tried once |
//! | `operations` | put, get, head, verify, delete, list, each bounded in time |
//! | `directory` | the local directory: its creation, and what a crash leaves in it |
//! | `s3` | the S3 client: TLS, credentials, links signed by the store |
//! | `key` | the name of an object |
//! | `failure` | why an operation failed, or the start did |

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
pub use s3::StoreLink;
