//! Actions of an operator outside the API, by the stores of the operator's commands, and reads of
//! the tables.

use payout_server::{
    organizations::{CreditAllowance, store as organizations},
    postgres::TenantTransaction,
};
use sqlx::{AssertSqlSafe, Postgres, Transaction};

use super::server::TestServer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Meter {
    pub minute_used: i32,
    pub month_used: i64,
}

/// A type that a query returns as its only column.
pub trait Scalar: for<'r> sqlx::Decode<'r, Postgres> + sqlx::Type<Postgres> + Send + Unpin {}
impl<T> Scalar for T where
    T: for<'r> sqlx::Decode<'r, Postgres> + sqlx::Type<Postgres> + Send + Unpin
{
}

impl TestServer {
    /// Runs statements as the superuser; returns the number of affected rows.
    pub async fn execute(&self, statements: impl Into<String>) -> u64 {
        let statements = sqlx::raw_sql(AssertSqlSafe(statements.into()));
        statements.execute(&self.superuser).await.unwrap().rows_affected()
    }

    /// The one value of a query, as the superuser.
    pub async fn value<T: Scalar>(&self, query: impl Into<String>) -> T {
        let query = sqlx::query_scalar(AssertSqlSafe(query.into()));
        query.fetch_one(&self.superuser).await.unwrap()
    }

    /// A transaction of the superuser that has run these statements.
    pub async fn hold(&self, statements: impl Into<String>) -> Transaction<'static, Postgres> {
        let mut transaction = self.superuser.begin().await.unwrap();
        let statements = sqlx::raw_sql(AssertSqlSafe(statements.into()));
        statements.execute(&mut *transaction).await.unwrap();
        transaction
    }

    pub async fn waiting(&self) -> i64 {
        let query = "SELECT count(*) FROM pg_stat_activity
                      WHERE datname = current_database() AND wait_event_type = 'Lock'";
        self.value(query).await
    }

    /// Changes the database, and ends the server's connections.
    pub async fn disconnect(&self, change: &str) {
        let name = self.database.name();
        // One statement after the other on one connection, which keeps its settings.
        self.execute(format!(
            "ALTER DATABASE {name} {change};
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name = 'payout-server'"
        ))
        .await;
    }

    /// Sets the limits of an organisation; `None` means unlimited credits.
    pub async fn set_limits(&self, organization: &str, requests: i32, credits: Option<i64>) {
        let mut transaction = self.write(organization).await;
        let credits = Some(CreditAllowance(credits));
        let limits = organizations::set_limits(&mut transaction, Some(requests), credits).await;
        limits.unwrap().expect("the organisation exists");
        transaction.commit().await.unwrap();
    }

    pub async fn meter(&self, organization: &str) -> Meter {
        let query = "SELECT minute_used, month_used FROM meters WHERE organization_id = $1";
        sqlx::query_as(query).bind(organization).fetch_one(&self.superuser).await.unwrap()
    }

    pub async fn write(&self, organization: &str) -> TenantTransaction {
        self.tenants().await.write(&super::organization(organization)).await.unwrap()
    }
}
