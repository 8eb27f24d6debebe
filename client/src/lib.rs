#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any_request;
mod api;
mod blocking;
mod build_error;
mod builder;
mod details;
#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/from-curl.md")]
pub mod guide {}
mod link;
mod meters;
mod money;
mod pace;
#[cfg(feature = "testkit")]
pub mod testkit;
mod timestamp;
mod tls;
mod transport;
mod transport_error;

use api::{call, call::Connection, error_response, key, pages, response, retry, settings, trace};

pub use any_request::AnyRequest;
pub use api::{
    ApiKey, Client, DecodeError, Details, Download, DownloadStatement, Error, ErrorCode,
    ErrorResponse, InvalidTraceContext, Items, Middleware, Next, Operation, Pages, Response,
    RetryPolicy, SaveError, TraceContext, calls, types,
};
pub use blocking::Blocking;
pub use build_error::BuildError;
pub use builder::ClientBuilder;
pub use bytes::Bytes;
pub use chrono::{DateTime, Utc};
pub use futures_util::future::BoxFuture;
pub use link::DownloadUrl;
pub use meters::{Meter, Meters};
pub use money::Money;
#[doc(inline)]
pub use openapi_client::{Change, Idempotency, InvalidValue, UnknownFields};

pub use reqwest::{self, StatusCode};
pub use rust_decimal::Decimal;
pub use rustls;
pub use timestamp::Timestamp;
pub use transport_error::TransportError;
