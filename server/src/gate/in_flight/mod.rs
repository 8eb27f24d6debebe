//! Limits the requests in flight, in all and per organisation. Requests over the limit wait
//! briefly, then get a 503 and are not charged.

mod fair_queue;
mod limiter;

pub(crate) use limiter::Owner;
pub(super) use limiter::{InFlightLimiter, Permit};
pub use limiter::{InFlightLimits, QUEUE_LIMIT};
