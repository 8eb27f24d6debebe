//! Exchanges: one request and its response. Nothing of a request is corrected: broken paths,
//! repeated headers and malformed bodies are sent as they are written.

pub(crate) mod client;
pub(crate) mod curl;
pub(crate) mod headers;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod transport;
pub(crate) mod trust;

pub(crate) use client::{Client, ClientError};
pub(crate) use request::{Key, Request};
pub(crate) use response::Response;
