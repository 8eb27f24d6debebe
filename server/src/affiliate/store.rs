//! Conversions in Postgres. Every statement names its organisation, in addition to row-level
//! security.

use chrono::{DateTime, Days, Utc};
use rust_decimal::Decimal;
use serde_json::Value;
use sqlx::PgConnection;

use super::model::{Amount, Click, Conversion, Rate};
use crate::{
    gate::Caller,
    page::List,
    postgres::{SingleStatement, TenantTransaction},
};

/// Selects conversions. `$head` may wrap the SELECT; `$tail` has its conditions.
macro_rules! select_conversions {
    ($head:tt, $tail:tt, $($argument:expr),+) => {
        sqlx::query_as!(
            Conversion,
            $head
                + "SELECT id, click_id, partner_id, commission_line_id, external_id, amount,
                          currency, occurred_at, created_at, reversed_at
                     FROM conversions "
                + $tail,
            $($argument),+
        )
    };
}

/// A conversion to record, with the line of its commission.
pub(super) struct NewConversion<'a> {
    pub(super) id: &'a str,
    pub(super) click_id: &'a str,
    pub(super) partner_id: &'a str,
    pub(super) external_id: Option<&'a str>,
    pub(super) amount: Option<&'a Amount>,
    pub(super) email: Option<&'a str>,
    pub(super) properties: Value,
    pub(super) occurred_at: DateTime<Utc>,
    pub(super) matures_at: DateTime<Utc>,
    pub(super) plan_name: &'a str,
    pub(super) line: Option<NewLine>,
}

/// The commission line of a conversion.
pub(super) struct NewLine {
    pub(super) id: String,
    pub(super) commission: Amount,
    pub(super) description: String,
    pub(super) period_end: DateTime<Utc>,
}

/// Finds the conversion that a request repeats: the one with its external id or, where it has none,
/// the first of its click.
pub(super) async fn find_first(
    transaction: &mut TenantTransaction,
    click_id: &str,
    external_id: Option<&str>,
) -> Result<Option<Conversion>, sqlx::Error> {
    let organization = transaction.organization();
    let organization = organization.as_str();
    match external_id {
        Some(external_id) => {
            select_conversions!(
                "",
                "WHERE organization_id = $1 AND external_id = $2",
                organization,
                external_id
            )
            .fetch_optional(&mut **transaction)
            .await
        }
        None => {
            select_conversions!(
                "",
                "WHERE organization_id = $1 AND click_id = $2 ORDER BY created_at, id LIMIT 1",
                organization,
                click_id
            )
            .fetch_optional(&mut **transaction)
            .await
        }
    }
}

/// Returns the time, and the click if the organisation has it.
pub(super) async fn find_click(
    transaction: &mut TenantTransaction,
    click_id: &str,
) -> Result<(DateTime<Utc>, Option<Click>), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT service_now() AS "now!", link.partner_id AS "partner_id?",
                  click.created_at AS "created_at?", plan_name AS "plan_name?", percent,
                  fixed_amount, currency, hold_days AS "hold_days?",
                  window_days AS "window_days?", disabled_at
             FROM (SELECT) AS always
             LEFT JOIN clicks AS click ON click.organization_id = $1 AND click.id = $2
             LEFT JOIN affiliate_links AS link
                    ON link.organization_id = $1 AND link.id = click.link_id"#,
        transaction.organization() as _,
        click_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    let days = |days: Option<i32>| Days::new(u64::try_from(days.unwrap_or(0)).unwrap_or(0));
    let (Some(partner_id), Some(created_at), Some(plan_name)) =
        (row.partner_id, row.created_at, row.plan_name)
    else {
        return Ok((row.now, None));
    };
    let rate = match (row.percent, row.fixed_amount, row.currency) {
        (Some(percent), ..) => Rate::Percent(percent),
        (None, Some(value), Some(currency)) => Rate::Fixed(Amount { value, currency }),
        _ => return Err(sqlx::Error::Decode("a link has a percentage or an amount".into())),
    };
    let click = Click {
        partner_id,
        created_at,
        plan_name,
        rate,
        hold: days(row.hold_days),
        window: days(row.window_days),
        disabled_at: row.disabled_at,
    };
    Ok((row.now, Some(click)))
}

/// Records a conversion with its line and their history rows. `None` where another one has its
/// external id, or its click.
pub(super) async fn record(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    new: &NewConversion<'_>,
) -> Result<Option<Conversion>, sqlx::Error> {
    let line = new.line.as_ref();
    sqlx::query_file_as!(
        Conversion,
        "src/affiliate/record_conversion.sql",
        transaction.organization() as _,
        new.id,
        new.click_id,
        new.partner_id,
        new.external_id,
        new.amount.map(|amount| amount.value),
        new.amount.map(|amount| amount.currency.as_str()),
        new.email,
        new.properties,
        new.occurred_at,
        new.matures_at,
        line.map(|line| line.id.as_str()),
        line.map(|line| line.commission.value),
        line.map(|line| line.commission.currency.as_str()),
        line.map(|line| line.description.as_str()),
        line.map(|line| line.period_end),
        new.plan_name,
        new.amount.map_or(Decimal::ZERO, |amount| amount.value),
        &*caller.key_id,
        &*caller.request_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Locks a conversion until the transaction ends.
pub(super) async fn lock(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<Conversion>, sqlx::Error> {
    select_conversions!(
        "",
        "WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Notes that a locked conversion is reversed, with its history row.
pub(super) async fn reverse(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    id: &str,
    reason: Option<&str>,
) -> Result<Conversion, sqlx::Error> {
    sqlx::query_as!(
        Conversion,
        "WITH reversed AS (
            UPDATE conversions SET reversed_at = service_now()
             WHERE organization_id = $1 AND id = $2
            RETURNING *
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
            SELECT $1, $3, $4, 'reverse_conversion', id,
                   jsonb_build_object('reversedAt', printed(reversed_at), 'reason', $5::text)
              FROM reversed
        )
        SELECT id, click_id, partner_id, commission_line_id, external_id, amount, currency,
               occurred_at, created_at, reversed_at
          FROM reversed",
        transaction.organization() as _,
        id,
        &*caller.key_id,
        &*caller.request_id,
        reason
    )
    .fetch_one(&mut **transaction)
    .await
}

pub(super) struct AllConversions;

impl SingleStatement for List<'_, AllConversions> {
    type Output = Vec<Conversion>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Conversion>, sqlx::Error> {
        select_conversions!(
            "WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id
            )
            SELECT found.* FROM scope CROSS JOIN LATERAL (",
            "AS conversion
              WHERE conversion.organization_id = scope.organization_id
                AND (created_at, id) < ($2, $3)
              ORDER BY created_at DESC, id DESC LIMIT $4) AS found",
            self.organization.as_str(),
            self.position.created_at,
            self.position.id,
            self.limit
        )
        .fetch_all(connection)
        .await
    }
}
