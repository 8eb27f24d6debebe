//! Sessions of the portal in Postgres. A session is found by its ids and the hash of its secret, in
//! the organisation and at the partner that the ticket names: row-level security knows both.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::{
    model::{Attempt, Visitor},
    ticket::Ticket,
};
use crate::{
    gate::Caller,
    postgres::{SingleStatement, TenantTransaction},
};

/// A session that a request asks for.
pub(super) struct CreateSession<'a> {
    pub(super) caller: &'a Caller,
    pub(super) ticket: &'a Ticket,
    pub(super) email: &'a str,
    pub(super) link_seconds: u32,
}

/// Creates the session with its history row, or nothing where the visitor may not enter.
impl SingleStatement for CreateSession<'_> {
    type Output = Attempt;

    async fn run(&self, connection: &mut PgConnection) -> Result<Attempt, sqlx::Error> {
        let Self { caller, ticket, email, link_seconds } = self;
        sqlx::query_file_as!(
            Attempt,
            "src/portal/create_session.sql",
            caller.organization.as_str(),
            ticket.session,
            ticket.partner.as_str(),
            email,
            &ticket.hash(),
            f64::from(*link_seconds),
            &*caller.key_id,
            &*caller.request_id
        )
        .fetch_one(connection)
        .await
    }
}

/// Selects the visitor of a session; `$condition` compares the secret's hash, `$4`.
macro_rules! select_visitor {
    ($condition:tt, $ticket:expr) => {
        sqlx::query_as!(
            Visitor,
            r#"WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id,
                       set_config('app.partner_id', $2, true) AS partner_id
            )
            SELECT found.* FROM scope CROSS JOIN LATERAL (
                SELECT session.email, partner.name AS partner_name,
                       organization.name AS organization_name,
                       organization.stopped_at IS NOT NULL AS "is_stopped!"
                  FROM portal_sessions AS session
                  JOIN partners AS partner ON partner.organization_id = scope.organization_id
                                          AND partner.id = scope.partner_id
                  JOIN organizations AS organization ON organization.id = scope.organization_id
                 WHERE session.organization_id = scope.organization_id AND session.id = $3
                   AND session.partner_id = scope.partner_id AND ended_at IS NULL
                   AND may_enter(scope.organization_id, scope.partner_id, session.email) "#
                + $condition
                + " LIMIT 1) AS found",
            $ticket.organization.as_str(),
            $ticket.partner.as_str(),
            $ticket.session,
            &$ticket.hash()
        )
    };
}

/// The visitor whom a link is for, as long as it can be opened.
pub(super) struct ReadLink<'a>(pub(super) &'a Ticket);

impl SingleStatement for ReadLink<'_> {
    type Output = Option<Visitor>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<Visitor>, sqlx::Error> {
        select_visitor!(
            "AND link_hash = $4 AND opened_at IS NULL AND link_expires_at > service_now()",
            self.0
        )
        .fetch_optional(connection)
        .await
    }
}

/// The visitor of a session that has begun and has not ended.
pub(super) struct ReadSession<'a>(pub(super) &'a Ticket);

impl SingleStatement for ReadSession<'_> {
    type Output = Option<Visitor>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<Visitor>, sqlx::Error> {
        select_visitor!("AND cookie_hash = $4 AND expires_at > service_now()", self.0)
            .fetch_optional(connection)
            .await
    }
}

/// Uses a link up: the session begins, with a cookie of its own. `None` where the link cannot be
/// opened, as when another request was faster.
pub(super) async fn open(
    transaction: &mut TenantTransaction,
    link: &Ticket,
    cookie: &Ticket,
    session_hours: u32,
    request_id: &str,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"WITH opened AS (
            UPDATE portal_sessions
               SET cookie_hash = $4, opened_at = service_now(),
                   expires_at = service_now() + make_interval(hours => $5)
             WHERE organization_id = $1 AND id = $2 AND link_hash = $3
               AND opened_at IS NULL AND ended_at IS NULL AND link_expires_at > service_now()
               AND may_enter(organization_id, partner_id, email)
            RETURNING id, partner_id, email, expires_at
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
            SELECT $1, id, $6, 'open_portal_session', id,
                   jsonb_build_object('partnerId', partner_id, 'email', email,
                                      'expiresAt', printed(expires_at))
              FROM opened
        )
        SELECT expires_at AS "expires_at!" FROM opened"#,
        transaction.organization() as _,
        link.session,
        &link.hash(),
        &cookie.hash(),
        i32::try_from(session_hours).expect("the flag has a bound"),
        request_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Ends the visitor's own session.
pub(super) async fn sign_out(
    transaction: &mut TenantTransaction,
    ticket: &Ticket,
    request_id: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH ended AS (
            UPDATE portal_sessions SET ended_at = service_now()
             WHERE organization_id = $1 AND id = $2 AND cookie_hash = $3 AND ended_at IS NULL
            RETURNING id, partner_id, email
        )
        INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
        SELECT $1, id, $4, 'end_portal_session', id,
               jsonb_build_object('partnerId', partner_id, 'email', email)
          FROM ended",
        transaction.organization() as _,
        ticket.session,
        &ticket.hash(),
        request_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
