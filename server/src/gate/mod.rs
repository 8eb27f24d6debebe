//! Who may pass: key, minute, scope, form, credit, in the decided order, which stands in [`pipeline`] alone.
//!
//! It refuses to know any resource: it sees operations, scopes and forms.
//!
//! | file | owns |
//! |---|---|
//! | [`key`] | the API key: form, hash, making |
//! | [`caller`] | whom a handler serves |
//! | [`form`] | the request's form: version, cursor, parameters, body |
//! | [`admission`] | the one durable step that counts and charges |
//! | [`anonymous`] | the limit of requests without a valid key |
//! | [`in_flight`] | how many requests may be at work, and who waits |
//! | [`headers`] | what every answer says of the meters |
//! | `mutated` | with the feature `mutants`: requests and answers, broken |
//! | `refusals` | the gate's own answers |
//! | [`pipeline`] | the order |
//! | `handling` | the operation itself, within its time |
//! | `run_to_completion` | work that is finished, whoever stops waiting |

pub mod admission;
pub mod anonymous;
pub mod caller;
pub mod form;
mod handling;
pub mod headers;
pub mod in_flight;
pub mod key;
#[cfg(feature = "mutants")]
mod mutated;
pub mod pipeline;
mod refusals;
mod run_to_completion;

pub use caller::Caller;
pub use key::{ApiKey, Environment, KeyHash};
pub use pipeline::{Gate, GateOptions};
