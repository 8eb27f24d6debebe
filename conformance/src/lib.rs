//! Judges any deployment of the Partner and Commission Payout API from outside: HTTP only, base URL and keys in, verdicts out.
//!
//! It refuses to know the server's or the client's types: with them it would inherit their mistakes. What it knows is the
//! document (`payout-openapi`) and its own cases.
//!
//! | room | owns |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`clause`] | the sentences that cases prove |
//! | [`case`] | what a case is, and what it works with |
//! | [`cases`] | the cases, one file per subject |
//! | [`target`] | the deployment that is judged: its file, keys, fixtures, operator hooks |
//! | [`exchange`] | requests and answers |
//! | [`invariants`] | what holds for every response |
//! | [`snapshot`] | the form of responses, as a person reviewed it |
//! | [`run`] | which cases run, and how |
//! | [`expectations`] | known failures and skips of one deployment |
//! | [`journal`] | what a run was about to change, and what came of it |
//! | [`report`] | what is told at the end |
//! | [`secret`] | what no output may hold |

pub mod case;
pub mod cases;
pub mod clause;
pub mod cli;
pub mod exchange;
pub mod expectations;
pub mod invariants;
pub mod journal;
#[cfg(test)]
mod published;
pub mod report;
pub mod run;
pub mod secret;
pub mod snapshot;
pub mod target;
mod toml_file;
pub mod verdict;
mod visible;
