//! Tests from outside whether a deployment conforms to the Partner and Commission Payout API: HTTP
//! only, base URL and keys in, verdicts out.
//!
//! It uses the OpenAPI document (`payout-openapi`) and its own cases, never the server's or the
//! client's types, with which it would inherit their mistakes. Modules import from those below them
//! only.
//!
//! | module | contents |
//! |---|---|
//! | [`cli`] | the command line |
//! | `prove` | the proof of the suite by seeded faults |
//! | `run` | which cases run, and how each ends |
//! | `expectations` | known failures and skips of one deployment |
//! | `report` | terminal, JSON, JUnit and HTML |
//! | `families` | the cases that the document carries |
//! | `cases` | the cases by hand, one file per subject |
//! | `isolation` | locks, retries, and restoring what cases change |
//! | `case` | what a case is, and what it works with |
//! | `deployment` | what all cases of a run share |
//! | `journal` | what a run is about to change |
//! | `snapshot` | reviewed texts of responses |
//! | `invariants` | what holds for every response |
//! | `exchange` | requests and responses |
//! | `target` | the target file: address, keys, fixtures, hooks |
//! | `clause` | the requirements that cases prove |
//! | `document` | the OpenAPI document |
//! | `verdict`, `secret`, `visible`, `toml_file` | helpers |

mod case;
mod cases;
mod clause;
pub mod cli;
mod deployment;
mod document;
mod exchange;
mod expectations;
mod families;
mod invariants;
mod isolation;
mod journal;
mod prove;
mod report;
mod run;
mod secret;
mod snapshot;
mod target;
#[cfg(test)]
mod tests;
mod toml_file;
mod verdict;
mod visible;
