//! Snapshots: reviewed texts of responses, one file per case, operation and status, compiled into
//! the binary. Volatile values are replaced by names after their format was checked.
//!
//! | file | contents |
//! |---|---|
//! | `places` | what the document says about each place in a response |
//! | [`kind`] | which places are volatile, and their names |
//! | `normalizer` | replaces volatile values: one value, one name |
//! | `text` | an exchange as text |
//! | `group` | a case's responses as texts |
//! | `accepted` | the reviewed texts |
//! | `judge` | compares a case's responses with them |
//! | `whole` | stale and new snapshots at the end of a run |
//! | `review` | writes new texts for review |

mod accepted;
mod group;
mod judge;
pub(crate) mod kind;
mod normalizer;
mod places;
mod review;
mod text;
mod whole;

pub(crate) use judge::{Mismatch, Mode, Recorded, Snapshots, Subject};
