//! A server in this process that answers as the document says, for the tests of code that uses this
//! client. The feature `testkit`, which tests alone need:
//!
//! ```toml
//! [dev-dependencies]
//! payout-client = { path = "…/client", features = ["testkit"] }
//! ```
//!
//! # One answer
//!
//! A [`Server`] succeeds with the document's own examples, and records what it was sent. A script
//! gives one operation other answers:
//!
//! ```
//! use payout_client::{ErrorCode, Operation, testkit::{Answer, Server}};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let server = Server::start().await;
//! let missing = Answer::error(Operation::GetPayout, 404, ErrorCode::NotFound);
//! server.script(Operation::GetPayout, [missing]);
//! let client = server.client();
//!
//! let error = client.get_payout("pay_1").send().await.unwrap_err();
//! assert_eq!(error.code(), Some(&ErrorCode::NotFound));
//! assert_eq!(server.requests()[0].path, "/api/v1/payouts/pay_1");
//! assert!(client.get_payout("pay_1").send().await.is_ok());
//! # }
//! ```
//!
//! # Every answer
//!
//! [`every_documented_answer`] runs a function once for each status, error code and example of the
//! operations that it calls, and reports what the function did:
//!
//! ```
//! use payout_client::{Client, Error, testkit};
//!
//! /// The amount of a payout; none if there is no such payout.
//! async fn amount(client: Client) -> Result<Option<String>, Error> {
//!     match client.get_payout("pay_1").send().await {
//!         Ok(payout) => Ok(Some(payout.data.amount.value.to_string())),
//!         Err(Error::NotFound { .. }) => Ok(None),
//!         Err(error) => Err(error),
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = testkit::every_documented_answer(amount).await;
//! println!("{report}");
//! report.assert_no_panics().assert_no_hangs();
//! // It may leave every error but the 404 to its caller.
//! report.assert_handled_unless(|entry| {
//!     entry.answer.as_ref().is_some_and(|answer| answer.status() != 404)
//! });
//! # }
//! ```
//!
//! [`every_surprise`] does the same with what no document has: fields and values of a newer server,
//! a server in trouble, cut connections and expired links; see [`Surprise`]. [`Walk`] has settings,
//! and says what a walk cannot show.

mod answer;
mod documented;
mod http;
mod report;
mod server;
mod surprise;
mod walk;

pub use self::{
    answer::Answer,
    report::{Entry, Report, Verdict},
    server::{Request, Server},
    surprise::Surprise,
    walk::{Walk, every_documented_answer, every_surprise},
};
