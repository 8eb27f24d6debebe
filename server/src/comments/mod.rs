//! Comments about partners, their payouts and their commission lines: listed and created (X14).

mod handlers;
pub mod model;
mod store;

pub use handlers::Comments;
