//! A deployment for one command of xtask: PostgreSQL, payout-server, a folder. It ends with this
//! process, also when that is killed.

pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod program;

pub(crate) use error::{DeploymentError, failed};
pub(crate) use folder::Folder;
pub(crate) use program::{Place, Server};
