//! A layout to the bytes of a PDF. No type of printpdf or lopdf leaves this folder.
//!
//! | module | owns |
//! |---|---|
//! | [`document`] | [`render`]: pages and their operations, by printpdf |
//! | [`pen`] | runs of glyphs to text operations |
//! | [`usage`] | which glyphs a document uses, and which text each of them represents |
//! | [`picture`] | glyphs that are drawn, because a code cannot represent their text |
//! | [`subset`] | subsets of fonts |
//! | [`resources`] | fonts as objects of the PDF |
//! | [`finish`] | metadata, compression, the document's id, by lopdf |

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
