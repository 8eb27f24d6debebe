//! A stub server with prepared responses shows what the client sends, and how it reads responses.

#![allow(
    clippy::unwrap_used,
    reason = "clippy's exception for tests leaves out the functions beside them"
)]

mod blocking;
mod downloads;
mod errors;
mod links;
mod middleware;
mod pages;
mod requests;
mod responses;
mod retries;
mod saved_files;
mod settings;
mod stub;
mod traces;
mod transport;
