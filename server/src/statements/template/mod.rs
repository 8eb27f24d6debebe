//! What an organisation's statements look like: title, accent colour, footer, logo (S4).
//!
//! It refuses anything that could execute: texts, a colour and pixels are all there is.
//!
//! | file | owns |
//! |---|---|
//! | [`model`] | the template, and the bounds of its parts |
//! | [`store`] | its row |

pub mod model;
pub mod store;

pub use model::{Change, Template};
