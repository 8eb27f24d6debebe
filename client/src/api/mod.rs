//! The calls of the API: what the generator makes of the document, and what it needs and what needs
//! it. Its modules know each other; the rest of the crate is below or above all of them.

pub(crate) mod call;
mod download;
mod error;
pub(crate) mod error_response;
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    reason = "generated code: its module is private, and its style is the generator's"
)]
mod generated;
mod ids;
pub(crate) mod key;
mod middleware;
pub(crate) mod pages;
pub(crate) mod response;
pub(crate) mod retry;
pub(crate) mod settings;
pub(crate) mod trace;

pub use self::{
    download::{Download, DownloadStatement, SaveError},
    error::{DecodeError, Error},
    error_response::ErrorResponse,
    generated::{Client, Details, ErrorCode, Operation, builder as calls, types},
    key::ApiKey,
    middleware::{Middleware, Next},
    pages::{Items, Pages},
    response::Response,
    retry::RetryPolicy,
    trace::{InvalidTraceContext, TraceContext},
};
