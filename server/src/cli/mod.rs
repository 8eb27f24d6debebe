//! The command line: `payout-server serve`, and the operator's other commands. They use models and
//! stores, never routes.
//!
//! | file | commands |
//! |---|---|
//! | [`serve`], [`migrate`] | `serve`, `migrate` |
//! | [`organizations`], [`template`], [`keys`], [`payouts`], [`statements`], [`assets`] | what their names say |
//! | [`arguments`] | the whole command line |
//! | [`values`] | parsers of flags' values |
//! | [`database`] | the database of a command |
//! | [`error`], [`output`] | messages, tables and JSON |

pub mod arguments;
pub mod assets;
pub mod database;
pub mod error;
pub mod keys;
pub mod migrate;
pub mod organizations;
pub mod output;
pub mod payouts;
pub mod serve;
pub mod statements;
pub mod template;
pub mod values;

pub use arguments::run;
