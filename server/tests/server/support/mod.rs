//! What every test shares: a server with a database of its own, and requests that read like the
//! API. The database's clock stays at [`NOON`] until a test moves it.

mod connection;
pub(crate) mod dataset;
mod exchange;
pub(crate) mod log;
pub(crate) mod operator;
mod random;
pub(crate) mod raw;
mod server;
mod snapshot;

pub(crate) use self::{
    connection::Connection,
    exchange::{TestRequest, TestResponse},
    random::Random,
    server::{Key, NOON, Replica, TestServer},
    snapshot::snapshot,
};
