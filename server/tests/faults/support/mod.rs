//! Servers, loads and invariants of the scenarios, which run one at a time, because they measure
//! durations.
//!
//! | file | owns |
//! |---|---|
//! | [`scale`] | duration, repetitions and seed; figures for the report |
//! | [`deployment`] | a database with data, and two server processes on it |
//! | [`dataset`] | the organisations under load, and their keys |
//! | [`replica`] | one server process: started, frozen, killed |
//! | [`request`] | the requests, and the responses that each may have |
//! | [`journal`] | the result of each request |
//! | [`load`] | clients that send requests until they are stopped |
//! | [`accounts`] | invariants between responses and tables |
//! | [`checks`] | all invariants of a scenario, reported together |

pub mod accounts;
pub mod checks;
pub mod dataset;
pub mod deployment;
pub mod journal;
pub mod load;
pub mod replica;
pub mod request;
pub mod scale;

pub use deployment::{Deployment, Options, until};
pub use journal::Record;
pub use load::{Load, Plan, Target};
pub use request::{Operation, Response};
