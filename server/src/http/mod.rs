//! Bytes, limits, request id, log: everything around the API that does not depend on its meaning.
//! Every response has a request id, every error the envelope.

pub mod client_address;
mod connection;
mod connection_state;
mod connections;
pub mod docs;
mod head;
pub mod health;
pub mod limits;
pub mod listener;
mod monitored_io;
mod request_guard;
mod request_id;
pub mod rlimit;
pub mod service;

pub use service::{NonApiRoutes, Service};
