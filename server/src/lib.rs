//! The reference server of the Partner and Commission Payout API.
//!
//! [`http`] reads a request, [`contract`] finds its operation and checks its form, [`gate`] admits
//! it, and [`contract`] routes it to the handlers of [`partners`], [`commission_lines`],
//! [`payouts`] or [`statements`], which reach their tables through a [`tenant`] transaction. See
//! also `README.md`.

pub mod app;
pub mod batch_loader;
pub mod batcher;
pub mod cli;
pub mod commission_lines;
pub mod config;
pub mod contract;
pub mod cursor;
pub mod failure;
pub mod gate;
pub mod history;
pub mod http;
pub mod id;
pub mod import;
pub mod keys;
pub mod metrics;
mod mutants;
pub mod organizations;
pub mod page;
pub mod partners;
pub mod payouts;
pub mod persistent_connection;
pub mod sets;
pub mod statements;
pub mod telemetry;
pub mod tenant;
