//! Snapshots: the form of responses as reviewed text, one file per case, operation and status, carried in the binary.
//!
//! They refuse what cannot be the same tomorrow: it is checked against its format, and a name takes its place.
//!
//! | file | owns |
//! |---|---|
//! | `places` | what the document says of each place in a response |
//! | `kind` | which places are volatile, and what they are called |
//! | `normalizer` | names in place of volatile values, one value one name |
//! | `text` | an exchange as text |
//! | `group` | a case's responses as texts |
//! | `shape` | what is compared where values are not known |
//! | `accepted` | the reviewed texts |
//! | `judge` | a case's responses against them |
//! | `whole` | what is told of all of them at a run's end |
//! | `review` | new texts for a person to review |

mod accepted;
mod group;
pub(crate) mod judge;
pub(crate) mod kind;
mod normalizer;
mod places;
mod review;
mod shape;
mod text;
mod whole;

pub use judge::{Mode, Recorded, Snapshots};
