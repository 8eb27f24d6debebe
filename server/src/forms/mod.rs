//! Forms that operators publish, and what is submitted with them (X15).

pub mod definition;
mod handlers;
pub mod model;
pub mod operator;
mod schema;
mod store;

pub use handlers::Forms;
