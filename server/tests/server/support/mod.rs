//! Starts a server with a database of its own, and sends requests that read like the API. The
//! database's clock stands at noon of 15 June 2026 until a test moves it.

pub(crate) mod commission;
pub(crate) mod dataset;
mod exchange;
pub(crate) mod log;
pub(crate) mod operator;
pub(crate) mod raw;
mod server;

pub(crate) use self::{
    exchange::{TestRequest, TestResponse},
    server::{Key, Replica, TestServer},
};
