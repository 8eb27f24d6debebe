//! Statements: how a PDF is made, kept and linked to.
//!
//! It refuses to know of a payout: which statement is made when comes with the operation.
//!
//! | room | owns |
//! |---|---|
//! | [`document`] | what is printed → pages → PDF |
//! | [`storage`] | where PDFs are kept: a directory, or S3 |
//! | [`links`] | who may download one, until when, and under which name |

pub mod document;
pub mod links;
pub mod storage;
