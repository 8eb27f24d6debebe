//! The typefaces: four embedded ones, and for everything else those of the system or of one folder. The
//! choice does not depend on the order in which a folder lists its files.
//!
//! | module | owns |
//! |---|---|
//! | [`catalogue`] | [`Fonts`]: all faces behind one id, and which face draws a character |
//! | [`embedded`] | Noto Sans and Noto Sans Arabic, regular and bold (OFL, `files/OFL.txt`) |
//! | [`installed`] | the index of other fonts, their order of preference, their coverage |
//! | [`metrics`] | what a PDF must know of a face |

mod catalogue;
mod embedded;
mod installed;
mod metrics;

pub(crate) use catalogue::{FaceId, Fonts, HanVariant, Weight};
pub use catalogue::{FontSource, FontsError};
pub(crate) use metrics::Metrics;
