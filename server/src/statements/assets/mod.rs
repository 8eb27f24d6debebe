//! PDFs that are kept: their rows, and what a crash left beside them.
//!
//! It refuses an asset whose object is not whole.
//!
//! | file | owns |
//! |---|---|
//! | [`model`] | an asset, an attempt to make one, and how it ended |
//! | [`store`] | the rows |
//! | [`sweep`] | objects and notes without an asset |

pub mod model;
pub mod store;
pub mod sweep;

pub use model::{Asset, Attempt, Kept, Outcome};
