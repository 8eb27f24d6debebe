//! A layout to the bytes of a PDF.
//!
//! | file | owns |
//! |---|---|
//! | [`document`] | [`render`]: pages and their operations, by printpdf |
//! | [`pen`] | runs of glyphs to text operations |
//! | [`usage`] | which glyphs a document uses, and which text each of them stands for |
//! | [`picture`] | glyphs that are drawn, because a code cannot say their text |
//! | [`subset`] | subsets of fonts |
//! | [`resources`] | fonts as objects of the PDF |
//! | [`finish`] | metadata, compression, the document's id, by lopdf |
//!
//! It refuses to let printpdf or lopdf out: nothing of theirs stands in a signature that leaves this folder.

mod document;
mod finish;
mod pen;
mod picture;

mod resources;
mod subset;
mod usage;

pub use document::RenderError;
pub(crate) use document::render;
pub(crate) use subset::SubsetCache;
