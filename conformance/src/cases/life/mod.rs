//! The life of a commission (X1–X8, X14–X21): partners, lines, payouts, batches, comments, form
//! submissions, links into the portal, conversions and syncs, from their creation on.
//! Each case makes a partner of its own in the organisation of `sandbox`, and all else for it.

mod attached;
mod batches;
mod comments;
mod conversions;
mod crm;
mod declined;
mod forms;
mod lines;
mod partners;
mod payouts;
mod portal;
mod stages;

use crate::{
    case::{Case, Changes},
    cases::prelude::*,
};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

pub(crate) const PAYOUTS: &str = "/api/v1/payouts";
const BATCHES: &str = "/api/v1/payout-batches";
/// The end of a usual period: no batch takes its lines.
const ENDS: &str = "2000-01-31T00:00:00.000Z";

/// The stages in which a payout takes lines.
const OPEN: [&str; 4] = ["DRAFT", "PENDING_REVIEW", "APPROVED", "PENDING_INVOICE"];
/// The stages in which a payout's lines can be neither changed nor declined.
const LOCKED: [&str; 3] = ["SCHEDULED", "PENDING_PAYMENT", "PAID"];
/// All stages, each a move away from the one before it.
const ROUTE: &str = "PENDING_REVIEW APPROVED PENDING_INVOICE SCHEDULED PENDING_PAYMENT PAID FAILED \
                     BLOCKED DECLINED DRAFT POSTPONED";
/// Days before 1970 in which periods end: the lines of earlier cases seldom have an earlier one.
const DAYS: u32 = 20_000;

/// A partner that a case made, and the end of the period that its lines belong to.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) partner: String,
    pub(crate) ends: DateTime<Utc>,
}

impl Owner {
    pub(crate) const NEEDS: Case =
        Case { keys: &[Role::Sandbox], changes: Changes::Irreversible, ..Case::NONE };

    pub(crate) async fn new(context: &mut CaseContext<'_>) -> CaseResult<Self> {
        let made = made(context, PARTNERS.path, &json!({ "name": marked_name() })).await?;
        let ends = ENDS.parse().expect("a time");
        Ok(Self { partner: made.text("/data/id").to_owned(), ends })
    }

    /// One whose lines only its own batches take.
    pub(crate) async fn early(context: &mut CaseContext<'_>) -> CaseResult<Self> {
        let days = getrandom::u32().unwrap_or_default() % DAYS;
        let ends = DateTime::UNIX_EPOCH - TimeDelta::days(days.into());
        Ok(Self { ends, ..Self::new(context).await? })
    }

    /// Returns the time this many days after the end of the period.
    pub(crate) fn days_later(&self, days: i64) -> String {
        let at = self.ends + TimeDelta::days(days);
        at.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// The body of a line with these members in place of the usual ones.
    fn line_body(&self, amount: &str, members: Value) -> Value {
        let usual = json!({
            "partnerId": self.partner,
            "amount": amount,
            "currency": "EUR",
            "description": "Conformance",
            "periodEnd": self.days_later(0),
        });
        with(usual, members)
    }

    pub(crate) async fn line(
        &self,
        context: &mut CaseContext<'_>,
        amount: &str,
        members: Value,
    ) -> CaseResult<Response> {
        made(context, LINES.path, &self.line_body(amount, members)).await
    }

    pub(crate) fn payout_body(&self, members: Value) -> Value {
        let usual = json!({
            "partnerId": self.partner,
            "periodStart": self.days_later(-30),
            "periodEnd": self.days_later(0),
            "currency": "EUR",
        });
        with(usual, members)
    }

    fn batch_body(&self) -> Value {
        json!({ "periodStart": self.days_later(-30), "periodEnd": self.days_later(0) })
    }

    /// The id of a new payout with lines of these amounts, and the ids of these.
    async fn payout_of(
        &self,
        context: &mut CaseContext<'_>,
        amounts: &[&str],
    ) -> CaseResult<(String, Vec<String>)> {
        let payout = made(context, PAYOUTS, &self.payout_body(json!({}))).await?;
        let id = payout.text("/data/id").to_owned();
        let mut lines = Vec::new();
        for amount in amounts {
            let line = self.line(context, amount, json!({ "payoutId": id })).await?;
            lines.push(line.text("/data/id").to_owned());
        }
        Ok((id, lines))
    }
}

fn with(mut body: Value, members: Value) -> Value {
    for (name, value) in members.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

fn posting(context: &CaseContext<'_>, path: &str, body: &Value) -> CaseResult<Request> {
    Ok(Request::post(path).with(&context.all()?).json(body))
}

pub(crate) async fn made(
    context: &mut CaseContext<'_>,
    path: &str,
    body: &Value,
) -> CaseResult<Response> {
    let response = context.send(posting(context, path, body)?).await?;
    response.is(201)?;
    Ok(response)
}

fn line_path(id: &str) -> String {
    format!("{}/{id}", LINES.path)
}

async fn line(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Response> {
    let request = Request::get(line_path(id)).with(&context.all()?);
    context.ok(request).await
}

fn editing(context: &CaseContext<'_>, line: &str, body: Value) -> CaseResult<Request> {
    Ok(Request::patch(line_path(line), &body).with(&context.all()?))
}

fn attaching(context: &CaseContext<'_>, line: &str, payout: &str) -> CaseResult<Request> {
    let path = format!("{}/attach", line_path(line));
    posting(context, &path, &json!({ "payoutId": payout }))
}

fn declining(context: &CaseContext<'_>, line: &str) -> CaseResult<Request> {
    let path = format!("{}/decline", line_path(line));
    posting(context, &path, &json!({ "reason": "DUPLICATE" }))
}

fn changing(context: &CaseContext<'_>, payout: &str, body: Value) -> CaseResult<Request> {
    Ok(Request::patch(format!("{PAYOUTS}/{payout}"), &body).with(&context.all()?))
}

async fn move_along(context: &mut CaseContext<'_>, id: &str, stages: &[&str]) -> CaseResult {
    for stage in stages {
        let moved = context.ok(changing(context, id, json!({ "stage": stage }))?).await?;
        moved.has("/data/stage", *stage)?;
    }
    Ok(())
}

/// Requires that a payout has this amount, which is the sum of its lines, and this many lines.
async fn is_worth(
    context: &mut CaseContext<'_>,
    payout: &str,
    amount: &str,
    lines: usize,
) -> CaseResult<Response> {
    let account = Account::of(context, payout).await?;
    account.payout.has("/data/amount/value", amount)?;
    account.adds_up()?;
    account.payout.same("The payout has another number of lines.", &lines, &account.lines.len())?;
    Ok(account.payout)
}

/// Requires that a line is in this payout, or without one in the pending pool.
async fn is_in(context: &mut CaseContext<'_>, id: &str, payout: Option<&str>) -> CaseResult {
    let status = if payout.is_some() { "IN_PAYOUT" } else { "PENDING" };
    line(context, id).await?.has("/data/status", status)?.has("/data/payoutId", payout).map(drop)
}

/// The ids of responses to concurrent requests that make one thing: one makes it.
fn one_is_made(responses: &[Response]) -> CaseResult {
    let made = responses.iter().filter(|response| response.status == 201).count();
    responses[0].same("Concurrent requests made more than one, or none.", &1, &made)?;
    for response in responses {
        response.must(response.is_success(), "One failed.", "200")?;
        response.has("/data/id", responses[0].text("/data/id"))?;
    }
    Ok(())
}
