//! Text: cleaned, shaped, ordered, broken into lines.
//!
//! | file | owns |
//! |---|---|
//! | [`clean`] | which characters of foreign text may be printed |
//! | [`run`] | shaped glyphs with the text they stand for |
//! | [`shaper`] | characters to glyphs, each word once in a document |
//! | [`figure`] | amounts, in digits of one width |
//! | [`shape_cache`] | words that documents share |
//! | [`lines`] | a paragraph to lines of a width, in both directions |
//!
//! It refuses to know a page: all lengths are thousandths of an em, or of a point where a size is given.

pub(crate) mod clean;
mod figure;
mod lines;
mod run;
mod shaper;
mod shape_cache;

pub(crate) use figure::shape_figure;
pub(crate) use lines::{TextLine, break_lines};
pub(crate) use run::{Glyph, Run, Shape, Span};
pub(crate) use shaper::Shaper;
pub use shape_cache::ShapeCache;
