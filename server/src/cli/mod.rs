//! The command line: `payout-server serve`, and the operator's other commands. They use models and
//! stores, never routes.

pub(crate) mod affiliate;
pub(crate) mod arguments;
pub(crate) mod assets;
pub(crate) mod commission_lines;
pub(crate) mod credits;
pub(crate) mod crm;
pub(crate) mod database;
pub(crate) mod error;
pub(crate) mod forms;
pub(crate) mod idempotency;
pub(crate) mod keys;
pub(crate) mod migrate;
pub(crate) mod moves;
pub(crate) mod organizations;
pub(crate) mod output;
pub(crate) mod payouts;
pub(crate) mod portal;
pub(crate) mod ready;
pub(crate) mod serve;
pub(crate) mod statements;
pub(crate) mod template;
pub(crate) mod values;

pub use arguments::{program, run};
