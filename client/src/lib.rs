#![doc = include_str!("../README.md")]
//!
//! ---
//!
//! The crate depends on no other crate of its workspace: it is generated from the OpenAPI document.

mod api_headers;
mod bounded;
mod change;
mod connect;
mod download;
mod error;
#[allow(
    unreachable_pub,
    clippy::all,
    reason = "generated code: its module is private, and its style is the generator's"
)]
mod generated;
mod ids;
mod key;
mod link;
mod money;
mod open_sets;
mod response;
#[cfg(feature = "testkit")]
pub mod testkit;
mod timestamp;

pub use bounded::OutOfBounds;
pub use bytes::Bytes;
pub use change::Change;
pub use chrono::{DateTime, Utc};
pub use connect::{
    ConnectError, DEFAULT_CONNECT_TIMEOUT, DEFAULT_REQUEST_TIMEOUT, connect, connect_with,
};
pub use download::{
    DEFAULT_DOWNLOAD_LIMIT_BYTES, DEFAULT_DOWNLOAD_TIMEOUT, Download, DownloadStatement, SaveError,
};
pub use error::{ApiError, DecodeError, Error};
pub use generated::{Client, builder, types};
pub use ids::InvalidId;
pub use key::ApiKey;
pub use link::{DownloadUrl, InvalidDownloadUrl};
pub use money::{InvalidMoney, Money};
pub use reqwest::{self, StatusCode};
pub use response::Response;
pub use rust_decimal::Decimal;
pub use timestamp::{InvalidTimestamp, Timestamp};
