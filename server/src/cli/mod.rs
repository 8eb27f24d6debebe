//! The command line: `payout-server serve`, and everything an operator does around it.
//!
//! It refuses to route a request: commands use models and stores, and only `serve` and `demo` start the HTTP server.
//!
//! | file | commands |
//! |---|---|
//! | [`serve`], [`migrate`] | `serve`, `migrate` |
//! | [`organizations`], [`template`], [`keys`], [`payouts`], [`statements`], [`assets`] | what their names say |
//! | [`import`], [`seed`] | `import`, `seed` |
//! | `target` | what `seed` tells the conformance suite |
//! | [`demo`] | `demo`, its tour of real calls |
//! | [`arguments`] | the whole command line |
//! | [`values`] | the forms of flags' values |
//! | [`database`] | which database a command works on |
//! | [`error`], [`output`] | what a person sees |

pub mod arguments;
pub mod assets;
pub mod database;
pub mod demo;
pub mod error;
pub mod import;
pub mod key_file;
pub mod keys;
pub mod migrate;
pub mod organizations;
pub mod output;
pub mod payouts;
pub mod seed;
pub mod serve;
pub mod statements;
mod target;
pub mod template;
pub mod values;

pub use arguments::run;
