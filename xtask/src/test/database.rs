//! The PostgreSQL server of a whole run: the one in DATABASE_URL, or a temporary one.

use std::env;

use crate::{Result, deployment::Postgres};

/// A server for tests; it stops when this is dropped.
#[derive(Debug)]
pub(crate) struct Database {
    own: Option<Postgres>,
}

impl Database {
    /// Starts a server where DATABASE_URL is not set.
    pub(crate) fn open() -> Result<Self> {
        let is_set = env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty());
        let own = if is_set { None } else { Some(Postgres::disposable("xtask", 0)?) };
        Ok(Self { own })
    }

    /// The DATABASE_URL of test processes; `None` where it is set already.
    pub(crate) fn url(&self) -> Option<String> {
        Some(self.own.as_ref()?.superuser_url("postgres"))
    }

    /// Stops the temporary server and removes its folder.
    pub(crate) fn close(self) -> Result<()> {
        self.own.map_or(Ok(()), Postgres::stop)
    }
}
