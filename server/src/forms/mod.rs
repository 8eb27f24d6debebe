//! Forms that operators publish, and what is submitted with them (X15).

pub mod definition;
mod from_portal;
mod handlers;
pub mod model;
pub mod operator;
mod schema;
mod store;

pub use definition::Field;
pub(crate) use from_portal::{FromPortal, Submitted, submit_from_portal};
pub use handlers::Forms;
pub(crate) use store::{Fields, GetForm};
