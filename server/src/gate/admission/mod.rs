//! Admission decides in one durable step: is the key valid, has its organisation a request left
//! this minute, has the key the scope, is a credit left this month. Each response reports its own
//! position in one serial order (A2, A4, A6–A8). Nothing is decided from memory, so a revocation
//! holds on every replica from its commit on.
//!
//! | file | owns |
//! |---|---|
//! | `verdict` | the request for admission, and the verdict on it |
//! | `error` | why admission fails |
//! | `batched` | admission by batches, as the gate calls it |
//! | `lanes` | what each batch of requests does |
//! | `refunds` | refunds, and those that wait for the database |
//! | `statement_runner` | one statement, with retries of lost races |
//! | `grants` | a batch's grants, distributed to its requests |
//! | `flusher` | when a verdict is durable |
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
