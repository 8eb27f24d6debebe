//! Statements: the PDF of a payout, made once for each state of what it prints, kept, and linked to (§2.4, §4.7).
//!
//! It refuses two documents for one state, over however many servers.
//!
//! | room or file | owns |
//! |---|---|
//! | [`handlers`] | the operation |
//! | [`generate`] | its steps, from a payout's id to an asset |
//! | [`model`], [`store`] | what is known of a statement, and what it prints; read from the tables |
//! | [`fingerprint`] | what makes two statements the same |
//! | `render_queue` | how many are made at once, of all, of one organisation, of each payout |
//! | [`printed`] | from what was read to what is printed |
//! | [`document`] | what is printed → pages → PDF |
//! | [`template`] | what an organisation's statements look like |
//! | [`assets`] | the rows of PDFs that are kept; sweeping what crashes left |
//! | [`upload`] | a person's own PDF |
//! | [`storage`] | where PDFs are kept: a directory, or S3 |
//! | [`links`] | who may download one, until when, and under which name |
//! | [`options`] | the flags |

pub mod assets;
pub mod document;
pub mod fingerprint;
pub mod generate;
pub mod handlers;
pub mod links;
pub mod model;
pub mod options;
pub mod printed;
pub(crate) mod render_queue;
pub mod storage;
pub mod store;
pub mod template;
pub mod upload;

pub use generate::Statements;
pub use options::StatementOptions;
