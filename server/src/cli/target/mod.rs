//! `seed --target`: the data set as a target of the suite `payout-conformance`: where its server is, the variables its keys
//! come from, the ids of what is in it, and this program as its operator.
//!
//! It refuses to use the suite: the form is `conformance/targets/target.schema.json`, which a test holds it against.
//!
//! | file | owns |
//! |---|---|
//! | [`file`] | the file itself |
//! | [`mod@fixtures`] | ids by what they are for |
//! | [`mod@hooks`] | commands of this program |

mod file;
mod fixtures;
mod hooks;

pub(super) use file::{DEFAULT_URL, Surroundings, TargetFile};
pub(super) use fixtures::{Fixtures, fixtures};
