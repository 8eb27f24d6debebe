//! The only way to rows. [`Tenants`] opens one organisation's transactions, [`BatchLoader`] reads
//! single rows for several organisations at once; both use connections that are reused.

pub mod amount;
mod batch_loader;
mod batcher;
mod connections;
mod error;
mod tenant;

pub use amount::Amount;
pub(crate) use batch_loader::select_lookups;
pub use batch_loader::{BatchLoader, Lookup, PointRead};
pub(crate) use batcher::{BatchLost, Batcher, Worker};
pub use connections::{Connections, PooledConnection};
pub use error::BatchReadError;
pub(crate) use error::{
    RESPONSE_TIME_LIMIT, again_if_lost, in_time, is_lost_race, is_stopped, is_unavailable,
};
pub(crate) use tenant::{BorrowedTransaction, POINT_LOOKUP_SETTINGS, PORTAL_SETTINGS};
pub use tenant::{LIST_SETTINGS, SingleStatement, TenantTransaction, Tenants};
