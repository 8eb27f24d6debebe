//! An organisation's template: title, accent colour, footer, logo (S4). Nothing in it can execute.

pub mod model;
pub mod store;

pub use model::Template;
