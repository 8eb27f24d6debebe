// Written once by `contract skeleton` from openapi/api.yaml.
//! A client of the document. Make a `Connection` with the server's address and your key, and a
//! `Client` with it; each operation is a method. `Error` says why a call gave no result.

#[allow(clippy::all, dead_code, unused_imports, reason = "generated code")]
mod generated;

pub use generated::*;
pub use openapi_client::{
    Bytes, Change, Connection, DecodeError, Error, ErrorResponse, File, Idempotency, InvalidValue,
    Response, StatusCode, UnknownFields, Violation,
};
