//! Requests in flight, in all and for each organisation: who is beyond waits for a moment, and then is sent away, charged
//! nothing.
//!
//! It refuses to know who may pass: whom a request counts for decides fairness alone, and admission decides the rest.
//!
//! | file | owns |
//! |---|---|
//! | `entry` | a request's way in, its wait and its way out |
//! | `places` | who is next, as a pure state machine |

mod entry;
mod places;

pub use entry::{
    InFlight, InFlightLimits, KEYS_LIMIT, Owner, Place, QUEUE_LIMIT,
    SPECULATIVE_READ_MAX_IN_FLIGHT, Shed,
};
