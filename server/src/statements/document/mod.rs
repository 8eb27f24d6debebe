//! The statement as a PDF: `data → layout → render`, behind one door, [`Typesetter`].
//!
//! | room or file | owns |
//! |---|---|
//! | `data` | what a statement prints |
//! | `colour`, `logo` | the parts of a template that can be wrong |
//! | `fonts` | the typefaces, embedded and installed |
//! | `text` | shaping, direction, line breaks |
//! | [`layout`] | pages of positioned elements; pure, tested as text |
//! | `render` | a layout to the bytes of a PDF; the only place that knows printpdf |
//! | `deflate` | how streams are deflated |
//! | `typesetter` | all of it in order |
//!
//! It refuses a clock, a network and a random number: the same statement, fonts and version give the same bytes.

mod colour;
mod data;
mod deflate;
#[cfg(test)]
mod fixtures;
mod fonts;
mod layout;
mod logo;
mod render;
#[cfg(test)]
mod tests;
mod text;
mod typesetter;

pub use colour::{Colour, ColourError};
pub use data::{
    DEFAULT_ACCENT_COLOUR, DEFAULT_TITLE, Issuer, LINES_LIMIT, Line, Statement, Template,
};
pub use fonts::{FontSource, Fonts, FontsError};
pub use layout::{Layout, LayoutError, layout};
pub use logo::{LOGO_FILE_BYTES_LIMIT, LOGO_SIDE_PIXELS_LIMIT, Logo, LogoError};
pub use render::RenderError;
pub use text::ShapeCache;
pub use typesetter::{TypesetError, Typesetter};
