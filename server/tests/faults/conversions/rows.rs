//! Lines and conversions as the servers and the database show them.

use chrono::{DateTime, Utc};
use payout_server::id::OrganizationId;
use serde_json::Value;
use sqlx::PgPool;

use super::{
    Conversion,
    model::{Line, Status, cents, money},
};

/// A line as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) partner_id: String,
    pub(super) payout_id: Option<String>,
    status: String,
    amount: String,
    source_amount: String,
    pub(super) currency: String,
    plan_name: String,
    description: String,
    pub(super) period_end: DateTime<Utc>,
}

impl Row {
    /// Reads these lines, and those that were created at this moment.
    pub(super) async fn read(
        superuser_pool: &PgPool,
        organization: &OrganizationId,
        ids: &[String],
        created_at: DateTime<Utc>,
    ) -> Vec<Self> {
        let rows = sqlx::query_as(
            "SELECT id, partner_id, payout_id, status, amount::text, source_amount::text, currency,
                    plan_name, description, period_end
               FROM commission_lines
              WHERE organization_id = $1 AND (id = ANY ($2) OR created_at = $3)",
        );
        let rows = rows.bind(organization.as_str()).bind(ids).bind(created_at);
        rows.fetch_all(superuser_pool).await.unwrap()
    }

    pub(super) fn status(&self) -> Status {
        match &*self.status {
            "EXPECTED" => Status::Expected,
            "PENDING" => Status::Pending,
            "IN_PAYOUT" => Status::InPayout,
            "VOIDED" => Status::Voided,
            other => panic!("{other} is no status"),
        }
    }

    pub(super) fn cents(&self) -> i128 {
        cents(&self.amount)
    }

    /// The line of the model for a new line that claws another one back.
    pub(super) fn claw_back(&self) -> Line {
        Line {
            partner: self.partner_id.clone(),
            currency: self.currency.clone(),
            cents: self.cents(),
            source_cents: cents(&self.source_amount),
            plan: self.plan_name.clone(),
            description: self.description.clone(),
            period_end: self.period_end,
            matures_at: None,
            status: self.status(),
            payout: self.payout_id.clone(),
        }
    }
}

impl Line {
    /// Requires that the row has what a line keeps for ever.
    pub(super) fn is_shown(&self, row: &Row) {
        let expected = (&self.partner, &self.currency, &self.plan, &self.description);
        let shown = (&row.partner_id, &row.currency, &row.plan_name, &row.description);
        assert_eq!(shown, expected, "{row:?}");
        let expected = (money(self.cents), money(self.source_cents), self.period_end);
        let shown = (row.amount.clone(), row.source_amount.clone(), row.period_end);
        assert_eq!(shown, expected, "{row:?}");
    }
}

impl Conversion {
    pub(super) fn read(data: &Value) -> Self {
        let text = |name: &str| data[name].as_str().map(str::to_owned);
        Self {
            id: text("id").expect("an id"),
            click: text("clickId").expect("a click"),
            line: text("commissionLineId"),
            cents: text("amount").map_or(0, |amount| cents(&amount)),
            currency: text("currency").unwrap_or_default(),
            created_at: text("createdAt").expect("a time"),
            reversed_at: text("reversedAt"),
        }
    }

    /// Requires that a response shows this conversion, which may be reversed at the same time.
    pub(super) fn is_shown(&self, data: &Value) {
        let shown = Self::read(data);
        let is_same = (&shown.id, &shown.click, &shown.line, shown.cents, &shown.currency)
            == (&self.id, &self.click, &self.line, self.cents, &self.currency);
        assert!(is_same && shown.created_at == self.created_at, "{data} is shown for {self:?}");
    }
}
