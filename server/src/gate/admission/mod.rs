//! Admission: in one durable step, is the key valid, has its organisation room in this minute, may the key, is a credit
//! left this month — each answer telling its own place in one serial order (A2, A4, A6–A8).
//!
//! It refuses to decide anything from memory: a revocation holds from its commit on, on every replica.
//!
//! | file | owns |
//! |---|---|
//! | [`verdict`] | what is asked, and what is said of it |
//! | [`admit`] | who admits, and how that fails |
//! | [`batched`] | admission by batches: what the server does |
//! | `grants` | a batch's grants, handed out in one serial order |
//! | [`flusher`] | when a verdict may be told: once no crash can forget it |
//! | `measures` | the size of batches, the time of flushes |
//! | `store` | the statements |

pub mod admit;
pub mod batched;
pub mod flusher;
mod grants;
mod measures;
mod store;
pub mod verdict;

pub use admit::{AdmissionError, Admitted};
pub use batched::{AdmissionOptions, BatchedAdmission};
pub use flusher::Durability;
pub use verdict::{Admission, AdmissionRequest, Allowance, Charge, InactiveKey, Outcome, Verdict};
