//! Statements (§2.4, §3.2, §4.7): one document for one state, another where one of the four triggers changed, and a
//! person's own PDF untouched.
//!
//! It refuses to take an response's word: every document is downloaded and compared to its last byte.
//!
//! | file | owns |
//! |---|---|
//! | [`result`] | the response, and what repeated and concurrent requests have in common |
//! | [`refused`] | statements that are not made, and in which order that is found |
//! | [`triggers`] | what rebuilds a document, and what does not |
//! | [`uploads`] | PDFs that a person uploaded |
//! | [`printed`] | what stands in the PDF |

mod printed;
mod refused;
mod result;
mod triggers;
mod uploads;

use crate::case::Case;

/// The cases, by file.
pub(super) const CASES: [&[Case]; 5] = [
    result::CASES,
    refused::CASES,
    triggers::CASES,
    uploads::CASES,
    printed::CASES,
];
