//! Statements: the PDF of a payout, made once for each state of what it prints, stored, and linked
//! to (§2.4, §4.7). One state has one document, however many servers render it.
//!
//! | module | owns |
//! |---|---|
//! | [`handlers`] | the operation |
//! | [`generate`] | its steps, from a payout's id to a link |
//! | `making` | from what is printed to an asset; damaged ones again |
//! | `render_queue` | how many statements are made at once |
//! | [`model`], [`store`] | what is known of a statement and what it prints, from the tables |
//! | [`fingerprint`] | what makes two statements the same |
//! | `document_input` | from what was read to what is printed |
//! | [`template`] | an organisation's title, colour, footer and logo |
//! | [`assets`] | the rows of stored PDFs; their verification; the sweep after a crash |
//! | [`upload`] | a PDF that an operator uploads |
//! | [`storage`] | where PDFs are stored: a directory, or S3 |
//! | [`links`] | download URLs: signing, verifying, answering |
//! | [`options`] | the flags |

pub mod assets;
mod document_input;
pub mod fingerprint;
pub mod generate;
pub mod handlers;
pub mod links;
pub(crate) mod making;
pub mod model;
pub mod options;
mod render_queue;
pub mod storage;
pub mod store;
pub mod template;
pub mod upload;

pub use generate::Statements;
pub use options::StatementOptions;
