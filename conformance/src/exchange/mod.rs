//! Exchanges: one request and its response. Nothing of a request is corrected: broken paths,
//! repeated headers and malformed bodies are sent as they are written.
//!
//! | file | owns |
//! |---|---|
//! | [`request`] | the request |
//! | [`response`] | the response |
//! | [`client`] | the HTTP client |
//! | [`trust`] | certificates that are trusted besides the system's |
//! | [`curl`] | a request as a command line |

pub mod client;
pub mod curl;
pub mod request;
pub mod response;
pub mod trust;

pub use client::{Client, ClientError};
pub use request::{Key, Request};
pub use response::Response;
