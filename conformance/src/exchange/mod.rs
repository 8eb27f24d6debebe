//! Exchanges: one request and its response, as they travel.
//!
//! It refuses to mend what a case sends: a broken path, a header twice, a body of no form leave as they are written.
//!
//! | file | owns |
//! |---|---|
//! | [`request`] | what is asked |
//! | [`response`] | what came |
//! | [`client`] | the way to the deployment |
//! | [`trust`] | certificates to be trusted besides the system's |
//! | [`curl`] | a request as a command line |

pub mod client;
pub mod curl;
pub mod request;
pub mod response;
pub mod trust;

pub use client::{Client, ClientError};
pub use request::{Key, Request};
pub use response::Response;
