//! The contract against the document and the framework: what one accepts, the others accept.
//!
//! These tests refuse to trust the generator: each claim is held against `payout-openapi` or the framework itself.

mod answers;
mod bodies;
mod forms;
mod handlers;
mod queries;
mod routing;
