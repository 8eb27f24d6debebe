//! Operations as plain data: everything a gate, a generator or a test wants to know about one.
//!
//! References are resolved here once; schemas stay pointers, so that each keeps its place. It
//! refuses two operations of one id.

mod model;
mod parts;
mod read;
mod status;

pub use model::{Header, Location, MediaType, Method, Operation, Parameter, RequestBody, Response};
pub(crate) use read::{read, read_unrouted};
pub use status::Status;
