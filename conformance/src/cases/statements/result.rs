//! The response of a statement, and that repeated and concurrent requests return one document, byte
//! by byte.

use crate::cases::prelude::*;

const MANY: usize = 8;

/// A rendered statement's result has exactly its five fields, and a link that has not expired.
#[case("§2.4", on = generateStatement, fixtures(Payout), changes = Restored)]
async fn fields(context: &mut CaseContext<'_>) -> CaseResult {
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
    response.has("/data/isUploaded", false)?;
    let link = response.text("/data/downloadUrl");
    response.that(
        link.starts_with("https://") || link.starts_with("http://"),
        "downloadUrl is not a link that can be followed.",
        "an absolute URI of http or https",
        link,
    )?;
    let expires_at = instant(&response, "/data/expiresAt")?;
    response.that(
        expires_at > response.responded_at(),
        "The link has expired when it is returned.",
        &format!("later than {}", response.responded_at()),
        response.text("/data/expiresAt"),
    )?;
    context.snapshot(&response);
    Ok(())
}

/// Repeated requests return the same document: its asset, its name and its bytes.
#[case("§4.7.3", on = generateStatement, fixtures(Payout), changes = Restored, requests = 24)]
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

/// Each request signs a new link, and the previous one still leads to the document.
#[case("S5", on = generateStatement, fixtures(Payout), changes = Restored, requests = 48)]
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

/// Requires that concurrent requests return one asset, name and document.
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

/// Concurrent requests return one document.
#[case("§4.7.3", on = generateStatement, fixtures(Payout), changes = Restored, requests = 60)]
async fn at_once(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    one_document(context, &id).await
}

/// Concurrent requests for a state without a document make one document.
#[case("S7", on = generateStatement, fixtures(PayoutNoted), hooks(SetPoNumber, ClearPoNumber),
       changes = Restored, requests = 68)]
async fn at_once_new(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    context.renumber(&id).await?;
    one_document(context, &id).await
}

/// Two payouts have two documents.
#[case("§4.7", on = generateStatement, fixtures(Payout, PayoutOfManyLines), changes = Restored)]
async fn each_payout_its_own(context: &mut CaseContext<'_>) -> CaseResult {
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
