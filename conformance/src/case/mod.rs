//! Cases: one behaviour each, with the clause it proves, what it needs and what it changes.
//!
//! | file | owns |
//! |---|---|
//! | [`definition`] | what a case is |
//! | [`scene`] | what a case works with: calls, keys, fixtures |
//! | [`stop`] | how a case ends before its end |
//! | [`check`] | expectations about an answer |
//! | [`control`] | refusals, each with a twin that must succeed |
//! | [`snapshot`] | which answers are held against snapshots |

pub mod check;
pub mod control;
pub mod definition;
pub mod scene;
pub mod snapshot;
pub mod stop;

pub use definition::{Case, Changes, Running};
pub use scene::Scene;
pub use stop::Stop;
