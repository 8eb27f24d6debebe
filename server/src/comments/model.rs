//! A comment, and the rules of creating one.

use chrono::{DateTime, Utc};
use openapi_runtime::References as _;
use serde_json::json;

use crate::{
    contract::types::{CreateCommentReferences, ErrorCode},
    problem::Failure,
};

/// A comment (X14).
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    pub id: String,
    pub partner_id: String,
    pub payout_id: Option<String>,
    pub commission_line_id: Option<String>,
    /// The comment that begins the thread: this one where it does.
    pub thread_id: String,
    pub text: String,
    pub visibility: String,
    pub source: String,
    pub author_id: Option<String>,
    pub author_name: Option<String>,
    pub author_email: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// The filters of a list; a comment must match all that are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommentFilters<'a> {
    pub partner_id: Option<&'a str>,
    pub payout_id: Option<&'a str>,
    pub commission_line_id: Option<&'a str>,
    pub thread_id: Option<&'a str>,
    pub visibility: Option<&'a str>,
}

/// The things that a new comment names, as far as it may name them, and the comment where it was
/// created.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) has_partner: bool,
    /// It is the partner's.
    pub(super) has_payout: bool,
    /// It is the partner's.
    pub(super) has_line: bool,
    /// It is about the same partner, and the same target where the new comment names one.
    pub(super) has_thread: bool,
    pub(super) has_author: bool,
    pub(super) payout_id: Option<String>,
    pub(super) commission_line_id: Option<String>,
    pub(super) thread_id: Option<String>,
    pub(super) author_id: Option<String>,
    pub(super) author_name: Option<String>,
    pub(super) author_email: Option<String>,
    pub(super) created_at: Option<DateTime<Utc>>,
}

/// A comment may name these only where they belong to something else that it names, so the usual
/// message, that the organisation has none, would be false.
const RELATED: [(&str, &str); 3] = [
    ("/payoutId", "payout of this partner"),
    ("/commissionLineId", "commission line of this partner"),
    ("/threadId", "comment about the same partner, payout or line"),
];

fn related((pointer, resource): (&'static str, &'static str)) -> (&'static str, &'static str) {
    let own = RELATED.into_iter().find(|(known, _)| *known == pointer);
    own.unwrap_or((pointer, resource))
}

impl Attempt {
    /// Says why no comment was created.
    pub(super) fn rejection(&self) -> Failure {
        let found = CreateCommentReferences {
            partner_id: self.has_partner,
            payout_id: self.has_payout,
            commission_line_id: self.has_line,
            thread_id: self.has_thread,
            author_email: self.has_author,
        };
        let unknown: Vec<_> = found.unknown().into_iter().map(related).collect();
        if !unknown.is_empty() {
            return Failure::InvalidReferences(unknown);
        }
        let message = "The thread is internal, so the partner cannot read a comment in it. Write \
                       an INTERNAL one, or begin another thread.";
        Failure::rejected(ErrorCode::CommentInternal, message, json!({}))
    }
}
