//! A commission statement as a PDF: `data → layout → render`, through [`Typesetter`]. It reads no
//! clock, no network and no random numbers: the same statement, fonts and version give the same
//! bytes.
//!
//! | module | owns |
//! |---|---|
//! | `data` | what a statement prints |
//! | `colour`, `logo` | the parts of a template that are validated |
//! | `fonts` | the typefaces, embedded and installed |
//! | `text` | shaping, direction, line breaks |
//! | `layout` | pages of positioned elements; pure, tested as text |
//! | `render` | a layout to the bytes of a PDF; only this module uses printpdf and lopdf |
//! | `deflate` | how streams are deflated |
//! | `typesetter` | all of it in order |

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

pub use colour::Colour;
pub use data::{Issuer, LINES_LIMIT, Line, Statement, Template};
pub use fonts::{FontSource, FontsError};
pub use layout::LayoutError;
pub use logo::{Logo, LogoError};
pub use render::RenderError;
pub use typesetter::{TypesetError, Typesetter};
