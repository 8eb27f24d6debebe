//! The response of a statement, and that repeated and concurrent requests return one document, byte
//! by byte.

use crate::cases::prelude::*;
use crate::cases::{
    dataset,
    money::{
        concurrently,
        document::{Document, statement},
        instant,
        lock::{HOOKS, Lock},
        own, payout, responded_at,
    },
};

const MANY: usize = 8;

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("generateStatement").fixtures(&[Fixture::Payout]).changes(Changes::Restored);
    // First of all: where a stage moves with the first document, it has moved by the time of
    // others.
    { "statements.stage" "§3.2" run(stage)
      "Generating a statement does not change the payout's stage, nor anything else of it." }
    { "statements.stage-of-new" "§3.2" lock(stage_of_new)
      "Rendering a document for the first time changes neither the payout's stage nor anything \
       else of it."
      .fixtures(&[Fixture::PayoutNoted]).hooks(&HOOKS).requests(30) }
    { "statements.result" "§2.4" run(result)
      "A statement's result has exactly its five fields, and a link that has not expired." }
    { "statements.rendered" "§2.4.isUploaded" run(rendered)
      "A statement that the service renders has isUploaded false." }
    { "statements.repeated" "§4.7.3" retry_locked(repeated)
      "Repeated requests return the same document: its asset, its name and its bytes."
      .requests(24) }
    { "statements.signed-anew" "S5" run(signed_anew)
      "Each request signs a new link, and the previous one still leads to the document."
      .requests(48) }
    { "statements.at-once" "§4.7.3" retry_locked(all_at_once)
      "Concurrent requests return one document." .requests(60) }
    { "statements.at-once-new" "S7" lock(new_at_once)
      "Concurrent requests for a state without a document make one document."
      .fixtures(&[Fixture::PayoutNoted]).hooks(&HOOKS).requests(60) }
    { "statements.each-payout-its-own" "§4.7" run(each_its_own)
      "Two payouts have two documents." .fixtures(&[Fixture::Payout, Fixture::PayoutOfManyLines]) }
    { "statements.body-ignored" "R11" retry_locked(body_ignored)
      "A body on a statement is ignored, whatever it is." .requests(24) }
};

async fn result(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    let response = context.ok(statement(context, &id)?).await?;
    // The five fields and their types are an invariant.
    for name in ["assetId", "filename"] {
        let pointer = format!("/data/{name}");
        response.that(
            !response.text(&pointer).is_empty(),
            &format!("{name} is empty."),
            "a string that is not empty",
            &response.at(&pointer).to_string(),
        )?;
    }
    let link = response.text("/data/downloadUrl");
    response.that(
        link.starts_with("https://") || link.starts_with("http://"),
        "downloadUrl is not a link that can be followed.",
        "an absolute URI of http or https",
        link,
    )?;
    let expires_at = instant(&response, "/data/expiresAt")?;
    response.that(
        expires_at > responded_at(&response),
        "The link has expired when it is returned.",
        &format!("later than {}", responded_at(&response)),
        response.text("/data/expiresAt"),
    )?;
    context.snapshot(&response);
    Ok(())
}

async fn rendered(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    let response = context.ok(statement(context, &id)?).await?;
    response.has("/data/isUploaded", false).map(drop)
}

async fn repeated(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    let first = Document::of(context, &id).await?;
    for _ in 0..2 {
        let again = Document::of(context, &id).await?;
        again.is_same_as(&first, context, "nothing changed")?;
    }
    if let Ok(key) = context.key(Role::CommissionsWrite) {
        let response = context.send(statement(context, &id)?.with(&key)).await?;
        let again = Document::behind(context, response).await?;
        again.is_same_as(&first, context, "another key of the organisation requested it")?;
    }
    Ok(())
}

async fn signed_anew(context: &mut CaseContext<'_>) -> CaseResult {
    /// Enough for more than a second, where expiries have whole seconds; with milliseconds each
    /// differs.
    const REQUESTS: usize = 40;
    const BETWEEN: std::time::Duration = std::time::Duration::from_millis(50);
    /// Renewed links that are enough with milliseconds: a cached link may be renewed once between
    /// two.
    const IN_MILLISECONDS: usize = 3;
    let id = context.fixture(Fixture::Payout)?;
    let first = Document::of(context, &id).await?;
    let in_seconds = first.response.text("/data/expiresAt").ends_with(".000Z");
    let mut earlier = first.response.clone();
    let (mut requests, mut renewed) = (0, 0);
    while requests < REQUESTS && renewed < IN_MILLISECONDS {
        tokio::time::sleep(BETWEEN).await;
        let later = context.send(statement(context, &id)?).await?;
        let is_other =
            later.is(200)?.text("/data/downloadUrl") != earlier.text("/data/downloadUrl");
        let is_later = instant(&later, "/data/expiresAt")? > instant(&earlier, "/data/expiresAt")?;
        requests += 1;
        if is_other && is_later {
            renewed = if in_seconds { IN_MILLISECONDS } else { renewed + 1 };
        }
        let may_be_same = in_seconds && requests < REQUESTS;
        later.that(
            (is_other && is_later) || (may_be_same && !is_other),
            "A later request returns the same link, or one that does not expire later.",
            &format!("another link, and expiresAt after {}", earlier.text("/data/expiresAt")),
            later.text("/data/expiresAt"),
        )?;
        earlier = later;
    }
    first.is_still_there(context).await
}

/// That concurrent requests return one asset, name and document.
async fn one_document(context: &mut CaseContext<'_>, id: &str) -> CaseResult {
    let request = statement(context, id)?;
    let responses = concurrently(context, vec![request; MANY]).await?;
    let mut first: Option<Document> = None;
    for response in responses {
        response.is(200)?;
        let Some(document) = Document::in_time(context, response).await? else {
            continue;
        };
        match &first {
            Some(first) => document.is_same_as(first, context, "the requests were concurrent")?,
            None => first = Some(document),
        }
    }
    Ok(())
}

async fn all_at_once(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    one_document(context, &id).await
}

async fn new_at_once(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    // The marker is a new PO number, so there is no document yet.
    one_document(context, lock.payout()).await
}

async fn each_its_own(context: &mut CaseContext<'_>) -> CaseResult {
    let one = context.fixture(Fixture::Payout)?;
    let other = context.fixture(Fixture::PayoutOfManyLines)?;
    CaseOutcome::missing_if(one == other, "two payouts with lines")?;
    let one = Document::of(context, &one).await?;
    let other = Document::of(context, &other).await?;
    other.response.that(
        other.response.at("/data/assetId") != one.response.at("/data/assetId")
            && other.bytes() != one.bytes(),
        "Two payouts have the same document.",
        "two assets with other bytes",
        other.response.text("/data/assetId"),
    )
}

/// That a payout is the same before and after its statement was generated.
fn is_untouched(context: &CaseContext<'_>, before: &Response, after: &Response) -> CaseResult {
    after.has("/data/stage", before.at("/data/stage").clone())?;
    let (was, is) = (own(before), own(after));
    // The specification says it of the stage alone (§3.2).
    after.that(
        is == was || !context.with_decisions(),
        "Generating a statement changed the payout.",
        &was.to_string(),
        &is.to_string(),
    )?;
    if context.deployment().features.contains(&Feature::Seeded) {
        // Also where another client generated the first statement.
        let seeded = dataset::payouts().find(|payout| payout["id"] == *after.at("/data/id"));
        if let Some(seeded) = seeded {
            after.has("/data/stage", seeded["stage"].clone())?;
        }
    }
    Ok(())
}

async fn stage(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    let before = context.given(payout(context, &id)?).await?;
    context.ok(statement(context, &id)?).await?;
    let after = context.send(payout(context, &id)?).await?;
    is_untouched(context, &before, &after)
}

async fn stage_of_new(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let before = context.given(payout(context, &id)?).await?;
    before.has("/data/poNumber", lock.po_number())?;
    context.ok(statement(context, &id)?).await?;
    let after = context.send(payout(context, &id)?).await?;
    is_untouched(context, &before, &after)
}

async fn body_ignored(context: &mut CaseContext<'_>) -> CaseResult {
    const LARGEST: usize = 64 * 1_024;
    let id = context.fixture(Fixture::Payout)?;
    let request = statement(context, &id)?;
    let plain = context.given(request.clone()).await?;
    let bodies = [
        ("application/json", "{}".to_owned()),
        ("application/json", r#"{"isUploaded":true,"unknown":1}"#.to_owned()),
        ("application/json", "{ garbage".to_owned()),
        ("text/plain", "a statement, please".to_owned()),
        ("application/x-www-form-urlencoded", "a=b".to_owned()),
        ("", "no type".to_owned()),
        ("application/json", " ".repeat(LARGEST)),
    ];
    for (media_type, body) in bodies {
        let response = context.send(request.clone().body(media_type, body)).await?;
        let asset: Value = plain.at("/data/assetId").clone();
        response.is(200)?.has("/data/assetId", asset)?;
    }
    context
        .expect(request.body("text/plain", " ".repeat(LARGEST + 1)), PAYLOAD_TOO_LARGE)
        .await
        .map(drop)
}
