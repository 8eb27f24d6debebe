//! What every test stands on: a server with a database of its own, and requests that read like the API.

mod exchange;
mod server;

pub(crate) use self::{
    exchange::{Answer, Ask},
    server::{Key, TestServer},
};
