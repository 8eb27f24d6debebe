//! Requests need a session of a primary that can write, with our settings, and with nobody else's
//! statements. A pooler in between can break each of these.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, postgres::PgConnectOptions};

use crate::{
    connect::{IDLE_IN_TRANSACTION, SCHEMA, SessionLimits, TIME_ZONE},
    connection_error::{ConnectionError, POOLER, connect, reason},
};

/// The number of comparisons of two sessions. The first one finds a session that a pooler moves
/// about, unless other users keep it busy.
const COMPARISONS: usize = 3;

#[derive(Debug, thiserror::Error)]
pub enum UnusableSession {
    #[error("the database is a standby, which cannot write: connect to the primary")]
    Standby,
    #[error(
        "the database is read-only (default_transaction_read_only of the server, the database or \
         the role)"
    )]
    ReadOnly,
    #[error("the connection has {name} = {found:?} instead of {expected:?}: a pooler drops it")]
    Setting { name: String, found: String, expected: String },
    #[error(
        "a pooler runs statements of several connections in one session (pool_mode = transaction \
         or statement), so one of them could run another's"
    )]
    SharedSession,
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("the database reported: {}", reason(.0))]
    Database(#[from] sqlx::Error),
}

impl UnusableSession {
    /// The remedy, on a new line, where the message does not contain it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Setting { .. } | Self::SharedSession => format!("\n{POOLER}"),
            _ => String::new(),
        }
    }
}

/// Requires a primary that can write, and the settings of
/// [`app_connect_options`](crate::app_connect_options) with these limits. Prepares no statement,
/// so that it works through any pooler.
pub async fn check_session(
    connection: &mut PgConnection,
    limits: SessionLimits,
) -> Result<(), UnusableSession> {
    let milliseconds = |limit: Duration| limit.as_millis().to_string();
    let expected = [
        ("search_path", SCHEMA.to_owned()),
        ("TimeZone", TIME_ZONE.to_owned()),
        ("statement_timeout", milliseconds(limits.statement)),
        ("lock_timeout", milliseconds(limits.lock)),
        ("idle_in_transaction_session_timeout", milliseconds(IDLE_IN_TRANSACTION)),
    ];
    let names = expected.each_ref().map(|(name, _)| format!("'{name}'")).join(", ");
    // Audited: the names are ours.
    let statement = AssertSqlSafe(format!(
        "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', \
                array_to_string(array_agg(name || '=' || setting), E'\\n') \
           FROM pg_settings WHERE name IN ({names})"
    ));
    let row = sqlx::raw_sql(statement).fetch_one(connection).await?;
    let (is_standby, is_read_only): (bool, bool) = (row.try_get(0)?, row.try_get(1)?);
    if is_standby {
        return Err(UnusableSession::Standby);
    }
    if is_read_only {
        return Err(UnusableSession::ReadOnly);
    }
    let settings: String = row.try_get(2)?;
    let found = |name: &str| {
        let settings = settings.lines().filter_map(|line| line.split_once('='));
        settings.clone().find(|(found, _)| *found == name).map_or("", |(_, value)| value)
    };
    for (name, expected) in expected {
        if found(name) != expected {
            let found = found(name).to_owned();
            return Err(UnusableSession::Setting { name: name.to_owned(), found, expected });
        }
    }
    Ok(())
}

/// The process of the database that serves a session; one session keeps one.
pub async fn backend(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    let row = sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await?;
    row.try_get(0)
}

/// Requires that the connection has a session of its own: it keeps its backend, and a second
/// connection gets another one.
///
/// # Errors
/// [`UnusableSession::SharedSession`], or the second connection failed.
pub async fn check_own_session(
    connection: &mut PgConnection,
    options: &PgConnectOptions,
) -> Result<(), UnusableSession> {
    let mut second = connect(options).await?;
    let first = backend(connection).await?;
    for _ in 0..COMPARISONS {
        if backend(&mut second).await? == first || backend(connection).await? != first {
            return Err(UnusableSession::SharedSession);
        }
    }
    Ok(second.close().await?)
}
