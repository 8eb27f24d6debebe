//! Admits requests by key, minute, scope, form and credit, in the order that [`pipeline`] defines.
//! It knows operations, scopes and forms, and no resource.
//!
//! | file | owns |
//! |---|---|
//! | [`pipeline`] | the order of the checks |
//! | `handling` | the operation within its time limit |
//! | `speculation` | reads that start during the admission |
//! | `run_to_completion` | work that is finished although its client left |
//! | [`body`] | reading the body, within its limits |
//! | `validation` | the request's form, as `contract` decodes it, and its version |
//! | [`versions`] | the version of a request, and the headers of one that will end |
//! | `key` | the API key: form, hash, generation |
//! | `caller` | the caller, as handlers see it |
//! | [`idempotency`] | the first response to an idempotency key, stored and repeated |
//! | [`admission`] | the durable step that counts and charges |
//! | `anonymous` | the rate limit of requests without a valid key, by client |
//! | [`in_flight`] | the limit of concurrent requests |
//! | `headers`, `errors`, `responses` | the gate's own responses, and the headers on all of them |

pub mod admission;
mod anonymous;
pub mod body;
mod caller;
mod errors;
mod handling;
mod headers;
pub mod idempotency;
pub mod in_flight;
mod key;
pub mod pipeline;
mod responses;
mod run_to_completion;
mod speculation;
mod validation;
pub mod versions;

pub(crate) use anonymous::{AnonymousLimit, rate_limit_key};
pub use caller::Caller;
pub use handling::Handler;
pub use key::{ApiKey, Cell, Environment, KeyHash, KeyPrefix};
pub use pipeline::{Gate, GateOptions};
pub(crate) use run_to_completion::message as panic_message;
