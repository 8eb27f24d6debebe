//! API keys for operators: created, listed, revoked (§5, A1, A2). A key is shown once: only its
//! hash and its last four characters are stored. The gate checks keys.

pub mod model;
pub(crate) mod records;
pub mod store;

pub use model::{KeyState, NewKey, StoredKey};
