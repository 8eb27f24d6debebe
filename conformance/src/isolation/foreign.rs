//! Changes by another client: where a case failed and something that it read was changed by nobody
//! in this run, the case is inconclusive and names what changed. A change within a second and a
//! half of an own one is taken for the run's own, as a faulty deployment may have made it.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use hyper::Method;
use serde_json::Value;

use crate::{
    case::{CaseContext, CaseOutcome, CaseResult, context::Exchange, ended},
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
    let is_shown = |exchange: &&Exchange| {
        let shows = [Method::GET, Method::PATCH].contains(&exchange.request.method);
        shows
            && exchange.address.is_none()
            && exchange.response.as_ref().is_ok_and(Response::is_success)
    };
    let shown = context.exchanges.iter().rev().filter(is_shown).map(|exchange| &exchange.request);
    let mut seen = BTreeSet::new();
    let shown = shown.filter(|request| seen.insert(&request.target)).take(READS);
    let reads = shown.map(|read| Request::get(&*read.target).with_key(read.key.clone()));
    // Payouts show the names of partners, whose changes they do not date.
    let all = deployment.keys.get(Role::All);
    let partners = all.map(|key| Request::get("/api/v1/partners?limit=100").with(key));
    for read in reads.chain(partners) {
        let Ok(now) = deployment.send_directly(&read).await else { continue };
        let offset = now.responded_at() - Utc::now();
        let one = Some(now.at("/data")).filter(|data| data.is_object());
        for thing in now.items().iter().chain(one) {
            let [id, time] = ["id", "updatedAt"].map(|name| thing[name].as_str());
            let Some(id) = id.filter(|id| has_shown(context, id)) else { continue };
            let Ok(time) = time.unwrap_or_default().parse::<DateTime<Utc>>() else { continue };
            if deployment.own_changes.excludes(time - offset, id) {
                return Some(described(thing));
            }
        }
    }
    None
}

fn has_shown(context: &CaseContext<'_>, id: &str) -> bool {
    let responses = context.exchanges.iter().filter_map(|exchange| exchange.response.as_ref().ok());
    let mut bodies = responses.map(|response| String::from_utf8_lossy(&response.body));
    bodies.any(|body| body.contains(id))
}

fn described(thing: &Value) -> String {
    let text = |name: &str| thing[name].as_str().unwrap_or_default();
    let name = thing["name"].as_str().map(|name| format!(" ({name:?})")).unwrap_or_default();
    format!("{}{name} at {}", text("id"), text("updatedAt"))
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use chrono::TimeDelta;
    use serde_json::json;

    use super::*;
    use crate::{
        case::Case,
        deployment::stub::{self, Stub},
    };

    static READS: Case =
        Case { clause: "§4.2", run: &|context| Box::pin(reads_twice(context)), ..Case::NONE };

    async fn reads_twice(context: &mut CaseContext<'_>) -> CaseResult {
        let request = Request::get("/api/v1/partners/p").with(&context.all()?);
        let first = context.ok(request.clone()).await?;
        context.ok(request).await?.has("/data", first.at("/data").clone()).map(drop)
    }

    /// Reads, in a run that began a minute ago, a partner that has another name from the second
    /// request on, changed so many seconds ago.
    async fn reads_beside_a_change(seconds_ago: i64) -> CaseOutcome {
        let requests = AtomicUsize::new(0);
        let changed_at = Utc::now() - TimeDelta::seconds(seconds_ago);
        let stub = Stub::start(move |_, _| {
            let is_first = requests.fetch_add(1, Ordering::Relaxed) == 0;
            let name = if is_first { "Nordwind" } else { "Foreign" };
            let data = json!({ "id": "p", "name": name, "updatedAt": changed_at.to_rfc3339() });
            (200, String::new(), json!({ "data": data }))
        })
        .await;
        let mut deployment = stub::deployment(&stub.base_url, "[keys]\nall = \"KEY\"\n");
        deployment.own_changes.begun -= TimeDelta::seconds(60);
        let deployment = Arc::new(deployment);
        let mut context = CaseContext::of(&deployment, &READS).await;
        let outcome = (READS.run)(&mut context).await;
        beside_others(&context, outcome).await.unwrap_err()
    }

    #[tokio::test]
    async fn case_beside_a_foreign_change_is_inconclusive_and_names_it() {
        let outcome = reads_beside_a_change(5).await;
        assert_eq!(outcome.verdict, Verdict::Inconclusive);
        let what = outcome.because.what;
        assert!(what.contains("Another client changed p (\"Foreign\") at 2"), "{what}");
        assert!(what.contains("another value at /data"), "{what}");
        let before_the_run = reads_beside_a_change(3_600).await;
        assert_eq!(before_the_run.verdict, Verdict::Fail);
    }
}
