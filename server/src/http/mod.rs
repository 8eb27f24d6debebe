//! Bytes, limits, request id, log: everything around the API that does not depend on its meaning.
//! Every response has a request id, every error the envelope.
//!
//! | file | owns |
//! |---|---|
//! | [`service`] | one request from its first byte to its log line |
//! | `request_id` | a request's id |
//! | [`client_address`] | the client's address, behind proxies too |
//! | [`docs`] | the document, and a page to read it |
//! | `head` | the limits of a request's head |
//! | [`health`] | the health port: alive, ready, metrics |
//! | [`listener`] | accepting, and stopping in order |
//! | `connections` | how many are open, in all and from each address |
//! | `connection` | one connection, from its acceptance to its end |
//! | `connection_state` | what it is doing, and until when it may |
//! | `monitored_io` | its stream, which reports to that state |
//! | `request_guard` | one request on it, until its response is sent |
//! | [`limits`] | how many connections, how slow, how large a head |
//! | [`rlimit`] | the system's limit of open files |

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
