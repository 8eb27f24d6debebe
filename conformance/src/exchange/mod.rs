//! Exchanges: one request and its answer, as they travel.
//!
//! It refuses to mend what a case sends: a broken path, a header twice, a body of no form leave as they are written.
//!
//! | file | owns |
//! |---|---|
//! | [`call`] | what is asked |
//! | [`answer`] | what came |
//! | [`client`] | the way to the deployment |
//! | [`trust`] | certificates to be trusted besides the system's |
//! | [`curl`] | a call as a command line |

pub mod answer;
pub mod call;
pub mod client;
pub mod curl;
pub mod trust;

pub use answer::Answer;
pub use call::{Call, Key};
pub use client::{Client, ClientError};
