//! Bytes, limits, request id, log: what surrounds the API and knows nothing of its meaning.
//!
//! It refuses to let an answer leave without its request id, and an error without the envelope.
//!
//! | file | owns |
//! |---|---|
//! | [`service`] | one request from its first byte to its log line |
//! | [`body`] | reading a body within its limits |
//! | [`request_id`] | naming a request |
//! | [`client_address`] | whose request it is, behind proxies too |
//! | [`log`] | one line per request |
//! | [`docs`] | the document, and a page to read it |
//! | [`listener`] | accepting, and ending in order |
//! | [`telemetry`] | where log lines go |

pub mod body;
pub mod client_address;
pub mod docs;
pub mod listener;
pub mod log;
pub mod request_id;
pub mod service;
pub mod telemetry;

pub use service::{Beside, Service};
