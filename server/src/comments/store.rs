//! Comments in Postgres. Every statement names its organisation, in addition to row-level security.

use sqlx::PgConnection;

use super::model::{Attempt, Comment, CommentFilters};
use crate::{gate::Caller, page::List, postgres::SingleStatement};

/// A comment that a request asks for.
pub(super) struct CreateComment<'a> {
    pub(super) caller: &'a Caller,
    pub(super) id: &'a str,
    pub(super) partner_id: &'a str,
    pub(super) payout_id: Option<&'a str>,
    pub(super) commission_line_id: Option<&'a str>,
    pub(super) thread_id: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) visibility: &'a str,
    pub(super) author_email: Option<&'a str>,
}

/// Creates the comment with its history row, or nothing where something that it names is missing.
impl SingleStatement for CreateComment<'_> {
    type Output = Attempt;

    async fn run(&self, connection: &mut PgConnection) -> Result<Attempt, sqlx::Error> {
        sqlx::query_file_as!(
            Attempt,
            "src/comments/create_comment.sql",
            self.caller.organization.as_str(),
            self.id,
            self.partner_id,
            self.payout_id,
            self.commission_line_id,
            self.thread_id,
            self.text,
            self.visibility,
            self.author_email,
            &*self.caller.key_id,
            &*self.caller.request_id
        )
        .fetch_one(connection)
        .await
    }
}

impl SingleStatement for List<'_, CommentFilters<'_>> {
    type Output = Vec<Comment>;

    /// Reads the index of the filter that selects the fewest, and compares the others row by row:
    /// a thread has one target, a payout and a line have one partner.
    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Comment>, sqlx::Error> {
        let Self { organization, filters, position, limit } = self;
        macro_rules! comments {
            ($index:tt) => {
                sqlx::query_as!(
                    Comment,
                    "WITH scope AS MATERIALIZED (
                        SELECT set_config('app.organization_id', $1, true) AS organization_id
                    )
                    SELECT found.* FROM scope CROSS JOIN LATERAL (
                        SELECT comment.id, partner_id, payout_id, commission_line_id, thread_id,
                               text, visibility, source, author_id,
                               author.name AS \"author_name?\",
                               author.email AS \"author_email?\", created_at
                          FROM comments AS comment
                          LEFT JOIN users AS author
                                 ON author.organization_id = scope.organization_id
                                AND author.id = author_id
                         WHERE comment.organization_id = scope.organization_id
                           AND (created_at, comment.id) < ($2, $3)
                           AND ($5::text IS NULL OR partner_id = $5)
                           AND ($6::text IS NULL OR payout_id = $6)
                           AND ($7::text IS NULL OR commission_line_id = $7)
                           AND ($8::text IS NULL OR thread_id = $8)
                           AND ($9::text IS NULL OR visibility = $9) "
                        + $index
                        + " ORDER BY created_at DESC, comment.id DESC LIMIT $4) AS found",
                    organization.as_str(),
                    position.created_at,
                    position.id,
                    limit,
                    filters.partner_id,
                    filters.payout_id,
                    filters.commission_line_id,
                    filters.thread_id,
                    filters.visibility
                )
                .fetch_all(connection)
                .await
            };
        }
        match filters {
            CommentFilters { thread_id: Some(_), .. } => comments!("AND thread_id = $8"),
            CommentFilters { commission_line_id: Some(_), .. } => {
                comments!("AND commission_line_id = $7")
            }
            CommentFilters { payout_id: Some(_), .. } => comments!("AND payout_id = $6"),
            CommentFilters { partner_id: Some(_), .. } => comments!("AND partner_id = $5"),
            _ => comments!(""),
        }
    }
}
