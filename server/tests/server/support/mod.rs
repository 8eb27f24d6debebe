//! What every test shares: a server with a database of its own, and requests that read like the
//! API. The database's clock stays at [`NOON`] until a test moves it.

mod chance;
mod connection;
pub(crate) mod dataset;
mod exchange;
pub(crate) mod operator;
pub(crate) mod raw;
mod server;
mod snapshot;

pub(crate) use self::{
    chance::Chance,
    connection::Connection,
    exchange::{Answer, Ask},
    server::{Key, NOON, Replica, TestServer},
    snapshot::snapshot,
};
