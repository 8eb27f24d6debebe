//! Connect options of the two roles: session settings that every connection has from its first
//! statement on.
//!
//! `ALTER ROLE … SET` would be lost after `SET ROLE`, and on a server that somebody else set up.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, PgConnection};
use url::Url;

use crate::address::{self, AddressError};

/// The schema of all our objects, including the list of migrations, so that a database can be
/// shared.
pub const SCHEMA: &str = "payout";
pub(crate) const TIME_ZONE: &str = "UTC";
/// PostgreSQL ends a session that is idle in a transaction for so long.
pub(crate) const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(10);

/// The time limits of a session's statements: to run, and to wait for a lock.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    pub statement: Duration,
    pub lock: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { statement: Duration::from_secs(5), lock: Duration::from_secs(1) }
    }
}

/// Options for the server: the schema, UTC, and the time limits of [`SessionLimits::default`].
pub fn app_connect_options(url: &str) -> Result<PgConnectOptions, AddressError> {
    let connect = address::parse(url)?.application_name("payout-server").options([
        ("search_path", SCHEMA.to_owned()),
        ("TimeZone", TIME_ZONE.to_owned()),
        ("idle_in_transaction_session_timeout", milliseconds(IDLE_IN_TRANSACTION)),
    ]);
    Ok(end_after(connect, SessionLimits::default()))
}

pub fn end_after(connect: PgConnectOptions, limits: SessionLimits) -> PgConnectOptions {
    // PostgreSQL takes the last value of an option that is given twice.
    connect.options([
        ("statement_timeout", milliseconds(limits.statement)),
        ("lock_timeout", milliseconds(limits.lock)),
    ])
}

fn milliseconds(time: Duration) -> String {
    format!("{}ms", time.as_millis())
}

/// Options for migrations and maintenance, in UTC. A statement has no timeout, but waits for a lock
/// at most 10 s, because all other sessions queue behind a waiting `ALTER TABLE`.
pub fn owner_connect_options(url: &str) -> Result<PgConnectOptions, AddressError> {
    Ok(address::parse(url)?.application_name("payout-server migrate").options([
        ("search_path", SCHEMA),
        ("TimeZone", TIME_ZONE),
        ("statement_timeout", "0"),
        ("lock_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "0"),
    ]))
}

pub(crate) fn url_for(
    url: &str,
    role: &str,
    password: Option<&str>,
    database: &str,
) -> Result<String, sqlx::Error> {
    let mut url = Url::parse(url).map_err(sqlx::Error::config)?;
    let refused = |()| sqlx::Error::Configuration("this URL cannot carry a role".into());
    url.set_username(role).map_err(refused)?;
    url.set_password(password).map_err(refused)?;
    url.set_path(database);
    Ok(url.into())
}

pub(crate) fn url_in_database(url: &str, database: &str) -> Result<String, sqlx::Error> {
    let mut url = Url::parse(url).map_err(sqlx::Error::config)?;
    url.set_path(database);
    Ok(url.into())
}

/// Runs statements. Audited: their texts are ours, and names in them are plain identifiers, digits,
/// or tokens of a migration; the server quotes everything else.
pub(crate) async fn execute(
    connection: &mut PgConnection,
    statements: String,
) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_for_replaces_role_password_and_database_only() {
        let url = "postgres://postgres:secret@db.example:6432/postgres?sslmode=require";
        assert_eq!(
            url_for(url, "payout_app", Some("a b"), "payout").expect("a valid URL"),
            "postgres://payout_app:a%20b@db.example:6432/payout?sslmode=require"
        );
    }

    #[test]
    fn url_for_drops_the_superuser_password() {
        let url = url_for("postgres://u:secret@h/d", "payout_app", None, "payout").expect("valid");
        assert_eq!(url, "postgres://payout_app@h/payout");
    }
}
