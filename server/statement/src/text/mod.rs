//! Text: cleaned, shaped, ordered, broken into lines. Lengths are thousandths of an em, or of a
//! point where a size is given.

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
