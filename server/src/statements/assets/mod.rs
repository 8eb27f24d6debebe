//! Stored PDFs: their rows, and the sweep of what a crash left without one. Every asset's object
//! is whole.

pub mod model;
pub mod store;
pub mod sweep;

pub(crate) use model::AssetRecord;
pub use model::{Asset, Attempt, Outcome};
