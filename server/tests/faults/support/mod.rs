//! Servers, loads and invariants of the scenarios, which run one at a time, because they measure
//! durations.
//!
//! | file | owns |
//! |---|---|
//! | [`scale`] | duration, repetitions and seed; figures for the report |
//! | [`random`] | seeded random numbers |
//! | [`deployment`] | a database with data, and two server processes on it |
//! | [`dataset`] | the organisations under load, and their keys |
//! | [`replica`] | one server process: started, frozen, killed |
//! | [`postgres`] | a PostgreSQL of a scenario's own, to be killed and restarted |
//! | [`http`] | one keep-alive connection, and the parts of a response |
//! | [`request`] | the requests, and the responses that each may have |
//! | [`journal`] | the result of each request |
//! | [`load`] | connections that send requests until they are stopped |
//! | [`accounts`] | invariants between responses and tables |
//! | [`checks`] | all invariants of a scenario, reported together |

pub mod accounts;
pub mod checks;
pub mod dataset;
pub mod deployment;
pub mod http;
pub mod journal;
pub mod load;
pub mod postgres;
pub mod random;
pub mod replica;
pub mod request;
pub mod scale;

pub use deployment::{Deployment, Options, until};
pub use journal::{Outcome, Record};
pub use load::{Load, Plan};
pub use random::Random;
pub use request::Operation;
