//! The part of a generated client that is the same for every document. Macros define types of
//! texts, open sets and alternatives; `rules` checks values before they are sent, `request` writes
//! requests, and [`Success`] reads responses.
//!
//! [`Connection`] and [`Error`] make a plain client. A package with its own, `by-hand = true` in
//! `contract.toml`, makes them of [`Error`] and [`Response`].

#![warn(missing_docs)]

#[doc(hidden)]
pub mod alternatives;
mod change;
mod connection;
mod error;
mod invalid;
mod multipart;
mod open_object;
mod open_sets;
mod operation;
#[doc(hidden)]
pub mod request;
mod response;
#[doc(hidden)]
pub mod rules;
mod texts;
mod violation;
mod visible;

pub use self::{
    change::Change,
    connection::{Connection, DEFAULT_BODY_LIMIT_BYTES, DEFAULT_TIMEOUT},
    error::{DecodeError, Error, ErrorResponse, listed},
    invalid::InvalidValue,
    multipart::File,
    open_object::UnknownFields,
    operation::Idempotency,
    request::Unsent,
    response::{Response, Success},
    violation::{Location, Violation, ViolationCode},
    visible::{Visible, excerpt, is_invisible, with_causes},
};
pub use bytes::Bytes;
#[doc(hidden)]
pub use regress;
pub use reqwest::{self, StatusCode};
