//! What the client puts on the wire and takes from it, against a server of a few lines that says what it is told to.
//!
//! It refuses to judge the real server: that is `conformance`'s business.

#![allow(
    clippy::unwrap_used,
    reason = "clippy's exception for tests leaves out the functions beside them"
)]

mod downloads;
mod errors;
mod requests;
mod responses;
mod saved_files;
mod stub;
