//! The response of a statement, and what requests have in common that come one after the other or all at once.
//!
//! It refuses to request two documents the same for their names: their bytes are.

use serde_json::Value;

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    cases::money::{
        at_once,
        dataset::Dataset,
        document::{Document, statement},
        instant,
        lease::{HOOKS, Lease, calmly, hold, leased},
        own, payout, told_at,
    },
    exchange::Response,
    target::{Feature, Fixture, Role},
};

/// All there is in a result, in the order of the alphabet.
const FIELDS: [&str; 5] = [
    "assetId",
    "downloadUrl",
    "expiresAt",
    "filename",
    "isUploaded",
];
/// Requests at once.
const MANY: usize = 8;

pub(super) const CASES: &[Case] = &[
    // First of all: where a stage moves with the first document, it has moved by the time of others.
    Case::new(
        "statements.stage",
        "Generating a statement leaves the payout's stage, and all else of it, as it was.",
        "§3.2",
        runs!(stage),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored),
    Case::new(
        "statements.stage-of-new",
        "Rendering a document for the first time leaves the payout's stage, and all else of it, as it was.",
        "§3.2",
        runs!(stage_of_new),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&HOOKS)
    .changes(Changes::Restored)
    .requests(30),
    Case::new(
        "statements.result",
        "A statement's result has exactly its five fields, and a link that has not expired.",
        "§2.4",
        runs!(result),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored),
    Case::new(
        "statements.rendered",
        "A statement that the service renders has isUploaded false.",
        "§2.4.isUploaded",
        runs!(rendered),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored),
    Case::new(
        "statements.repeated",
        "Repeated requests return the same document: its asset, its name and its bytes.",
        "§4.7.3",
        runs!(repeated),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.signed-anew",
        "Each request signs the link anew, and the one before still leads to the document.",
        "S5",
        runs!(signed_anew),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "statements.at-once",
        "Requests at once return one document.",
        "§4.7.3",
        runs!(all_at_once),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(60),
    Case::new(
        "statements.at-once-new",
        "Requests at once for a state that has no document yet make one.",
        "S7",
        runs!(new_at_once),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&HOOKS)
    .changes(Changes::Restored)
    .requests(60),
    Case::new(
        "statements.each-payout-its-own",
        "Two payouts have two documents.",
        "§4.7",
        runs!(each_its_own),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout, Fixture::PayoutOfManyLines])
    .changes(Changes::Restored),
    Case::new(
        "statements.body-ignored",
        "A body on a statement changes nothing about it, whatever it is.",
        "R11",
        runs!(body_ignored),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(24),
];

async fn result(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let response = context.send(statement(context, &id)?).await?;
    response.is(200)?;
    let data = response.at("/data").as_object();
    let mut names: Vec<&str> = data
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    response.that(
        names == FIELDS,
        "The result has other fields than its five.",
        &FIELDS.join(", "),
        &names.join(", "),
    )?;
    for name in ["assetId", "filename", "downloadUrl"] {
        let pointer = format!("/data/{name}");
        response.that(
            !response.text(&pointer).is_empty(),
            &format!("{name} is no text."),
            "a string that is not empty",
            &response.at(&pointer).to_string(),
        )?;
    }
    let link = response.text("/data/downloadUrl");
    response.that(
        link.starts_with("https://") || link.starts_with("http://"),
        "downloadUrl is no link that can be followed.",
        "an absolute URI of http or https",
        link,
    )?;
    response.that(
        response.at("/data/isUploaded").is_boolean(),
        "isUploaded is no boolean.",
        "true or false",
        &response.at("/data/isUploaded").to_string(),
    )?;
    let expires_at = instant(&response, "/data/expiresAt")?;
    response.that(
        expires_at > told_at(&response),
        "The link has expired when it is given.",
        &format!("later than {}", told_at(&response)),
        response.text("/data/expiresAt"),
    )?;
    context.snapshot(&response);
    Ok(())
}

async fn rendered(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let response = context.send(statement(context, &id)?).await?;
    response.is(200)?.has("/data/isUploaded", false)?;
    Ok(())
}

async fn repeated(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    calmly(context, runs!(repeated_thrice)).await
}

async fn repeated_thrice(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let first = Document::of(context, &id).await?;
    for _ in 0..2 {
        let again = Document::of(context, &id).await?;
        again.is_same_as(&first, "nothing changed")?;
    }
    if let Ok(key) = context.key(Role::CommissionsWrite) {
        let response = context.send(statement(context, &id)?.with(&key)).await?;
        let again = Document::behind(context, response).await?;
        again.is_same_as(&first, "another key of the organisation asked for it")?;
    }
    Ok(())
}

async fn signed_anew(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    /// A link may name its end in seconds: so many requests fill more than one. In milliseconds no two requests have one end.
    const CALLS: usize = 40;
    const BETWEEN: std::time::Duration = std::time::Duration::from_millis(50);
    /// Links that somebody keeps for a while may change once between these.
    const IN_MILLISECONDS: usize = 3;
    let id = context.fixture(Fixture::Payout)?;
    let first = Document::of(context, &id).await?;
    let in_seconds = first.response.text("/data/expiresAt").ends_with(".000Z");
    let mut earlier = first.response.clone();
    let (mut requests, mut renewed) = (0, 0);
    while requests < CALLS && renewed < IN_MILLISECONDS {
        tokio::time::sleep(BETWEEN).await;
        let later = context.send(statement(context, &id)?).await?;
        let is_other =
            later.is(200)?.text("/data/downloadUrl") != earlier.text("/data/downloadUrl");
        let is_later = instant(&later, "/data/expiresAt")? > instant(&earlier, "/data/expiresAt")?;
        requests += 1;
        if is_other && is_later {
            renewed = if in_seconds {
                IN_MILLISECONDS
            } else {
                renewed + 1
            };
        }
        let may_be_same = in_seconds && requests < CALLS;
        later.that(
            (is_other && is_later) || (may_be_same && !is_other),
            "A later request gives the same link again, or one that ends no later.",
            &format!(
                "another link, and expiresAt after {}",
                earlier.text("/data/expiresAt")
            ),
            later.text("/data/expiresAt"),
        )?;
        earlier = later;
    }
    first.is_still_there(context).await
}

/// Requests at once have one asset, name and document.
async fn one_document(context: &mut CaseContext<'_>, id: &str) -> Result<(), CaseOutcome> {
    let request = statement(context, id)?;
    let responses = at_once(context, vec![request; MANY]).await?;
    let mut first: Option<Document> = None;
    for response in responses {
        response.is(200)?;
        let Some(document) = Document::in_time(context, response).await? else {
            continue;
        };
        match &first {
            Some(first) => document.is_same_as(first, "all were asked for at once")?,
            None => first = Some(document),
        }
    }
    Ok(())
}

async fn all_at_once(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    calmly(context, runs!(all_at_once_now)).await
}

async fn all_at_once_now(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    one_document(context, &id).await
}

async fn new_at_once(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(new_at_once_now)).await
}

async fn new_at_once_now(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    // Nobody has asked for a statement with the lease's own PO number.
    one_document(context, lease.payout()).await
}

async fn each_its_own(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let one = context.fixture(Fixture::Payout)?;
    let other = context.fixture(Fixture::PayoutOfManyLines)?;
    if one == other {
        return Err(CaseOutcome::missing("two payouts with lines"));
    }
    let one = Document::of(context, &one).await?;
    let other = Document::of(context, &other).await?;
    other.response.that(
        other.response.at("/data/assetId") != one.response.at("/data/assetId")
            && other.bytes() != one.bytes(),
        "Two payouts have one document.",
        "two assets with other bytes",
        other.response.text("/data/assetId"),
    )?;
    Ok(())
}

/// A payout after its statement was generated is what it was before.
fn is_untouched(
    context: &CaseContext<'_>,
    before: &Response,
    after: &Response,
) -> Result<(), CaseOutcome> {
    after.has("/data/stage", before.at("/data/stage").clone())?;
    let (was, is) = (own(before), own(after));
    after.that(
        is == was,
        "The payout is not what it was before its statement was generated.",
        &was.to_string(),
        &is.to_string(),
    )?;
    if context.deployment().features.contains(&Feature::Seeded) {
        // Also where somebody else's statement was the first.
        let dataset = Dataset::read();
        let mut payouts = dataset.payouts().iter();
        let seeded = payouts.find(|payout| payout["id"] == *after.at("/data/id"));
        if let Some(seeded) = seeded {
            after.has("/data/stage", seeded["stage"].clone())?;
        }
    }
    Ok(())
}

async fn stage(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let before = context.given(payout(context, &id)?).await?;
    context.send(statement(context, &id)?).await?.is(200)?;
    let after = context.send(payout(context, &id)?).await?;
    is_untouched(context, &before, &after)
}

async fn stage_of_new(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(stage_of_new_now)).await
}

async fn stage_of_new_now(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let before = context.given(payout(context, &id)?).await?;
    before.has("/data/poNumber", lease.po_number())?;
    context.send(statement(context, &id)?).await?.is(200)?;
    let after = context.send(payout(context, &id)?).await?;
    is_untouched(context, &before, &after)
}

async fn body_ignored(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    calmly(context, runs!(body_ignored_now)).await
}

async fn body_ignored_now(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    const LARGEST: usize = 64 * 1_024;
    let id = context.fixture(Fixture::Payout)?;
    let request = statement(context, &id)?;
    let plain = context.given(request.clone()).await?;
    let bodies = [
        ("application/json", "{}".to_owned()),
        (
            "application/json",
            r#"{"isUploaded":true,"unknown":1}"#.to_owned(),
        ),
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
    let response = context
        .send(request.body("text/plain", " ".repeat(LARGEST + 1)))
        .await?;
    context.is_error(&response, 413, "PAYLOAD_TOO_LARGE")
}
