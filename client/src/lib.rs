#![doc = include_str!("../README.md")]
//!
//! ---
//!
//! The crate depends on no other crate of its workspace: it is generated from the OpenAPI document.
#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "blocking")]
pub mod blocking;
mod bounded;
mod builder;
mod call;
mod change;
mod details;
mod download;
mod error;
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    reason = "generated code: its module is private, and its style is the generator's"
)]
mod generated;
mod ids;
mod key;
mod link;
mod meters;
mod middleware;
mod money;
mod open_object;
mod open_sets;
mod operation;
mod pages;
mod response;
mod retry;
#[cfg(feature = "testkit")]
pub mod testkit;
mod timestamp;
mod tls;

pub use bounded::OutOfBounds;
pub use builder::{
    BASE_URL_VARIABLE, BuildError, ClientBuilder, DEFAULT_CONNECT_TIMEOUT, DEFAULT_REQUEST_TIMEOUT,
    KEY_VARIABLE,
};
pub use bytes::Bytes;
pub use change::Change;
pub use chrono::{DateTime, Utc};
pub use download::{
    DEFAULT_DOWNLOAD_LIMIT_BYTES, DEFAULT_DOWNLOAD_TIMEOUT, Download, DownloadStatement, SaveError,
};
pub use error::{DecodeError, Error, ErrorResponse};
pub use generated::{Client, Details, ErrorCode, Operation, builder as calls, types};
pub use ids::InvalidId;
pub use key::ApiKey;
pub use link::{DownloadUrl, InvalidDownloadUrl};
pub use meters::{Meter, Meters};
pub use middleware::{Middleware, Next};
pub use money::{InvalidMoney, Money};
pub use open_object::UnknownFields;
pub use operation::Idempotency;
pub use pages::{Items, List, Page, Pages};
pub use reqwest::{self, StatusCode};
pub use response::Response;
pub use retry::RetryPolicy;
pub use rust_decimal::Decimal;
pub use timestamp::{InvalidTimestamp, Timestamp};
