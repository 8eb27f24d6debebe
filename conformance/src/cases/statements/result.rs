//! The answer of a statement, and what calls have in common that come one after the other or all at once.
//!
//! It refuses to call two documents the same for their names: their bytes are.

use serde_json::Value;

use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    cases::money::{
        at_once,
        dataset::Dataset,
        document::{Document, statement},
        instant,
        lease::{HOOKS, Lease, calmly, hold, leased},
        own, payout, told_at,
    },
    exchange::Answer,
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
/// Calls at once.
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
        "Repeated calls return the same document: its asset, its name and its bytes.",
        "§4.7.3",
        runs!(repeated),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.signed-anew",
        "Each call signs the link anew, and the one before still leads to the document.",
        "S5",
        runs!(signed_anew),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "statements.at-once",
        "Calls at once return one document.",
        "§4.7.3",
        runs!(all_at_once),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(60),
    Case::new(
        "statements.at-once-new",
        "Calls at once for a state that has no document yet make one.",
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

async fn result(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    let answer = scene.send(statement(scene, &id)?).await?;
    answer.is(200)?;
    let data = answer.at("/data").as_object();
    let mut names: Vec<&str> = data
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    answer.that(
        names == FIELDS,
        "The result has other fields than its five.",
        &FIELDS.join(", "),
        &names.join(", "),
    )?;
    for name in ["assetId", "filename", "downloadUrl"] {
        let pointer = format!("/data/{name}");
        answer.that(
            !answer.text(&pointer).is_empty(),
            &format!("{name} is no text."),
            "a string that is not empty",
            &answer.at(&pointer).to_string(),
        )?;
    }
    let link = answer.text("/data/downloadUrl");
    answer.that(
        link.starts_with("https://") || link.starts_with("http://"),
        "downloadUrl is no link that can be followed.",
        "an absolute URI of http or https",
        link,
    )?;
    answer.that(
        answer.at("/data/isUploaded").is_boolean(),
        "isUploaded is no boolean.",
        "true or false",
        &answer.at("/data/isUploaded").to_string(),
    )?;
    let expires_at = instant(&answer, "/data/expiresAt")?;
    answer.that(
        expires_at > told_at(&answer),
        "The link has expired when it is given.",
        &format!("later than {}", told_at(&answer)),
        answer.text("/data/expiresAt"),
    )?;
    scene.snapshot(&answer);
    Ok(())
}

async fn rendered(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    let answer = scene.send(statement(scene, &id)?).await?;
    answer.is(200)?.has("/data/isUploaded", false)?;
    Ok(())
}

async fn repeated(scene: &mut Scene<'_>) -> Result<(), Stop> {
    calmly(scene, runs!(repeated_thrice)).await
}

async fn repeated_thrice(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    let first = Document::of(scene, &id).await?;
    for _ in 0..2 {
        let again = Document::of(scene, &id).await?;
        again.is_same_as(&first, "nothing changed")?;
    }
    if let Ok(key) = scene.key(Role::CommissionsWrite) {
        let answer = scene.send(statement(scene, &id)?.with(&key)).await?;
        let again = Document::behind(scene, answer).await?;
        again.is_same_as(&first, "another key of the organisation asked for it")?;
    }
    Ok(())
}

async fn signed_anew(scene: &mut Scene<'_>) -> Result<(), Stop> {
    /// A link may name its end in seconds: so many calls fill more than one. In milliseconds no two calls have one end.
    const CALLS: usize = 40;
    const BETWEEN: std::time::Duration = std::time::Duration::from_millis(50);
    /// Links that somebody keeps for a while may change once between these.
    const IN_MILLISECONDS: usize = 3;
    let id = scene.fixture(Fixture::Payout)?;
    let first = Document::of(scene, &id).await?;
    let in_seconds = first.answer.text("/data/expiresAt").ends_with(".000Z");
    let mut earlier = first.answer.clone();
    let (mut calls, mut renewed) = (0, 0);
    while calls < CALLS && renewed < IN_MILLISECONDS {
        tokio::time::sleep(BETWEEN).await;
        let later = scene.send(statement(scene, &id)?).await?;
        let is_other =
            later.is(200)?.text("/data/downloadUrl") != earlier.text("/data/downloadUrl");
        let is_later = instant(&later, "/data/expiresAt")? > instant(&earlier, "/data/expiresAt")?;
        calls += 1;
        if is_other && is_later {
            renewed = if in_seconds {
                IN_MILLISECONDS
            } else {
                renewed + 1
            };
        }
        let may_be_same = in_seconds && calls < CALLS;
        later.that(
            (is_other && is_later) || (may_be_same && !is_other),
            "A later call gives the same link again, or one that ends no later.",
            &format!(
                "another link, and expiresAt after {}",
                earlier.text("/data/expiresAt")
            ),
            later.text("/data/expiresAt"),
        )?;
        earlier = later;
    }
    first.is_still_there(scene).await
}

/// Calls at once have one asset, name and document.
async fn one_document(scene: &mut Scene<'_>, id: &str) -> Result<(), Stop> {
    let call = statement(scene, id)?;
    let answers = at_once(scene, vec![call; MANY]).await?;
    let mut first: Option<Document> = None;
    for answer in answers {
        answer.is(200)?;
        let Some(document) = Document::in_time(scene, answer).await? else {
            continue;
        };
        match &first {
            Some(first) => document.is_same_as(first, "all were asked for at once")?,
            None => first = Some(document),
        }
    }
    Ok(())
}

async fn all_at_once(scene: &mut Scene<'_>) -> Result<(), Stop> {
    calmly(scene, runs!(all_at_once_now)).await
}

async fn all_at_once_now(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    one_document(scene, &id).await
}

async fn new_at_once(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(new_at_once_now)).await
}

async fn new_at_once_now(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    // Nobody has asked for a statement with the lease's own PO number.
    one_document(scene, lease.payout()).await
}

async fn each_its_own(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let one = scene.fixture(Fixture::Payout)?;
    let other = scene.fixture(Fixture::PayoutOfManyLines)?;
    if one == other {
        return Err(Stop::missing("two payouts with lines"));
    }
    let one = Document::of(scene, &one).await?;
    let other = Document::of(scene, &other).await?;
    other.answer.that(
        other.answer.at("/data/assetId") != one.answer.at("/data/assetId")
            && other.bytes() != one.bytes(),
        "Two payouts have one document.",
        "two assets with other bytes",
        other.answer.text("/data/assetId"),
    )?;
    Ok(())
}

/// A payout after its statement was generated is what it was before.
fn is_untouched(scene: &Scene<'_>, before: &Answer, after: &Answer) -> Result<(), Stop> {
    after.has("/data/stage", before.at("/data/stage").clone())?;
    let (was, is) = (own(before), own(after));
    after.that(
        is == was,
        "The payout is not what it was before its statement was generated.",
        &was.to_string(),
        &is.to_string(),
    )?;
    if scene.deployment().features.contains(&Feature::Seeded) {
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

async fn stage(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    let before = scene.given(payout(scene, &id)?).await?;
    scene.send(statement(scene, &id)?).await?.is(200)?;
    let after = scene.send(payout(scene, &id)?).await?;
    is_untouched(scene, &before, &after)
}

async fn stage_of_new(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(stage_of_new_now)).await
}

async fn stage_of_new_now(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let before = scene.given(payout(scene, &id)?).await?;
    before.has("/data/poNumber", lease.po_number())?;
    scene.send(statement(scene, &id)?).await?.is(200)?;
    let after = scene.send(payout(scene, &id)?).await?;
    is_untouched(scene, &before, &after)
}

async fn body_ignored(scene: &mut Scene<'_>) -> Result<(), Stop> {
    calmly(scene, runs!(body_ignored_now)).await
}

async fn body_ignored_now(scene: &mut Scene<'_>) -> Result<(), Stop> {
    const LARGEST: usize = 64 * 1_024;
    let id = scene.fixture(Fixture::Payout)?;
    let call = statement(scene, &id)?;
    let plain = scene.given(call.clone()).await?;
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
        let answer = scene.send(call.clone().body(media_type, body)).await?;
        let asset: Value = plain.at("/data/assetId").clone();
        answer.is(200)?.has("/data/assetId", asset)?;
    }
    let answer = scene
        .send(call.body("text/plain", " ".repeat(LARGEST + 1)))
        .await?;
    scene.is_error(&answer, 413, "PAYLOAD_TOO_LARGE")
}
