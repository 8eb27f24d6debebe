//! Comments about a partner, its payouts and its lines, and their threads (X14).

use super::{Owner, PAYOUTS, made, posting};
use crate::cases::prelude::*;

const COMMENTS: &str = "/api/v1/comments";

fn about(owner: &Owner, members: Value) -> Value {
    let usual = json!({ "partnerId": owner.partner, "text": "Hello.", "visibility": "PARTNER" });
    super::with(usual, members)
}

/// Returns the list with this query.
async fn listed(context: &mut CaseContext<'_>, query: &str) -> CaseResult<Response> {
    let request = Request::get(format!("{COMMENTS}?{query}")).with(&context.all()?);
    context.ok(request).await
}

/// Requires that a list with this query has these comments alone.
async fn shows(context: &mut CaseContext<'_>, query: &str, comments: &[&Response]) -> CaseResult {
    let list = listed(context, query).await?;
    let items = list.at("/data").as_array().into_iter().flatten();
    let shown: Vec<&str> = items.filter_map(|item| item["id"].as_str()).collect();
    let expected: Vec<&str> = comments.iter().map(|comment| comment.text("/data/id")).collect();
    list.same("The list has other comments.", &expected.join(", "), &shown.join(", "))
}

/// A comment without a thread begins one, and the list shows it as it was created.
#[case("X14", on = createComment)]
async fn first(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let created = made(context, COMMENTS, &about(&owner, json!({}))).await?;
    let id = created.text("/data/id");
    created.has("/data/threadId", id)?.has("/data/partnerId", owner.partner.as_str())?;
    created.has("/data/payoutId", Value::Null)?.has("/data/commissionLineId", Value::Null)?;
    created.has("/data/author", Value::Null)?.has("/data/source", "API")?;
    created.has("/data/text", "Hello.")?.has("/data/visibility", "PARTNER")?;
    let list = listed(context, &format!("partnerId={}", owner.partner)).await?;
    list.has("/data/0", created.at("/data").clone())?.has("/data/1", Value::Null).map(drop)
}

/// A comment is found by its thread, with others of that thread alone.
#[case("X14", on = listComments, fixtures(Comment))]
async fn by_thread(context: &mut CaseContext<'_>) -> CaseResult {
    let thread = context.fixture(Fixture::Comment)?;
    let list = listed(context, &format!("threadId={thread}")).await?;
    let items = list.at("/data").as_array().into_iter().flatten();
    let is_there = items.clone().any(|item| item["id"] == *thread);
    list.that(is_there, "The list lacks the comment.", &thread, &list.status_and_body())?;
    let others = items.filter(|item| item["threadId"] != *thread).count();
    list.same("The list has comments of other threads.", &0, &others)
}

/// An answer joins the thread of the comment that it names, and is about what the thread is about.
#[case("X14.thread", on = createComment, requests = 20)]
async fn thread(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, _) = owner.payout_of(context, &[]).await?;
    let first = made(context, COMMENTS, &about(&owner, json!({ "payoutId": payout }))).await?;
    let thread = first.text("/data/id");
    let body = about(&owner, json!({ "threadId": thread, "visibility": "INTERNAL" }));
    let answer = made(context, COMMENTS, &body).await?;
    answer.has("/data/threadId", thread)?.has("/data/payoutId", payout.as_str())?;
    // A comment may name an answer instead of the first one, and repeat the thread's target.
    let members = json!({ "threadId": answer.text("/data/id"), "payoutId": payout });
    let third = made(context, COMMENTS, &about(&owner, members)).await?;
    third.has("/data/threadId", thread)?;
    shows(context, &format!("threadId={thread}"), &[&third, &answer, &first]).await
}

/// A thread takes no comment about another partner, payout or line.
#[case("X14.thread", on = createComment, requests = 24)]
async fn of_another_thread(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, _) = owner.payout_of(context, &[]).await?;
    let other = made(context, PAYOUTS, &owner.payout_body(json!({ "currency": "USD" }))).await?;
    let line = owner.line(context, "1.00", json!({})).await?;
    let stranger = Owner::new(context).await?;
    let first = made(context, COMMENTS, &about(&owner, json!({ "payoutId": payout }))).await?;
    let thread = first.text("/data/id");
    for body in [
        about(&stranger, json!({ "threadId": thread })),
        about(&owner, json!({ "threadId": thread, "payoutId": other.text("/data/id") })),
        about(&owner, json!({ "threadId": thread, "commissionLineId": line.text("/data/id") })),
    ] {
        let request = posting(context, COMMENTS, &body)?;
        let rejected = context.expect(request, INVALID_REFERENCE).await?;
        rejected.has("/error/details/issues/0/path", "/threadId")?;
    }
    shows(context, &format!("threadId={thread}"), &[&first]).await
}

/// A payout and a line that a comment names must be the partner's, and it names one of them alone.
#[case("X14.target", on = createComment, requests = 24)]
async fn target(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, lines) = owner.payout_of(context, &["1.00"]).await?;
    let stranger = Owner::new(context).await?;
    for (name, id) in [("payoutId", &payout), ("commissionLineId", &lines[0])] {
        let created = made(context, COMMENTS, &about(&owner, json!({ name: id }))).await?;
        created.has(&format!("/data/{name}"), id.as_str())?;
        let request = posting(context, COMMENTS, &about(&stranger, json!({ name: id })))?;
        let rejected = context.expect(request, INVALID_REFERENCE).await?;
        rejected.has("/error/details/issues/0/path", format!("/{name}"))?;
        shows(context, &format!("{name}={id}"), &[&created]).await?;
    }
    let both = json!({ "payoutId": payout, "commissionLineId": lines[0] });
    let rejected = posting(context, COMMENTS, &about(&owner, both))?;
    let rejected = context.expect(rejected, VALIDATION_FAILED).await?;
    rejected.has("/error/details/issues/0/path", "/commissionLineId")?;
    rejected.has("/error/details/issues/0/code", "EXCLUDED").map(drop)
}

/// A thread that begins with an internal comment takes no other, and the list can leave internal
/// ones out.
#[case("X14.internal", on = createComment, requests = 16)]
async fn internal(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let internal = json!({ "visibility": "INTERNAL" });
    let first = made(context, COMMENTS, &about(&owner, internal)).await?;
    let members =
        |visibility: &str| json!({ "threadId": first.text("/data/id"), "visibility": visibility });
    let request = posting(context, COMMENTS, &about(&owner, members("PARTNER")))?;
    context.expect(request, COMMENT_INTERNAL).await?;
    made(context, COMMENTS, &about(&owner, members("INTERNAL"))).await?;
    let open = made(context, COMMENTS, &about(&owner, json!({}))).await?;
    let query = format!("partnerId={}&visibility=PARTNER", owner.partner);
    shows(context, &query, &[&open]).await
}

/// The author is the user with the e-mail address, whatever the case of its letters.
#[case("X14.author", on = createComment, fixtures(SandboxPartner), requests = 12)]
async fn author(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let known = partner_path(&context.fixture(Fixture::SandboxPartner)?);
    let partner = context.ok(Request::get(known).with(&context.all()?)).await?;
    let user = partner.text("/data/manager/id").to_owned();
    partner.that(!user.is_empty(), "The partner has no manager.", "a user", "null")?;
    let email = partner.text("/data/manager/email").to_uppercase();
    let body = about(&owner, json!({ "authorEmail": email }));
    let created = made(context, COMMENTS, &body).await?;
    created.has("/data/author/id", user)?;
    let body = about(&owner, json!({ "authorEmail": "nobody@conformance.example" }));
    let request = posting(context, COMMENTS, &body)?;
    let rejected = context.expect(request, INVALID_REFERENCE).await?;
    rejected.has("/error/details/issues/0/path", "/authorEmail").map(drop)
}
