//! The only way to rows. [`Tenants`] opens one organisation's transactions, [`BatchLoader`] reads
//! single rows for several organisations at once; both use connections that are reused.

pub mod amount;
mod batch_loader;
mod batcher;
mod connections;
mod error;
mod persistent_connection;
mod tenant;

pub use amount::Amount;
pub(crate) use batch_loader::select_lookups;
pub use batch_loader::{BatchLoader, Lookup, PointRead};
pub(crate) use batcher::{BatchLost, Batcher, Worker};
pub(crate) use connections::Connections;
pub use error::BatchReadError;
pub(crate) use error::{is_lost_race, is_unavailable};
pub(crate) use persistent_connection::{
    POINT_LOOKUP_SETTINGS, PersistentConnection, connect_timed_out,
};
pub(crate) use tenant::BorrowedTransaction;
pub use tenant::{
    BatchConnection, BatchReader, LIST_SETTINGS, SingleStatement, TenantTransaction, Tenants,
};
