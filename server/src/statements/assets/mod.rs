//! Stored PDFs: their rows, the store that they are bound to, the verification of their objects,
//! and the sweep of what a crash left without a row.

pub mod binding;
pub(crate) mod integrity;
pub mod model;
pub mod store;
pub mod sweep;
pub(crate) mod verification;

pub(crate) use model::AssetRecord;
pub use model::{Asset, Attempt, StoreOutcome};
