//! Finds fixtures that the target file does not name through the API, reading at most a few pages
//! of each list. Nothing is created, and filters are not trusted: each item is checked. The same
//! lists always give the same fixtures.

mod pages;
mod partners;

use serde_json::Value;

use crate::{
    deployment::{Deployment, Fixtures},
    exchange::{ClientError, request::escaped},
    target::{Fixture, Role},
};
use pages::{Pages, text};

const LINES: &str = "/api/v1/commission-lines?limit=100";
const COMMENTS: &str = "/api/v1/comments?limit=100";
/// More lines than this are more than a page.
const PAGE: usize = 25;
/// Payouts whose lines are counted, if the pages of all lines do not show enough.
const CANDIDATES: usize = 3;
/// Lines that are in no payout, by their status.
const APART: [(Role, &str, Fixture); 5] = [
    (Role::All, "PENDING", Fixture::LineUnattached),
    (Role::All, "EXPECTED", Fixture::LineExpected),
    (Role::All, "VOIDED", Fixture::LineVoided),
    (Role::OtherOrganization, "PENDING", Fixture::ForeignLineUnattached),
    (Role::OtherOrganization, "VOIDED", Fixture::ForeignLineVoided),
];

/// The deployment's fixtures, and those that its API shows. Nothing is requested for what is known;
/// [`Fixture::is_shown`] says what no request shows.
pub(crate) async fn discover(deployment: &Deployment) -> Result<Fixtures, ClientError> {
    let mut found = deployment.fixtures.clone();
    let of = |role| Pages { deployment, key: deployment.keys.get(role) };
    let (ours, theirs) = (of(Role::All), of(Role::OtherOrganization));
    partners::find(&ours, &theirs, &mut found).await?;
    for (role, status, fixture) in APART {
        if found.id(fixture).is_none() {
            let fits = |line: &Value| {
                let is_apart = status != "PENDING" || text(line, "/payoutId").is_empty();
                text(line, "/status") == status && is_apart
            };
            let line = of(role).first(&format!("{LINES}&status={status}"), fits).await?;
            found.add(fixture, line.as_ref().map(|line| text(line, "/id")));
        }
    }
    if deployment.invariants.profile("listComments").is_some() {
        find_comments(&ours, &theirs, &mut found).await?;
    }
    find_payouts(&ours, &mut found).await?;
    find_foreign_payout(&theirs, &mut found).await?;
    if found.id(Fixture::PayoutNoBilling).is_none() {
        let target = format!("{LINES}&status=IN_PAYOUT");
        let line = of(Role::NoBilling).first(&target, is_attached).await?;
        found.add(Fixture::PayoutNoBilling, line.as_ref().map(|line| text(line, "/payoutId")));
    }
    Ok(found)
}

fn begins_a_thread(comment: &Value) -> bool {
    text(comment, "/id") == text(comment, "/threadId")
}

/// Finds a comment that begins a thread, and one of the other organisation that begins an internal
/// thread about the partner that cases know.
async fn find_comments(
    ours: &Pages<'_>,
    theirs: &Pages<'_>,
    found: &mut Fixtures,
) -> Result<(), ClientError> {
    if found.id(Fixture::Comment).is_none() {
        let comment = ours.first(COMMENTS, begins_a_thread).await?;
        found.add(Fixture::Comment, comment.as_ref().map(|comment| text(comment, "/id")));
    }
    if found.id(Fixture::ForeignComment).is_none() {
        let partner = found.id(Fixture::ForeignPartner).unwrap_or_default().to_owned();
        let fits = |comment: &Value| {
            text(comment, "/visibility") == "INTERNAL"
                && begins_a_thread(comment)
                && text(comment, "/partnerId") == partner
        };
        let comment = theirs.first(COMMENTS, fits).await?;
        found.add(Fixture::ForeignComment, comment.as_ref().map(|comment| text(comment, "/id")));
    }
    Ok(())
}

/// Finds a payout of the other organisation, and a line that is attached to it. If the target names
/// one of them, the other must fit it.
async fn find_foreign_payout(pages: &Pages<'_>, found: &mut Fixtures) -> Result<(), ClientError> {
    let [payout, line, partner] =
        [Fixture::ForeignPayout, Fixture::ForeignLine, Fixture::ForeignPartner]
            .map(|fixture| found.id(fixture).map(str::to_owned));
    if payout.is_some() && line.is_some() {
        return Ok(());
    }
    let fits = |item: &Value| {
        is_attached(item)
            && payout.as_ref().is_none_or(|id| text(item, "/payoutId") == id)
            && line.as_ref().is_none_or(|id| text(item, "/id") == id)
    };
    // Best a line of the partner that cases know; of another if that one has none.
    let filters = match (&payout, partner) {
        (Some(payout), _) => vec![format!("&payoutId={}", escaped(payout))],
        (None, Some(partner)) => vec![format!("&partnerId={}", escaped(&partner)), String::new()],
        (None, None) => vec![String::new()],
    };
    for filter in filters {
        if let Some(line) = pages.first(&format!("{LINES}{filter}"), fits).await? {
            found.add(Fixture::ForeignPayout, Some(text(&line, "/payoutId")));
            found.add(Fixture::ForeignLine, Some(text(&line, "/id")));
            break;
        }
    }
    Ok(())
}

/// Finds a payout that the target does not name for something else, an upload or lines that go, and
/// one with more lines than a page.
async fn find_payouts(pages: &Pages<'_>, found: &mut Fixtures) -> Result<(), ClientError> {
    if !found.lacks_one_of(&[Fixture::Payout, Fixture::PayoutOfManyLines]) {
        return Ok(());
    }
    let is_many = |(_, count): &&(&str, usize)| *count > PAGE;
    let has_many = |lines: &[Value]| counted(lines).iter().any(|payout| is_many(&payout));
    let lines = pages.items(&format!("{LINES}&status=IN_PAYOUT"), has_many).await?;
    let payouts = counted(&lines);
    let taken = [Fixture::PayoutUploaded, Fixture::PayoutToDetach];
    let is_free = |id: &&str| taken.iter().all(|fixture| found.id(*fixture) != Some(id));
    let usual = payouts.iter().map(|(id, _)| *id).find(is_free);
    found.add(Fixture::Payout, usual);
    if let Some((id, _)) = payouts.iter().find(is_many) {
        found.add(Fixture::PayoutOfManyLines, Some(id));
    }
    // The rest of a payout's lines may be on pages beyond the bound.
    let mut largest = payouts;
    largest.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (id, _) in largest.into_iter().take(CANDIDATES) {
        if found.id(Fixture::PayoutOfManyLines).is_none() {
            let target = format!("{LINES}&payoutId={}", escaped(id));
            let lines = pages.items(&target, has_many).await?;
            let is_it = counted(&lines).iter().filter(is_many).any(|(many, _)| *many == id);
            found.add(Fixture::PayoutOfManyLines, is_it.then_some(id));
        }
    }
    Ok(())
}

fn is_attached(line: &Value) -> bool {
    text(line, "/status") == "IN_PAYOUT" && !text(line, "/payoutId").is_empty()
}

/// Payouts with the number of their lines, in the order of the list.
fn counted(lines: &[Value]) -> Vec<(&str, usize)> {
    let mut payouts: Vec<(&str, usize)> = Vec::new();
    for line in lines.iter().filter(|line| is_attached(line)) {
        let id = text(line, "/payoutId");
        match payouts.iter_mut().find(|(known, _)| *known == id) {
            Some((_, count)) => *count += 1,
            None => payouts.push((id, 1)),
        }
    }
    payouts
}

#[cfg(test)]
mod tests;
