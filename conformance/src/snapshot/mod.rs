//! Snapshots: the form of answers as reviewed text, one file per case, operation and status, carried in the binary.
//!
//! They refuse what cannot be the same tomorrow: it is checked against its format, and a name takes its place.
//!
//! | file | owns |
//! |---|---|
//! | `places` | what the document says of each place in an answer |
//! | `kind` | which places are volatile, and what they are called |
//! | `binder` | names in place of volatile values, one value one name |
//! | `text` | an exchange as text |
//! | `group` | a case's answers as texts |
//! | `shape` | what is compared where values are not known |
//! | `accepted` | the reviewed texts |
//! | `judge` | a case's answers against them |
//! | `whole` | what is told of all of them at a run's end |
//! | `review` | new texts for a person to review |

mod accepted;
mod binder;
mod group;
pub(crate) mod judge;
pub(crate) mod kind;
mod places;
mod review;
mod shape;
mod text;
mod whole;

pub use judge::{Mode, Snapshots, Taken};
