//! What the database has, read as superuser.

use payout_database::owner_connect_options;
use sqlx::{Connection as _, FromRow, PgConnection};

use super::judge::{Evidence, Row};
use crate::Result;

/// What a comparison needs to know from before the load.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// Operations from this one on are the load's.
    first: u64,
    meters: Vec<Meter>,
    lines: i64,
    /// The amounts of the payouts, in cents.
    pub(crate) amounts: Vec<i64>,
}

/// The month of a meter as text, and the credits used in it.
#[derive(Clone, Debug, FromRow)]
struct Meter {
    month: String,
    month_used: i64,
}

pub(crate) async fn connect(superuser_url: &str) -> Result<PgConnection> {
    Ok(PgConnection::connect_with(&owner_connect_options(superuser_url)?).await?)
}

impl Before {
    pub(crate) async fn read(connection: &mut PgConnection, first: u64) -> Result<Self> {
        let amounts = amounts(connection).await?.into_iter().map(|(amount, _)| amount).collect();
        let lines = earlier_lines(connection, first).await?;
        Ok(Self { first, meters: meters(connection).await?, lines, amounts })
    }
}

/// What the database has after the load that began `before`.
pub(crate) async fn evidence(connection: &mut PgConnection, before: &Before) -> Result<Evidence> {
    let rows: Vec<(i64, String, String, i64)> = sqlx::query_as(include_str!("rows.sql"))
        .bind(before.first.cast_signed())
        .fetch_all(&mut *connection)
        .await?;
    let rows = rows.into_iter().map(|(operation, id, status, changes)| {
        let operation = operation.cast_unsigned();
        Row { operation, id, status, changes }
    });
    let meters = meters(connection).await?;
    let pairs = before.meters.iter().zip(&meters);
    // A meter that was never used is of no month.
    let is_one_month =
        pairs.clone().all(|(before, now)| before.month == now.month || before.month_used == 0);
    let charged = pairs.map(|(before, now)| now.month_used - before.month_used).collect();
    Ok(Evidence {
        rows: rows.collect(),
        amounts: amounts(connection).await?,
        charged: if is_one_month { charged } else { Vec::new() },
        earlier: (before.lines, earlier_lines(connection, before.first).await?),
    })
}

async fn earlier_lines(connection: &mut PgConnection, first: u64) -> Result<i64> {
    let count = sqlx::query_scalar(include_str!("earlier.sql")).bind(first.cast_signed());
    Ok(count.fetch_one(connection).await?)
}

async fn meters(connection: &mut PgConnection) -> Result<Vec<Meter>> {
    let meters = "SELECT month::text, month_used FROM meters ORDER BY organization_id";
    Ok(sqlx::query_as(meters).fetch_all(connection).await?)
}

async fn amounts(connection: &mut PgConnection) -> Result<Vec<(i64, i64)>> {
    Ok(sqlx::query_as(include_str!("amounts.sql")).fetch_all(connection).await?)
}
