//! Lists (§4.4, R7, R8): what a page costs at the beginning and at the end of a million lines.
//!
//! It refuses a cursor of its own making: the server's are followed to the end, as a client would.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@measure`] | the subject from build to report |
//! | [`walk`] | the way to the deep page |
//! | [`contest`] | the pages, beside OFFSET |
//! | [`present`] | table, goals, how to read them |

mod contest;
mod measure;
mod present;
mod walk;

pub(crate) use measure::measure;
