//! The marker of a run: while a run changes data, the domain of one partner names the run and how
//! long it may last, so that a run on another machine is refused. The partner's own domain follows
//! in the same text, so that any later run can restore it.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::{
    partner::partner_path,
    restore::{end_run, outside},
    texts::MARKER,
};
use crate::{
    deployment::Deployment,
    exchange::{Request, Response},
    journal::Original,
    target::{Fixture, Role},
};

/// Stands for the domain of a partner that has none.
const NO_DOMAIN: &str = "none.invalid";
/// Characters of the longest domain (§4.3), and of a mark before the own one.
const DOMAIN: usize = 255;
const MARK: usize = 48;
/// The time after the deadline in which a run restores what it changed.
const TO_RESTORE: Duration = Duration::from_secs(120);

/// A domain such as `conformance-0123456789abcdef-1790000000.nordwind.example`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    run: String,
    until: DateTime<Utc>,
    own: Option<String>,
}

/// The marker of this run. Without [`Marker::release`] it stays until its time is over, or until
/// the next run with the same journal restores the partner.
#[derive(Debug)]
#[must_use = "a marker that is not released stays"]
pub(crate) struct Marker {
    deployment: Arc<Deployment>,
    partner: String,
    run: String,
}

/// Why a run has no marker.
#[derive(Debug)]
pub(crate) enum Unmarked {
    /// Another run has marked the organisation.
    Held(String),
    Impossible(String),
}

impl From<String> for Unmarked {
    fn from(why: String) -> Self {
        Self::Impossible(why)
    }
}

impl Mark {
    fn of(partner: &Value) -> Option<Self> {
        let rest = partner["domain"].as_str()?.strip_prefix(MARKER)?;
        let (mark, own) = rest.split_once('.')?;
        let (run, until) = mark.split_once('-')?;
        Some(Self {
            run: run.to_owned(),
            until: DateTime::from_timestamp_secs(until.parse().ok()?)?,
            own: (own != NO_DOMAIN).then(|| own.to_owned()),
        })
    }

    fn text(&self) -> String {
        let own = self.own.as_deref().unwrap_or(NO_DOMAIN);
        format!("{MARKER}{}-{}.{own}", self.run, self.until.timestamp())
    }
}

/// Describes the run of another journal that holds the organisation now; `own` are the runs of this
/// journal.
///
/// # Errors
/// The partners cannot be read.
pub(crate) async fn holder(
    deployment: &Arc<Deployment>,
    own: &[&str],
) -> Result<Option<String>, String> {
    let list = partners(deployment).await?;
    Ok(list.items().iter().find_map(|partner| {
        let mark = Mark::of(partner)?;
        let is_held = mark.until > list.responded_at() && !own.contains(&mark.run.as_str());
        is_held.then(|| held(&mark, partner["id"].as_str().unwrap_or_default()))
    }))
}

fn held(mark: &Mark, partner: &str) -> String {
    let until = mark.until.to_rfc3339_opts(SecondsFormat::Secs, true);
    format!("run {} until {until}, by the domain of partner {partner}", mark.run)
}

impl Marker {
    /// Marks the organisation for as long as the run may last. `deployment` is the target itself,
    /// not behind a proxy, with the run's journal.
    pub(crate) async fn set(deployment: Arc<Deployment>) -> Result<Self, Unmarked> {
        let list = partners(&deployment).await?;
        let changed = deployment.fixture(Fixture::Partner).unwrap_or_default();
        let mut others = list.items().iter().filter(|partner| partner["id"] != changed);
        let has_room = |partner: &&Value| {
            partner["domain"].as_str().is_none_or(|domain| domain.len() + MARK <= DOMAIN)
        };
        // One whose time is over is taken over.
        let partner = others.clone().find(|partner| Mark::of(partner).is_some());
        let Some(partner) = partner.or_else(|| others.rfind(has_room)) else {
            let why = "the organisation has no partner besides the fixture partner";
            return Err(Unmarked::Impossible(why.to_owned()));
        };
        let mut was = partner.clone();
        if let Some(lapsed) = Mark::of(partner) {
            was["domain"] = json!(lapsed.own);
        }
        let time = deployment.budget.deadline.time() + TO_RESTORE;
        let mark = Mark {
            run: deployment.intents.run().unwrap_or_default().to_owned(),
            until: list.responded_at() + time,
            own: was["domain"].as_str().map(str::to_owned),
        };
        let marker = Self {
            partner: partner["id"].as_str().unwrap_or_default().to_owned(),
            run: mark.run.clone(),
            deployment: Arc::clone(&deployment),
        };
        let original = Original::Partner { id: marker.partner.clone(), was };
        deployment.intents.will_change("marker", original)?;
        let body = json!({ "domain": mark.text() });
        let marked = marker.send(Request::patch(partner_path(&marker.partner), &body)).await?;
        if !marked.is_success() {
            marker.release().await;
            let why = format!("a PATCH of a partner's domain got {}", marked.status_line());
            return Err(Unmarked::Impossible(why));
        }
        // A run that read the list at the same moment may write its own mark until now.
        tokio::time::sleep(2 * (list.elapsed + marked.elapsed)).await;
        let now = marker.send(Request::get(partner_path(&marker.partner))).await?;
        match Mark::of(now.at("/data")) {
            Some(other) if other.run != mark.run => {
                Err(Unmarked::Held(refusal(&held(&other, &marker.partner))))
            }
            _ => Ok(marker),
        }
    }

    /// Restores the partner's own domain; returns what is left, if it could not.
    pub(crate) async fn release(&self) -> Vec<String> {
        let now = self.send(Request::get(partner_path(&self.partner))).await;
        let mark = now.ok().and_then(|now| Mark::of(now.at("/data")));
        let is_taken = mark.is_some_and(|mark| mark.run != self.run);
        if is_taken {
            return vec![format!("another run replaced the marker of partner {}", self.partner)];
        }
        end_run(&self.deployment).await.into_iter().map(|(_, what)| what).collect()
    }

    async fn send(&self, request: Request) -> Result<Response, String> {
        send(&self.deployment, request).await
    }
}

/// Says what to do where another run holds the organisation.
pub(crate) fn refusal(holder: &str) -> String {
    format!(
        "another run is changing the organisation of the key `all`: {holder}. Wait for its end, or \
         run with --read-only. If it was killed, repeat it with its journal, which restores what \
         it changed, or wait until that time"
    )
}

/// Reads the first partners of the organisation under test.
async fn partners(deployment: &Arc<Deployment>) -> Result<Response, String> {
    let list = send(deployment, Request::get("/api/v1/partners?limit=100")).await?;
    if list.is_success() {
        return Ok(list);
    }
    Err(format!("the list of partners got {}", list.status_line()))
}

async fn send(deployment: &Arc<Deployment>, request: Request) -> Result<Response, String> {
    let key = deployment.keys.get(Role::All).ok_or("the target has no key `all`")?;
    let request = request.with(key);
    let mut context = outside(deployment);
    context.send_to_restore(request).await.map_err(|ended| ended.because.reason())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{
        deployment::{
            intents::Intents,
            stub::{self, Stub},
        },
        journal::{Journal, unfinished},
        secret::Redaction,
    };

    const TARGET: &str = "[keys]\nall = \"KEY\"\n[fixtures]\npartner = \"p\"\n";

    /// An organisation of two partners, of which the second has this domain.
    async fn organisation(domain: Option<&str>) -> Stub {
        let domain = Mutex::new(json!(domain));
        Stub::start_by_method(move |method, _, target, body| {
            let mut domain = domain.lock().unwrap();
            if method == "PATCH" {
                let body: Value = serde_json::from_str(body).unwrap();
                *domain = body["domain"].clone();
            }
            let other = json!({ "id": "q", "name": "Other", "domain": *domain });
            let date = format!("date: {}\r\n", Utc::now().to_rfc2822().replace("+0000", "GMT"));
            let list = json!([{ "id": "p", "name": "Fixture", "domain": null }, other]);
            let data = if target.contains('?') { list } else { other };
            (200, date, json!({ "data": data }))
        })
        .await
    }

    /// A run with a journal of its own in this folder.
    fn run(stub: &Stub, folder: &tempfile::TempDir, name: &str) -> Arc<Deployment> {
        let mut deployment = stub::deployment(&stub.base_url, TARGET);
        let journal = Journal::open(&folder.path().join(name), Redaction::default()).unwrap();
        deployment.intents = Intents::new(journal);
        Arc::new(deployment)
    }

    async fn domain(run: &Arc<Deployment>) -> Value {
        partners(run).await.unwrap().at("/data/1/domain").clone()
    }

    #[tokio::test]
    async fn second_run_is_refused_until_the_first_releases_its_marker() {
        for own in [None, Some("other.example")] {
            let (stub, folder) = (organisation(own).await, tempfile::tempdir().unwrap());
            let (first, second) = (run(&stub, &folder, "one"), run(&stub, &folder, "two"));
            let marker = Marker::set(Arc::clone(&first)).await.unwrap();
            let holder = holder(&second, &[]).await.unwrap().expect("the first run holds it");
            let name = first.intents.run().unwrap();
            assert!(holder.starts_with(&format!("run {name} until 2")), "{holder}");
            assert!(holder.ends_with("by the domain of partner q"), "{holder}");
            // The run that repeats a killed one knows its marker.
            assert_eq!(super::holder(&second, &[name]).await.unwrap(), None);
            assert_eq!(marker.release().await, Vec::<String>::new());
            assert_eq!(super::holder(&second, &[]).await.unwrap(), None);
            assert_eq!(domain(&second).await, json!(own));
            assert_eq!(unfinished(&folder.path().join("one")).unwrap(), []);
        }
    }

    #[tokio::test]
    async fn marker_whose_time_is_over_is_taken_over_with_the_own_domain() {
        let lapsed = "conformance-0123456789abcdef-1700000000.other.example";
        let (stub, folder) = (organisation(Some(lapsed)).await, tempfile::tempdir().unwrap());
        let next = run(&stub, &folder, "journal");
        assert_eq!(holder(&next, &[]).await.unwrap(), None);
        let marker = Marker::set(Arc::clone(&next)).await.unwrap();
        let marked = domain(&next).await;
        assert!(marked.as_str().unwrap().ends_with(".other.example"), "{marked}");
        assert!(marked.as_str().unwrap().contains(next.intents.run().unwrap()), "{marked}");
        marker.release().await;
        assert_eq!(domain(&next).await, "other.example");
    }

    #[tokio::test]
    async fn organisation_without_another_partner_is_not_marked() {
        let stub = Stub::start(|_, _| (200, String::new(), json!({ "data": [] }))).await;
        let folder = tempfile::tempdir().unwrap();
        let unmarked = Marker::set(run(&stub, &folder, "journal")).await.unwrap_err();
        assert!(matches!(unmarked, Unmarked::Impossible(_)), "{unmarked:?}");
    }
}
