//! The tests of the crate, in one binary, so that it links once.

mod files;
mod null;
mod operations;
mod our_document;
mod read;
mod rejected;
mod released;
mod schemas;
mod support;
mod violations;
