//! Seeded faults of the Partner and Commission Payout API, as a reverse proxy: in front of a sound
//! deployment it shows exactly one fault.
//!
//! The conformance suite is proved by them: a suite that can be trusted notices each one. Without a
//! fault the proxy passes on every request and response unchanged.
//!
//! | module | contents |
//! |---|---|
//! | `catalogue` | the faults by hand, by subject |
//! | `derived` | the faults that the document carries |
//! | `effects` | what each operation changes |
//! | `fault` | what a fault is |
//! | `pdf` | the texts of a PDF, and one of them replaced |
//! | `message` | requests and responses, and what faults do to them |
//! | `upstream` | the deployment behind the proxy: sending, keys, memory |
//! | `proxy` | the listener |

// A closed output, as after `| head`, must not end a program with a panic: `anstream` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod catalogue;
pub mod cli;
mod derived;
mod effects;
mod fault;
mod keys;
mod message;
mod operations;
mod pdf;
mod proxy;
mod transport;
mod upstream;

pub use catalogue::{find, find_shown, list, variations};
pub use derived::{
    Check, NO_IDS, UNKNOWN_NAME, code_name, field_of_items, is_opaque, kebab, pairs, scopes,
    state_codes, undocumented_methods, wrong_method,
};
pub use effects::{Thing, changes, shown_as};
pub use fault::Fault;
pub use keys::Keys;
pub use operations::{DOCUMENT, matches};
pub use proxy::{ORIGIN_HEADER, Proxy};
pub use transport::{Pool, connect};
