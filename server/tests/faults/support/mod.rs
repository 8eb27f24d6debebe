//! What the scenarios stand on.
//!
//! It refuses scenarios side by side: each has the machine to itself, so that what it measures is its own.
//!
//! | file | owns |
//! |---|---|
//! | [`scale`] | how long, how often, which seed; figures for whoever reads |
//! | [`random`] | numbers that a seed repeats |
//! | [`deployment`] | a database with data, and two server processes on it |
//! | [`dataset`] | the organisations that are asked, and their keys |
//! | [`replica`] | one server process: started, frozen, killed |
//! | [`postgres`] | a PostgreSQL of a scenario's own, to be killed and restarted |
//! | [`http`] | one keep-alive connection, and what an answer says |
//! | [`request`] | what is asked, and which answers it may have |
//! | [`journal`] | what happened to each request |
//! | [`load`] | connections that ask until they are told to stop |
//! | [`accounts`] | laws between what was answered and what the tables say |
//! | [`judge`] | all laws of a scenario, told at once |

pub mod accounts;
pub mod dataset;
pub mod deployment;
pub mod http;
pub mod journal;
pub mod judge;
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
