#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any_request;
mod blocking;
mod build_error;
mod builder;
mod call;
mod change;
mod details;
mod download;
mod error;
mod error_response;
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    reason = "generated code: its module is private, and its style is the generator's"
)]
mod generated;
#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/from-curl.md")]
pub mod guide {}
mod ids;
mod invalid;
mod key;
mod link;
mod meters;
mod middleware;
mod money;
mod open_object;
mod open_sets;
mod operation;
mod pace;
mod pages;
mod request;
mod response;
mod retry;
mod rules;
mod settings;
#[cfg(feature = "testkit")]
pub mod testkit;
mod texts;
mod timestamp;
mod tls;
#[cfg(feature = "opentelemetry")]
mod trace;
mod transport;
mod transport_error;
mod visible;

pub use any_request::AnyRequest;
pub use blocking::Blocking;
pub use build_error::BuildError;
pub use builder::ClientBuilder;
pub use bytes::Bytes;
pub use change::Change;
pub use chrono::{DateTime, Utc};
pub use download::{Download, DownloadStatement, SaveError};
pub use error::{DecodeError, Error};
pub use error_response::ErrorResponse;
pub use futures_util::future::BoxFuture;
pub use generated::{Client, Details, ErrorCode, Operation, builder as calls, types};
pub use invalid::InvalidValue;
pub use key::ApiKey;
pub use link::DownloadUrl;
pub use meters::{Meter, Meters};
pub use middleware::{Middleware, Next};
pub use money::Money;
pub use open_object::UnknownFields;
pub use operation::Idempotency;
pub use pages::{Items, Pages};

pub use reqwest::{self, StatusCode};
pub use response::Response;
pub use retry::RetryPolicy;
pub use rust_decimal::Decimal;
pub use rustls;
pub use timestamp::Timestamp;
pub use transport_error::TransportError;
