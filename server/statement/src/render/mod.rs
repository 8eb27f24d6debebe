//! A layout to the bytes of a PDF. No type of printpdf or lopdf leaves this folder.

mod document;
mod finish;
mod marked_text;
mod pen;
mod picture;

mod resources;
mod subset;
mod usage;

pub use document::RenderError;
pub(crate) use document::render;
pub(crate) use subset::SubsetCache;
