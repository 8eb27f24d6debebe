//! Every rule of the specification and the decisions that touches the six operations, over HTTP against a real server
//! with a database of its own.

#![allow(unreachable_pub, reason = "nothing is outside of a test binary")]
mod support;

mod client_examples;
mod get_payout;
