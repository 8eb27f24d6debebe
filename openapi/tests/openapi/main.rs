//! The tests of the crate, in one binary, so that it links once.

mod json;
mod null;
mod operations;
mod our_document;
mod rejected;
mod released;
mod schemas;
mod support;
mod version_3_1;
mod violations;
mod yaml;
