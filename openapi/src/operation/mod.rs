//! Operations as plain data, references resolved. Schemas stay pointers, so that each keeps its
//! place.

mod model;
mod parts;
mod read;
mod resources;
mod status;

pub use model::{
    Header, Idempotency, Location, MediaType, Method, Operation, Parameter, RequestBody,
    ResourceReference, Response, SecurityRequirement,
};
pub(crate) use read::{read, read_unrouted};
pub use status::Status;
