//! The typefaces: four embedded ones, and for everything else those of the system or of one folder.
//! The choice does not depend on the order in which a folder lists its files.

mod catalogue;
mod embedded;
mod installed;
mod metrics;
mod missing;

pub(crate) use catalogue::{FaceId, Fonts, HanVariant, Weight};
pub use catalogue::{FontSource, FontsError};
pub(crate) use metrics::Metrics;
