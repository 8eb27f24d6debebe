//! Decides in one durable step whether the key is valid, its organisation has a request left this
//! minute, the key has the scope, and a credit is left this month. Each response reports its own
//! position in one serial order (A2, A4, A6–A8). Nothing is decided from memory, so a revocation
//! holds on every replica from its commit on.
//!
//! | file | owns |
//! |---|---|
//! | `verdict` | the request for admission, and the verdict on it |
//! | `error` | the errors of admission |
//! | `batched` | admission by batches, as the gate calls it |
//! | `lanes` | the decision on one batch of requests |
//! | `refunds` | refunds, and those that wait for the database |
//! | `statement_runner` | one statement, with retries of lost races |
//! | `grants` | a batch's grants, distributed to its requests |
//! | `flusher` | the flushes that make verdicts durable |
//! | `metrics` | size of batches, time of flushes |
//! | `store` | the statements |

mod batched;
mod error;
mod flusher;
mod grants;
mod lanes;
mod metrics;
mod refunds;
mod statement_runner;
mod store;
mod verdict;

pub use batched::{AdmissionOptions, Admitted, BatchedAdmission};
pub use error::AdmissionError;
pub use flusher::Durability;
pub use refunds::RefundError;
pub use verdict::{Admission, AdmissionRequest, Allowance, Charge, InactiveKey, Outcome, Verdict};
