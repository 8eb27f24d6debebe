//! The testkit: what its server answers, and what its walks report.

mod server;
mod surprises;
mod walks;
