//! Bytes, limits, request id, log: what surrounds the API and knows nothing of its meaning.
//!
//! It refuses to let an answer leave without its request id, and an error without the envelope.
//!
//! | file | owns |
//! |---|---|
//! | [`service`] | one request from its first byte to its log line |
//! | [`request_id`] | naming a request |
//! | [`client_address`] | whose request it is, behind proxies too |
//! | [`log`] | one line per request |
//! | [`docs`] | the document, and a page to read it |
//! | [`health`] | the health port: alive, ready, metrics |
//! | [`listener`] | accepting, and ending in order |
//! | `connections` | how many are open, in all and from each address |
//! | `connection` | one connection, from its acceptance to its end |
//! | `activity` | what it is doing, and until when it may |
//! | `watched` | its stream, which tells the activity |
//! | `exchanging` | one request on it, until its answer is taken |
//! | [`limits`] | how many connections, how slow, how large a head |
//! | [`open_files`] | files enough for all connections |
//! | [`telemetry`] | where log lines go |

mod activity;
pub mod client_address;
mod connection;
mod connections;
pub mod docs;
mod exchanging;
pub mod health;
pub mod limits;
pub mod listener;
pub mod log;
pub mod open_files;
pub mod request_id;
pub mod service;
pub mod telemetry;
mod watched;

pub use service::{NonApiRoutes, Service};
