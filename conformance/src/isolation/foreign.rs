//! Changes by another client: where a case failed and something that it read was changed by nobody
//! in this run, the case is inconclusive and names what changed.

use chrono::{DateTime, Utc};
use hyper::Method;
use serde_json::Value;

use crate::{
    case::{CaseContext, CaseOutcome, CaseResult, context::Exchange, ended},
    deployment::own_changes::{is_change, sent},
    exchange::{Request, Response},
    target::Role,
    verdict::Verdict,
};

/// Reads of a failed case that are repeated.
const READS: usize = 6;
/// The outcome of a case; inconclusive where it failed beside a change by another client.
pub(crate) async fn beside_others(context: &CaseContext<'_>, outcome: CaseResult) -> CaseResult {
    if !ended(&outcome, Verdict::Fail) {
        return outcome;
    }
    let Some(changed) = changed_by_another(context).await else { return outcome };
    let Err(failed) = outcome else { return outcome };
    Err(CaseOutcome::inconclusive(
        format!(
            "Another client changed {changed} during the run. The case failed beside it: {}",
            failed.because.what
        ),
        "an organisation that nobody else changes while a run lasts",
        changed,
        failed.because.exchange,
    ))
}

async fn changed_by_another(context: &CaseContext<'_>) -> Option<String> {
    let deployment = context.deployment();
    let api = context.exchanges.iter().filter(|exchange| exchange.address.is_none());
    let mut reads: Vec<Request> = Vec::new();
    for exchange in api.rev() {
        let read = match exchange.request.method {
            Method::GET => exchange.request.clone(),
            Method::PATCH => {
                let Request { target, key, .. } = exchange.request.clone();
                Request::get(target).with_key(key)
            }
            _ => continue,
        };
        let is_known = reads.iter().any(|other| other.target == read.target);
        let is_answered = exchange.response.as_ref().is_ok_and(Response::is_success);
        if is_answered && !is_known && reads.len() < READS {
            reads.push(read);
        }
    }
    // Payouts show the names of partners, whose changes they do not date.
    let all = deployment.keys.get(Role::All);
    reads.extend(all.map(|key| Request::get("/api/v1/partners?limit=100").with(key)));
    for read in reads {
        let Ok(now) = deployment.send_directly(&read).await else { continue };
        let offset = now.responded_at() - Utc::now();
        let one = Some(now.at("/data")).filter(|data| data.is_object());
        for thing in now.items().iter().chain(one) {
            let text = thing["updatedAt"].as_str().unwrap_or_default();
            let Ok(time) = text.parse::<DateTime<Utc>>() else { continue };
            if !has_shown(context, &thing["id"]) {
                continue;
            }
            let id = thing["id"].as_str().unwrap_or_default();
            if deployment.own_changes.excludes(time - offset, id)
                || is_unknown(context, thing, time)
            {
                return Some(described(thing));
            }
        }
    }
    None
}

/// Returns true if a response of the case contains this id.
fn has_shown(context: &CaseContext<'_>, id: &Value) -> bool {
    let responses = context.exchanges.iter().filter_map(|exchange| exchange.response.as_ref().ok());
    let mut bodies = responses.map(|response| String::from_utf8_lossy(&response.body));
    id.as_str().is_some_and(|id| bodies.any(|body| body.contains(id)))
}

/// Returns true if the case changed this thing, and it is in a later state that no change of the
/// case made: with a value that was never sent, nor shown until the last change.
fn is_unknown(context: &CaseContext<'_>, thing: &Value, time: DateTime<Utc>) -> bool {
    let shows = |exchange: &&Exchange| {
        let response = exchange.response.as_ref().ok();
        response.is_some_and(|response| response.at("/data/id") == &thing["id"])
    };
    let is_own = |exchange: &Exchange| {
        // An update that should change nothing may do so in a faulty deployment.
        let is_update = exchange.request.method == Method::PATCH;
        let response = exchange.response.as_ref().ok();
        response.is_some_and(|response| {
            is_update && response.is_success() || is_change(&exchange.request, response)
        })
    };
    let Some(last) =
        context.exchanges.iter().rposition(|exchange| is_own(exchange) && shows(&exchange))
    else {
        return false;
    };
    let until = context.exchanges[..=last].iter().filter(shows);
    let shown: Vec<&Response> =
        until.filter_map(|exchange| exchange.response.as_ref().ok()).collect();
    let sent: Vec<Value> =
        context.exchanges.iter().filter_map(|exchange| sent(&exchange.request)).collect();
    let is_known = |name: &str, value: &Value| {
        shown.iter().any(|response| response.at("/data").get(name) == Some(value))
            || sent.iter().any(|body| body.get(name) == Some(value))
    };
    let is_later = |response: &&Response| {
        let at = response.text("/data/updatedAt").parse::<DateTime<Utc>>();
        at.is_ok_and(|at| time > at)
    };
    // A change of one thing may change another: a new line the amount of its payout.
    let own = context.exchanges.iter().filter(|exchange| is_own(exchange));
    let mut responses = own.filter_map(|exchange| exchange.response.as_ref().ok());
    let members = thing.as_object().into_iter().flatten();
    shown.iter().all(is_later)
        && responses.all(|response| is_later(&response))
        && members
            .filter(|(name, _)| *name != "updatedAt")
            .any(|(name, value)| !is_known(name, value))
}

fn described(thing: &Value) -> String {
    let text = |name: &str| thing[name].as_str().unwrap_or_default();
    let name = thing["name"].as_str().map(|name| format!(" ({name:?})")).unwrap_or_default();
    format!("{}{name} at {}", text("id"), text("updatedAt"))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::json;

    use super::*;
    use crate::{
        case::{Case, definition::runs},
        deployment::{
            Deployment,
            stub::{self, Stub},
        },
        isolation::ChangedPartner,
    };

    const TARGET: &str = "[keys]\nall = \"KEY\"\n[fixtures]\npartner = \"p\"\n";
    const EARLIER: &str = "2026-05-20T09:00:00.000Z";

    async fn reads_twice(context: &mut CaseContext<'_>) -> CaseResult {
        let request = Request::get("/api/v1/partners/p").with(&context.all()?);
        let first = context.ok(request.clone()).await?;
        context.ok(request).await?.has("/data", first.at("/data").clone()).map(drop)
    }

    async fn renames(context: &mut CaseContext<'_>) -> CaseResult {
        let partner = ChangedPartner::new(context).await?;
        let read = context.ok(partner.get()).await?;
        read.has("/data/name", partner.renamed["name"].clone()).map(drop)
    }

    static READS: Case = Case::new("a.read", "Reads.", "§4.2", runs!(reads_twice));
    static RENAMES: Case = Case::new("a.rename", "Renames.", "§4.3", runs!(renames));

    /// A partner that has another name and `updatedAt` from a request on; a PATCH changes its name
    /// as it says.
    async fn partner(from: usize, name: &'static str, updated_at: String) -> Stub {
        let state = Mutex::new((0, "Nordwind".to_owned(), EARLIER.to_owned()));
        Stub::start_by_method(move |method, _, _, body| {
            let (requests, shown, at) = &mut *state.lock().unwrap();
            *requests += 1;
            if method == "PATCH" {
                let body: Value = serde_json::from_str(body).unwrap();
                *shown = body["name"].as_str().unwrap().to_owned();
                *at = Utc::now().to_rfc3339();
            }
            if *requests == from {
                (*shown, *at) = (name.to_owned(), updated_at.clone());
            }
            let data = json!({ "id": "p", "name": shown, "updatedAt": at });
            (200, String::new(), json!({ "data": data }))
        })
        .await
    }

    /// Plays a case of a run that began a minute ago.
    async fn played(stub: &Stub, case: &'static Case) -> CaseResult {
        let mut deployment: Deployment = stub::deployment(&stub.base_url, TARGET);
        deployment.own_changes.begin_earlier(chrono::TimeDelta::seconds(60));
        let deployment = Arc::new(deployment);
        let mut context = CaseContext::of(&deployment, case).await;
        let outcome = (case.run)(&mut context).await;
        beside_others(&context, outcome).await
    }

    fn later() -> String {
        (Utc::now() - chrono::TimeDelta::seconds(5)).to_rfc3339()
    }

    #[tokio::test]
    async fn case_beside_a_foreign_change_is_inconclusive_and_names_it() {
        let stub = partner(2, "Foreign", later()).await;
        let outcome = played(&stub, &READS).await.unwrap_err();
        assert_eq!(outcome.verdict, Verdict::Inconclusive);
        let what = outcome.because.what;
        assert!(what.contains("Another client changed p (\"Foreign\") at 2"), "{what}");
        assert!(what.contains("another value at /data"), "{what}");
    }

    #[tokio::test]
    async fn foreign_change_of_what_the_case_changes_too_is_recognised() {
        // Read, rename, and then another client within the same second.
        let soon = Utc::now() + chrono::TimeDelta::seconds(1);
        let stub = partner(3, "Foreign", soon.to_rfc3339()).await;
        let outcome = played(&stub, &RENAMES).await.unwrap_err();
        assert_eq!(outcome.verdict, Verdict::Inconclusive, "{outcome:?}");
    }

    #[tokio::test]
    async fn wrong_value_at_the_time_of_the_own_change_or_from_before_the_run_is_a_failure() {
        let stub = partner(2, "Cut", EARLIER.to_owned()).await;
        assert!(ended(&played(&stub, &READS).await, Verdict::Fail));
        // The rename itself stores another name.
        let stub = partner(2, "Cut", Utc::now().to_rfc3339()).await;
        let outcome = played(&stub, &RENAMES).await;
        assert!(outcome.is_ok(), "the response shows the same: {outcome:?}");
        let stub = partner(3, "Nordwind", EARLIER.to_owned()).await;
        assert!(ended(&played(&stub, &RENAMES).await, Verdict::Fail), "the rename is undone");
    }
}
