//! Text: cleaned, shaped, ordered, broken into lines. Lengths are thousandths of an em, or of a point
//! where a size is given.
//!
//! | module | owns |
//! |---|---|
//! | [`clean`] | which characters of foreign text are printed |
//! | [`run`] | shaped glyphs with the text they represent |
//! | [`shaper`] | characters to glyphs, each word once in a document |
//! | [`figure`] | amounts, in digits of one width |
//! | [`shape_cache`] | shaped words that documents share |
//! | [`lines`] | a paragraph to lines of a width, in both directions |

pub(crate) mod clean;
mod figure;
mod lines;
mod run;
mod shape_cache;
mod shaper;

pub(crate) use figure::shape_figure;
pub(crate) use lines::{TextLine, break_lines};
pub(crate) use run::{Glyph, Run, Shape, Span};
pub(crate) use shape_cache::ShapeCache;
pub(crate) use shaper::Shaper;
