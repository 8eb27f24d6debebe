//! Reads what the pages show, and writes a visitor's comment. One statement is one round trip.

use sqlx::PgConnection;

use super::model::{
    AllLines, Comment, CommentsOnPayout, Line, LinesOfPayout, OfPartner, Payout, ShownPayouts,
    Submission, Sums, shown_stages,
};
use crate::{
    forms::Fields,
    gate::Caller,
    page::List,
    portal::ticket::Ticket,
    postgres::{SingleStatement, TenantTransaction},
};

/// Selects a partner's rows; `$1` is the organisation, `$2` the partner.
macro_rules! select {
    ($row:ty, [$($body:tt)+], $organization:expr, $partner:expr $(, $argument:expr)*) => {
        sqlx::query_as!(
            $row,
            "WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id,
                       set_config('app.partner_id', $2, true) AS partner_id
            )
            SELECT found.* FROM scope CROSS JOIN LATERAL ("
                + $($body)+
                + ") AS found",
            $organization,
            $partner
            $(, $argument)*
        )
    };
}

/// The sums of each currency. Lines in payouts are not read: a payout has their sum.
pub(crate) struct ReadSums<'a>(pub(crate) &'a Ticket);

impl SingleStatement for ReadSums<'_> {
    type Output = Vec<Sums>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Sums>, sqlx::Error> {
        select!(
            Sums,
            [r#"SELECT currency AS "currency!", sum(waiting)::text AS "waiting!",
                       sum(in_payment)::text AS "in_payment!", sum(paid)::text AS "paid!"
                  FROM (
                       SELECT currency, sum(amount) AS waiting, 0.00 AS in_payment, 0.00 AS paid
                         FROM commission_lines
                        WHERE organization_id = scope.organization_id
                          AND partner_id = scope.partner_id AND status IN ('EXPECTED', 'PENDING')
                        GROUP BY currency
                       UNION ALL
                       SELECT currency,
                              coalesce(sum(amount) FILTER (WHERE stage <> ALL ($3)), 0.00),
                              coalesce(sum(amount) FILTER (
                                  WHERE stage = ANY ($3) AND stage <> 'PAID'), 0.00),
                              coalesce(sum(amount) FILTER (WHERE stage = 'PAID'), 0.00)
                         FROM payouts
                        WHERE organization_id = scope.organization_id
                          AND partner_id = scope.partner_id
                        GROUP BY currency) AS part
                 GROUP BY currency ORDER BY currency"#],
            self.0.organization.as_str(),
            self.0.partner.as_str(),
            &shown_stages() as _
        )
        .fetch_all(connection)
        .await
    }
}

/// Selects lines that are not voided; `$filter` has a further condition.
macro_rules! select_lines {
    ($filter:tt, $list:expr $(, $argument:expr)*) => {
        select!(
            Line,
            [r#"SELECT line.id, description, plan_name, line.period_end,
                       line.amount::text AS "amount!", line.currency,
                       line.status, payout.id AS "payout_id?", stage AS "stage?", line.created_at
                  FROM commission_lines AS line
                  LEFT JOIN payouts AS payout
                         ON payout.organization_id = scope.organization_id
                        AND payout.id = line.payout_id AND stage = ANY ($6)
                 WHERE line.organization_id = scope.organization_id
                   AND line.partner_id = scope.partner_id AND status <> 'VOIDED'
                   AND (line.created_at, line.id) < ($3, $4) "#
                + $filter
                + " ORDER BY line.created_at DESC, line.id DESC LIMIT $5"],
            $list.organization.as_str(),
            $list.filters.partner,
            $list.position.created_at,
            $list.position.id,
            $list.limit,
            &shown_stages() as _
            $(, $argument)*
        )
    };
}

impl SingleStatement for List<'_, OfPartner<'_, AllLines>> {
    type Output = Vec<Line>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Line>, sqlx::Error> {
        select_lines!("", self).fetch_all(connection).await
    }
}

impl SingleStatement for List<'_, OfPartner<'_, LinesOfPayout<'_>>> {
    type Output = Vec<Line>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Line>, sqlx::Error> {
        select_lines!("AND line.payout_id = $7", self, self.filters.filter.0)
            .fetch_all(connection)
            .await
    }
}

/// Selects payouts that are shown; `$tail` has the conditions.
macro_rules! select_payouts {
    ($tail:tt, $organization:expr, $partner:expr $(, $argument:expr)*) => {
        select!(
            Payout,
            [r#"SELECT id, period_start, period_end, amount::text AS "amount!",
                       currency, stage, po_number, line_count, created_at
                  FROM payouts
                 WHERE organization_id = scope.organization_id AND partner_id = scope.partner_id
                   AND stage = ANY ($3) "# + $tail],
            $organization,
            $partner,
            &shown_stages() as _
            $(, $argument)*
        )
    };
}

impl SingleStatement for List<'_, OfPartner<'_, ShownPayouts>> {
    type Output = Vec<Payout>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Payout>, sqlx::Error> {
        select_payouts!(
            "AND (created_at, id) < ($4, $5) ORDER BY created_at DESC, id DESC LIMIT $6",
            self.organization.as_str(),
            self.filters.partner,
            self.position.created_at,
            self.position.id,
            self.limit
        )
        .fetch_all(connection)
        .await
    }
}

pub(crate) struct ReadPayout<'a> {
    pub(crate) ticket: &'a Ticket,
    pub(crate) id: &'a str,
}

impl SingleStatement for ReadPayout<'_> {
    type Output = Option<Payout>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<Payout>, sqlx::Error> {
        let Self { ticket, id } = self;
        select_payouts!(
            "AND id = $4 LIMIT 1",
            ticket.organization.as_str(),
            ticket.partner.as_str(),
            id
        )
        .fetch_optional(connection)
        .await
    }
}

impl SingleStatement for List<'_, OfPartner<'_, CommentsOnPayout<'_>>> {
    type Output = Vec<Comment>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Comment>, sqlx::Error> {
        select!(
            Comment,
            [r#"SELECT id, text, source = 'PORTAL' AS "is_own!", created_at
                  FROM comments
                 WHERE organization_id = scope.organization_id AND partner_id = scope.partner_id
                   AND payout_id = $3 AND visibility = 'PARTNER' AND (created_at, id) < ($4, $5)
                 ORDER BY created_at DESC, id DESC LIMIT $6"#],
            self.organization.as_str(),
            self.filters.partner,
            self.filters.filter.0,
            self.position.created_at,
            self.position.id,
            self.limit
        )
        .fetch_all(connection)
        .await
    }
}

pub(crate) struct ReadSubmission<'a> {
    pub(crate) ticket: &'a Ticket,
    pub(crate) id: &'a str,
}

impl SingleStatement for ReadSubmission<'_> {
    type Output = Option<Submission>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<Submission>, sqlx::Error> {
        let Self { ticket, id } = self;
        select!(
            Submission,
            [r#"SELECT form.name AS form_name, form.fields AS "form_fields: Fields",
                       submission.fields, status, submitted_at
                  FROM form_submissions AS submission
                  JOIN form_versions AS form
                    ON form.organization_id = scope.organization_id
                   AND form.form_id = submission.form_id AND version = form_version
                 WHERE submission.organization_id = scope.organization_id
                   AND partner_id = scope.partner_id AND submission.id = $3
                 LIMIT 1"#],
            ticket.organization.as_str(),
            ticket.partner.as_str(),
            id
        )
        .fetch_optional(connection)
        .await
    }
}

/// A visitor's comment about a payout.
pub(crate) struct NewComment<'a> {
    pub(crate) id: &'a str,
    pub(crate) payout_id: &'a str,
    pub(crate) text: &'a str,
    pub(crate) email: &'a str,
}

/// Creates the comment with its history row, in a transaction of the partner; false where the
/// payout is not shown. A comment with this id was sent before, and is there once.
pub(crate) async fn create_comment(
    transaction: &mut TenantTransaction,
    ticket: &Ticket,
    caller: &Caller,
    new: &NewComment<'_>,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"WITH payout AS MATERIALIZED (
            SELECT id FROM payouts
             WHERE organization_id = $1 AND partner_id = $2 AND id = $3 AND stage = ANY ($4)
        ), created AS (
            INSERT INTO comments
                   (organization_id, id, partner_id, payout_id, thread_id, text, visibility, source)
            SELECT $1, $5, $2, id, $5, $6, 'PARTNER', 'PORTAL' FROM payout
                ON CONFLICT (organization_id, id) DO NOTHING
            RETURNING *
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
            SELECT $1, $7, $8, 'create_comment', id,
                   jsonb_build_object(
                       'partnerId', partner_id, 'payoutId', payout_id, 'threadId', thread_id,
                       'text', text, 'visibility', visibility, 'source', source,
                       'visitor', $9::text)
              FROM created
        )
        SELECT EXISTS (SELECT FROM payout) AS "is_shown!""#,
        transaction.organization() as _,
        ticket.partner.as_str(),
        new.payout_id,
        &shown_stages() as _,
        new.id,
        new.text,
        &*caller.key_id,
        &*caller.request_id,
        new.email
    )
    .fetch_one(&mut **transaction)
    .await
}
