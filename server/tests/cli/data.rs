//! Data of a test's deployment, by `payout-devdata` in this process.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::support::Deployment;

impl Deployment {
    /// A deployment whose clock stands at noon of 15 June 2026.
    pub(crate) async fn at_noon() -> Self {
        let deployment = Self::create().await;
        deployment.database.set_clock("2026-06-15T12:00:00Z").await.expect("a test database");
        deployment
    }

    /// Runs statements as the superuser.
    pub(crate) async fn execute(&self, statements: impl Into<String>) {
        let url = self.database.superuser_url();
        let mut superuser = PgConnection::connect(&url).await.expect("connected");
        let statements = sqlx::raw_sql(AssertSqlSafe(statements.into()));
        statements.execute(&mut superuser).await.expect("they run");
    }

    /// Runs a command of `payout-devdata` that must succeed.
    pub(crate) async fn devdata(&self, arguments: &[&str]) {
        let options = [
            "--database-url",
            self.database.app_url(),
            "--database-owner-url",
            self.database.owner_url(),
            "--data-dir",
            self.folder.path().to_str().expect("a plain path"),
        ];
        let arguments = [&["payout-devdata"], arguments, &options].concat();
        let done = payout_devdata::execute(arguments.iter().copied()).await;
        done.unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    }
}
