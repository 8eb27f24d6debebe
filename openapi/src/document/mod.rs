//! A whole OpenAPI 3.0 document: loading it, and every reason to refuse one.
//!
//! Loading goes one way: text → value with places ([`crate::source`]) → the version → the typed
//! reading (`diagnosis`) → references (`references`) → schemas (`schemas`) → operations. It
//! refuses to hand out a document that failed any of these.

mod load;
mod references;
mod schemas;
mod typed;

pub use load::Document;
