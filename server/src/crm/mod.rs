//! Syncs with an organisation's CRM (X21): a request queues a sync, and the workers of all servers
//! read its object and replace the properties of its partners. No request waits for a CRM, and
//! nobody who waits for one holds a connection to the database.
//!
//! | module | owns |
//! |---|---|
//! | [`handlers`] | the operations |
//! | [`model`] | syncs, their tries, pauses and failures; pure |
//! | `store` | syncs and the queue in the tables |
//! | `worker` | which sync is run when |
//! | [`hubspot`] | the request to a CRM, and what its answer means |
//! | [`address`] | the addresses that a CRM may have |
//! | [`token`] | tokens, sealed for the database |
//! | [`operator`] | connections, which operators make and end |
//! | [`options`] | the flags |

pub mod address;
pub mod handlers;
pub mod hubspot;
mod metrics;
pub mod model;
pub mod operator;
pub mod options;
mod store;
pub mod token;
mod worker;

pub use handlers::Crm;
pub(crate) use metrics::SyncMetrics;
pub use options::CrmOptions;
pub(crate) use worker::Worker;
