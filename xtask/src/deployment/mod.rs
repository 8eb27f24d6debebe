//! A deployment of our own, for as long as a command of ours needs it: PostgreSQL, payout-server, a folder.
//!
//! It refuses to outlive this process, however that ends.
//!
//! | file | owns |
//! |---|---|
//! | [`program`] | payout-server: its commands, and `serve`, which ends with us |
//! | [`folder`] | a folder that is removed at its end |
//! | [`error`] | why there is no deployment |

pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod program;

pub(crate) use error::{DeploymentError, failed};
pub(crate) use folder::Folder;
pub(crate) use program::{Place, Server};
