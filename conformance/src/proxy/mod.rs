//! Seeded faults: a reverse proxy in front of a sound deployment that shows exactly one fault of
//! it. Without a fault it passes on every request and response unchanged.
//!
//! A fault may send further requests and remember earlier ones, but it harms nothing: where a
//! faulty deployment would detach a line of another organisation, the proxy only answers so.

mod edits;
pub(crate) mod fault;
pub(crate) mod filter;
mod listener;
pub(crate) mod prelude;
#[cfg(test)]
mod tests;
mod upstream;
mod variations;

pub(crate) use fault::Fault;
pub(crate) use listener::Proxy;
pub(crate) use payout_conformance_macros::fault;
pub(crate) use upstream::Upstream;
