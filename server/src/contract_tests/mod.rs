//! The contract against the document and the framework: what one accepts, the others accept.

mod bodies;
mod handlers;
mod queries;
mod responses;
mod routing;
mod rules;
mod validation;
