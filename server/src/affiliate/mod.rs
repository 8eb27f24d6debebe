//! Affiliate links, clicks on them, and the conversions that clicks become (X18–X20). A conversion
//! makes a commission line, which is expected until the link's hold is over.
//!
//! | module | owns |
//! |---|---|
//! | [`handlers`] | the operations: record, list and reverse conversions |
//! | [`model`] | what a link pays, and why a conversion is ignored |
//! | `store` | conversions in Postgres; which of two is the first is decided there |
//! | [`operator`] | what operators do with links |
//! | [`redirect`] | `GET /r/{code}`: the click, and the way to the link's target |

pub mod handlers;
pub mod model;
pub mod operator;
pub mod redirect;
mod store;

pub use handlers::Affiliate;
pub use redirect::Redirects;
