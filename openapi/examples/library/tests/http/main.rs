//! Starts the server on a free port, sends requests over HTTP, and validates every response by the
//! document.

mod client;
mod document;
mod readme;
mod rejected;
mod server;
mod successes;
