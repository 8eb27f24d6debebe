//! Claims about runs of cases made by hand, on a deployment made of prepared responses.
//!
//! They refuse to look into a case: what counts is whether it ran, and what was written before it did.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::json;

use super::*;
use crate::{
    case::definition::runs,
    exchange::Request,
    journal::{Journal, unfinished},
    run::stub::{self, Stub},
    secret::Redaction,
    verdict::Verdict,
};

const KEYS: &str = "[keys]\nall = \"ALL\"\n";

async fn two_requests(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for _ in 0..2 {
        let request = Request::get("/api/v1/nothing").with(&context.all()?);
        context.send(request).await?;
    }
    Ok(())
}

/// How often a case was in the middle of its work while its intent was not in the journal.
static UNTOLD: AtomicUsize = AtomicUsize::new(0);

async fn looks_into_the_journal(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let path = context.fixture(crate::target::Fixture::Partner)?;
    let told = unfinished(Path::new(&path)).unwrap();
    if told.len() != 1 || told[0].case != "a.change" {
        UNTOLD.fetch_add(1, Ordering::SeqCst);
    }
    context.remains("something stays");
    Ok(())
}

static QUIET: [Case; 6] =
    [Case::new("a.read", "Reads.", "§4.6", runs!(two_requests)).requests(2); 6];
static CHANGE: Case = Case::new(
    "a.change",
    "Changes.",
    "§4.6",
    runs!(looks_into_the_journal),
)
.fixtures(&[crate::target::Fixture::Partner])
.changes(Changes::Irreversible)
.requests(2);

static COUNT: Case = Case::new("a.count", "Counts.", "§4.6", runs!(two_requests))
    .requests(2)
    .counts();

#[derive(Default)]
struct Told(Vec<String>);

impl Progress for Told {
    fn began(&mut self, id: &str) {
        self.0.push(format!("began {id}"));
    }

    fn ended(&mut self, report: &CaseReport) {
        self.0.push(format!("ended {}", report.id));
    }
}

fn planned(case: &'static Case) -> Planned {
    Planned {
        case,
        missing: Vec::new(),
    }
}

/// A deployment that knows nothing, and spends a credit each time that it says so.
async fn stub(credits: usize) -> Stub {
    let spent = AtomicUsize::new(0);
    Stub::start(move |_, _| {
        let left = credits - spent.fetch_add(1, Ordering::SeqCst);
        let headers = format!("x-service-credits-remaining-month: {left}\r\n");
        (404, headers, json!({ "error": {} }))
    })
    .await
}

fn skipped(reports: &[CaseReport]) -> Vec<&CaseReport> {
    let skipped = reports
        .iter()
        .filter(|report| report.verdict == Verdict::Skipped);
    skipped.collect()
}

#[tokio::test]
async fn run_sends_no_more_than_its_budget_and_skips_the_rest_with_the_reason() {
    let stub = stub(10_000).await;
    let budget = format!("{KEYS}[budget]\nmax_requests = 7\n");
    let deployment = Arc::new(stub::deployment(&stub.base_url, &budget));
    let cases: Vec<Planned> = QUIET.iter().map(planned).collect();
    let mut told = Told::default();
    let (reports, _) = run_cases(&deployment, &cases, &mut told).await;
    assert_eq!(stub.asked().len(), 6, "three cases of two requests fit");
    let skipped = skipped(&reports);
    assert_eq!(skipped.len(), 3);
    let why = &skipped[0].because.as_ref().unwrap().missing;
    assert_eq!(
        *why,
        ["budget.max_requests is used up (a run sends 7 at most)"]
    );
    assert_eq!(deployment.budget.stops(), *why);
    let began = told
        .0
        .iter()
        .filter(|line| line.starts_with("began"))
        .count();
    assert_eq!((began, told.0.len()), (3, 9));
}

#[tokio::test]
async fn run_leaves_the_reserve_of_credits_alone() {
    let stub = stub(130).await;
    let deployment = Arc::new(stub::deployment(&stub.base_url, KEYS));
    let cases: Vec<Planned> = QUIET.iter().cycle().take(20).map(planned).collect();
    let (reports, _) = run_cases(&deployment, &cases, &mut Told::default()).await;
    let skipped = skipped(&reports);
    // Of 30 credits above the reserve each case takes two. Answers of cases side by side may arrive out of order.
    assert!((4..=6).contains(&skipped.len()), "{}", skipped.len());
    let why = &skipped[0].because.as_ref().unwrap().missing[0];
    assert!(
        why.starts_with("budget.credits_reserve is reached"),
        "{why}"
    );
}

#[tokio::test]
async fn case_that_counts_runs_when_no_other_does() {
    let stub = stub(10_000).await;
    let deployment = Arc::new(stub::deployment(&stub.base_url, KEYS));
    let mut cases = vec![planned(&COUNT)];
    cases.extend(QUIET.iter().map(planned));
    let mut told = Told::default();
    let (reports, _) = run_cases(&deployment, &cases, &mut told).await;
    let last = told.0.len() - 2;
    assert_eq!(told.0[last..], ["began a.count", "ended a.count"]);
    assert_eq!(reports[0].id, "a.count", "reports keep the plan's order");
}

#[tokio::test]
async fn change_is_in_the_journal_before_it_begins_and_ended_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.journal.jsonl");
    let journal = Journal::open(&path, Redaction::default()).unwrap();
    let fixture = format!("{KEYS}[fixtures]\npartner = \"{}\"\n", path.display());
    let deployment = stub::deployment("http://127.0.0.1:1", &fixture).with_journal(journal);
    let (reports, remains) = run_cases(
        &Arc::new(deployment),
        &[planned(&CHANGE)],
        &mut Told::default(),
    )
    .await;
    assert_eq!(
        reports[0].verdict,
        Verdict::Pass,
        "{:?}",
        reports[0].because
    );
    assert_eq!(UNTOLD.load(Ordering::SeqCst), 0);
    assert_eq!(
        remains,
        [("a.change".to_owned(), "something stays".to_owned())]
    );
    assert!(unfinished(&path).unwrap().is_empty());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("pass; remains: something stays"), "{text}");
}

#[tokio::test]
async fn without_a_journal_nothing_is_changed() {
    let fixture = format!("{KEYS}[fixtures]\npartner = \"ptn_1\"\n");
    let deployment = Arc::new(stub::deployment("http://127.0.0.1:1", &fixture));
    let (reports, remains) =
        run_cases(&deployment, &[planned(&CHANGE)], &mut Told::default()).await;
    assert_eq!(skipped(&reports).len(), 1);
    assert!(remains.is_empty());
}
