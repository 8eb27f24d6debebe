//! The testkit: what its server answers, and what its walks report.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod server;
mod surprises;
mod walks;
