//! What the partner earns: the overview, its commission lines, its payouts with their statements,
//! and the comments about them.

use minijinja::context;
use openapi_runtime::{Cursor, ListFingerprint, reading::FromText as _};
use poem::http::StatusCode;
use serde::Serialize;
use url::form_urlencoded;

use super::{
    Site, Visit,
    posted::Posted,
    reply::{Refusal, Reply},
    session::Session,
};
use crate::{
    contract::types::CommentText,
    id::IdKind,
    page::Page,
    portal::pages::{
        model::{AllLines, CommentsOnPayout, LinesOfPayout, OfPartner, ShownPayouts},
        store::{NewComment, ReadPayout, ReadSums, create_comment},
    },
    problem::Failure,
};

/// The lines on one page.
const LINES: usize = 100;
/// The payouts on one page.
const PAYOUTS: usize = 25;
/// The comments on one page.
const COMMENTS: usize = 25;

/// Rows of one page, and the cursor of the next one.
#[derive(Serialize)]
pub(super) struct Rows<T> {
    pub(super) rows: Vec<T>,
    pub(super) next: Option<String>,
    /// The page is not the first one.
    pub(super) is_later: bool,
}

/// A comment that was not accepted: its text, and why.
pub(super) struct RejectedComment<'a> {
    text: &'a str,
    why: String,
}

/// Reads the part of a list that the query's `parameter` names, with at most `limit` rows.
macro_rules! rows {
    ($site:expr, $visit:expr, $organization:expr, $parameter:literal, $limit:expr,
     $filters:expr) => {{
        let cursor = cursor(&$visit.query, $parameter)?;
        let list = ListFingerprint::of("portal", [("list", $parameter)]);
        let is_later = cursor.is_some();
        let page = Page::behind(cursor, list, $limit);
        let found = $site.parts.tenants.list(&page.list($organization, $filters)).await?;
        let (rows, next) = page.split(found, |row| (row.created_at, &row.id));
        Rows { rows, next: next.map(|cursor| cursor.to_string()), is_later }
    }};
}

pub(super) use rows;

/// Reads the cursor of the query's `parameter`; one that is no cursor leads nowhere. It grants
/// nothing: each statement names the partner.
pub(super) fn cursor(query: &str, parameter: &str) -> Result<Option<Cursor>, Refusal> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let text = pairs.find(|(name, _)| name == parameter);
    let cursor = text.map(|(_, text)| Cursor::parse(&text).ok_or(Refusal::NotFound));
    cursor.transpose()
}

impl Site {
    pub(super) async fn overview(&self, session: &Session) -> Result<Reply, Refusal> {
        let sums = self.parts.tenants.list(&ReadSums(&session.ticket)).await?;
        Ok(self.page(session, "overview.html", context! { sums }))
    }

    pub(super) async fn commissions(
        &self,
        session: &Session,
        visit: &Visit,
    ) -> Result<Reply, Refusal> {
        let ticket = &session.ticket;
        let filters = OfPartner { partner: &ticket.partner, filter: AllLines };
        let lines = rows!(self, visit, &ticket.organization, "after", LINES, filters);
        Ok(self.page(session, "commissions.html", context! { lines }))
    }

    pub(super) async fn payouts(&self, session: &Session, visit: &Visit) -> Result<Reply, Refusal> {
        let ticket = &session.ticket;
        let filters = OfPartner { partner: &ticket.partner, filter: ShownPayouts };
        let payouts = rows!(self, visit, &ticket.organization, "after", PAYOUTS, filters);
        Ok(self.page(session, "payouts.html", context! { payouts }))
    }

    /// A payout with its lines and comments; with a comment that was not accepted, its form.
    pub(super) async fn payout(
        &self,
        session: &Session,
        id: &str,
        visit: &Visit,
        rejected: Option<RejectedComment<'_>>,
    ) -> Result<Reply, Refusal> {
        let ticket = &session.ticket;
        let payout = self.parts.tenants.list(&ReadPayout { ticket, id }).await?;
        let payout = payout.ok_or(Refusal::NotFound)?;
        let (organization, partner) = (&ticket.organization, &*ticket.partner);
        let filters = OfPartner { partner, filter: LinesOfPayout(id) };
        let lines = rows!(self, visit, organization, "lines", LINES, filters);
        let filters = OfPartner { partner, filter: CommentsOnPayout(id) };
        let comments = rows!(self, visit, organization, "comments", COMMENTS, filters);
        let action = self.comment_action(id);
        let new = IdKind::Comment.generate();
        let token = ticket.sign(&action, &new);
        let (text, why) = rejected.map(|rejected| (rejected.text, rejected.why)).unzip();
        let comment = context! { action, id => new, token, text, why };
        Ok(self.page(session, "payout.html", context! { payout, lines, comments, comment }))
    }

    /// Leads to the payout's statement, the API's document; it is made if there is none, and
    /// nothing is charged.
    pub(super) async fn statement(&self, session: &Session, id: &str) -> Result<Reply, Refusal> {
        let read = ReadPayout { ticket: &session.ticket, id };
        self.parts.tenants.list(&read).await?.ok_or(Refusal::NotFound)?;
        match self.parts.statements.generate(&session.caller, id).await {
            Ok((_, link)) => Ok(Reply::SeeOther { location: link.url, cookie: None }),
            // What is missing is the organisation's matter.
            Err(Failure::Rejected(_)) => {
                let content = context! { payout => id };
                let page = self.page(session, "no_statement.html", content);
                Ok(page.with_status(StatusCode::UNPROCESSABLE_ENTITY))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    pub(super) async fn comment(
        &self,
        session: &Session,
        payout: &str,
        visit: &Visit,
    ) -> Result<Reply, Refusal> {
        let ticket = &session.ticket;
        let posted = Posted::read(&visit.body);
        let id = posted.require_token(ticket, &self.comment_action(payout))?;
        let text = posted.one("text").unwrap_or_default().replace("\r\n", "\n");
        let text = text.trim();
        if let Err(why) = checked(text) {
            let rejected = Some(RejectedComment { text, why });
            let page = self.payout(session, payout, visit, rejected).await?;
            return Ok(page.with_status(StatusCode::UNPROCESSABLE_ENTITY));
        }
        let new = NewComment { id, payout_id: payout, text, email: &session.visitor.email };
        let tenants = &self.parts.tenants;
        let mut transaction =
            tenants.write_as_partner(&ticket.organization, &ticket.partner).await?;
        if !create_comment(&mut transaction, ticket, &session.caller, &new).await? {
            return Err(Refusal::NotFound);
        }
        transaction.commit().await?;
        let location = self.action(&format!("/payouts/{payout}#comments"));
        Ok(Reply::SeeOther { location, cookie: None })
    }

    fn comment_action(&self, payout: &str) -> String {
        self.action(&format!("/payouts/{payout}/comments"))
    }
}

/// Requires what the API requires of a comment's text.
fn checked(text: &str) -> Result<(), String> {
    let read = CommentText::from_text(text);
    read.map(drop).map_err(|(_, message)| message)
}
