//! API keys as an operator handles them: made, listed, revoked (§5, A1, A2). The gate alone checks one.
//!
//! It refuses to show a key a second time: only its hash and its last four characters are stored.

pub mod model;
pub mod store;

pub use model::{KeyState, NewKey, StoredKey};
