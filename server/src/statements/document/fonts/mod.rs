//! The typefaces: four embedded ones, and those of the system or of one folder for everything else.
//!
//! | file | owns |
//! |---|---|
//! | [`catalogue`] | [`Fonts`]: all faces behind one id, and which face draws a character |
//! | [`embedded`] | Noto Sans and Noto Sans Arabic, regular and bold (OFL, `files/OFL.txt`) |
//! | [`installed`] | the index of other fonts, their order of preference, their coverage |
//! | [`metrics`] | what a PDF must know of a face |
//!
//! It refuses to depend on the order in which a folder lists its files: the same fonts give the same choice.

mod catalogue;
mod embedded;
mod installed;
mod metrics;

pub(crate) use catalogue::{FaceId, HanVariant, Weight};
pub use catalogue::{FontSource, Fonts, FontsError};
pub(crate) use metrics::Metrics;
