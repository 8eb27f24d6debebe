//! The command line as a black box: real commands against a real database, one per test.
//!
//! It refuses to call the library: what is tested is what an operator types.

mod demo;
mod import;
mod keys;
mod organizations;
mod payouts;
mod seed;
mod serve;
mod statements;
mod support;
