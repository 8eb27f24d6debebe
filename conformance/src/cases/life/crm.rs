//! Syncs with a CRM (X21), whether the CRM answers or not.

use std::{collections::BTreeMap, time::Duration};

use crate::cases::prelude::*;

/// How often an unfinished sync is read, and the pause before each time.
const READS: usize = 30;
const BETWEEN_READS: Duration = Duration::from_millis(200);
/// Requests at the same time.
const CONCURRENT: usize = 4;
/// Longest id of an object.
const LONGEST_ID: usize = 255;

fn path(kind: &str, object: &str) -> String {
    format!("/api/v1/crm/objects/{kind}/sync/{object}")
}

/// Asks for a sync of the partner that the organisation of `sandbox` has in its CRM.
fn syncing(context: &CaseContext<'_>) -> CaseResult<Request> {
    let object = context.fixture(Fixture::SandboxCrmObject)?;
    Ok(Request::post(path("PARTNER", &escaped(&object))).with(&context.all()?))
}

/// Reads the sync until it has ended. Each reading must fit the one before.
async fn ended(context: &mut CaseContext<'_>, queued: &Response) -> CaseResult<Response> {
    let target = format!("/api/v1/crm/syncs/{}", queued.text("/data/id"));
    let reading = Request::get(target).with(&context.all()?);
    for _ in 0..READS {
        let sync = context.ok(reading.clone()).await?;
        for pointer in ["/data/id", "/data/objectType", "/data/objectId", "/data/createdAt"] {
            sync.has(pointer, queued.at(pointer).clone())?;
        }
        sync.has("/data/alreadyQueued", false)?;
        if !sync.at("/data/finishedAt").is_null() {
            return Ok(sync);
        }
        sync.has("/data/failure", Value::Null)?.has("/data/changed", false)?;
        tokio::time::sleep(BETWEEN_READS).await;
    }
    Err(CaseOutcome::missing("a sync that ends while the case waits"))
}

/// A sync is queued at once, and ends with its partner or with the reason why it failed.
#[case("X21", on = syncCrmObject, keys(Sandbox), fixtures(SandboxCrmObject),
       changes = Irreversible, requests = 40)]
async fn queued(context: &mut CaseContext<'_>) -> CaseResult {
    let object = context.fixture(Fixture::SandboxCrmObject)?;
    let queued = context.send(syncing(context)?).await?;
    queued.is(202)?;
    queued.has("/data/status", "QUEUED")?.has("/data/finishedAt", Value::Null)?;
    queued.has("/data/objectType", "PARTNER")?.has("/data/objectId", object.as_str())?;
    let random = ["/data/id", "/data/createdAt", "/data/alreadyQueued", "/data/objectId"];
    context.snapshot_of_random(&queued, &random);
    let sync = ended(context, &queued).await?;
    if sync.text("/data/status") == "SUCCEEDED" {
        let is_known = sync.at("/data/partnerId").is_string();
        sync.must(is_known, "A sync that succeeded names no partner.", "a partnerId")?;
        return sync.has("/data/failure", Value::Null).map(drop);
    }
    let code = sync.text("/data/failure/code");
    sync.must(!code.is_empty(), "A sync that failed has no reason.", "a code in failure")?;
    sync.has("/data/changed", false)?.has("/data/partnerId", Value::Null).map(drop)
}

/// A request that finds a sync of its object in the queue gets that one, and is told so.
#[case("X21.queued", on = syncCrmObject, keys(Sandbox), fixtures(SandboxCrmObject),
       changes = Irreversible, requests = 50)]
async fn already_queued(context: &mut CaseContext<'_>) -> CaseResult {
    let first = context.send(syncing(context)?).await?;
    first.is(202)?;
    ended(context, &first).await?;
    let responses = context.send_all(vec![syncing(context)?; CONCURRENT]).await?;
    // How many of them found it queued depends on how soon a worker takes it up.
    context.forgo_snapshots();
    let mut new = BTreeMap::new();
    for response in &responses {
        response.is(202)?;
        let is_new = *response.at("/data/alreadyQueued") == json!(false);
        *new.entry(response.text("/data/id")).or_insert(0) += usize::from(is_new);
    }
    let is_once = new.values().all(|new| *new == 1);
    responses[0].that(
        is_once,
        "Of the requests for one sync, not exactly one has queued it.",
        "`alreadyQueued` false once for each id",
        &format!("{new:?}"),
    )
}

/// The kind of an object is one of a closed set, and its id has up to 255 characters.
#[case("X21.object", on = syncCrmObject, keys(Sandbox))]
async fn outside_of_the_set(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let longest = "a".repeat(LONGEST_ID);
    for (kind, object, issue) in [
        ("DEAL", "1", "path /type NOT_IN_ENUM"),
        ("partner", "1", "path /type NOT_IN_ENUM"),
        ("COMPANY", &*format!("{longest}a"), "path /id TOO_LONG"),
    ] {
        let response = context.send(Request::post(path(kind, object)).with(&key)).await?;
        context.is_violation(&response, &[issue])?;
    }
    Ok(())
}
