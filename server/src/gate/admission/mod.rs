//! Decides in one durable step whether the key is valid, its organisation has a request left this
//! minute, the key has the scope, and a credit is left this month. Each response reports its own
//! position in one serial order (A2, A4, A6–A8). Nothing is decided from memory, so a revocation
//! holds on every replica from its commit on.

mod batched;
mod error;
mod flusher;
mod grants;
mod lanes;
mod refunds;
mod statement_runner;
mod store;
mod verdict;

pub use batched::{AdmissionOptions, Admitted, BatchedAdmission};
pub use error::AdmissionError;
pub use flusher::Durability;
pub use refunds::RefundError;
pub use verdict::{Admission, AdmissionRequest, Allowance, Charge, InactiveKey, Outcome, Verdict};
