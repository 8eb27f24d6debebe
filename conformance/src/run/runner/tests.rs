//! Tests of runs of sample cases, on a server with prepared responses.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::json;

use super::*;
use crate::{
    deployment::{
        intents::Intents,
        stub::{self, Stub},
    },
    exchange::Request,
    journal::{Journal, unfinished},
    secret::Redaction,
    verdict::Verdict,
};

const KEYS: &str = "[keys]\nall = \"ALL\"\n";

async fn sends(context: &mut CaseContext<'_>, requests: u32) -> CaseResult {
    for _ in 0..requests {
        let request = Request::get("/api/v1/nothing").with(&context.all()?);
        context.send(request).await?;
    }
    Ok(())
}

/// Counts runs of a case while its intent was not in the journal.
static UNWRITTEN: AtomicUsize = AtomicUsize::new(0);

async fn reads_the_journal(context: &mut CaseContext<'_>) -> CaseResult {
    let path = context.fixture(crate::target::Fixture::Partner)?;
    let open = unfinished(Path::new(&path)).unwrap();
    if open.len() != 1 || open[0].case != "a.change" {
        UNWRITTEN.fetch_add(1, Ordering::SeqCst);
    }
    context.remains("something stays");
    Ok(())
}

const READ: Case = Case {
    id: "a.read",
    clause: "§4.6",
    requests: 2,
    run: &|context| Box::pin(sends(context, 2)),
    ..Case::NONE
};
static QUIET: [Case; 6] = [READ; 6];
static COUNT: Case = Case { id: "a.count", exclusive: true, ..READ };
static TOO_MANY: Case = Case { run: &|context| Box::pin(sends(context, 3)), ..READ };
static ENDLESS: Case = Case { run: &|context| Box::pin(sends(context, u32::MAX)), ..READ };
static FAILS_EARLY: Case = Case { id: "a.early", changes: Changes::Restored, ..READ };
static FAILS_LATE: Case =
    Case { id: "a.late", run: &|context| Box::pin(fails_after_a_change(context)), ..FAILS_EARLY };
static CHANGE: Case = Case {
    id: "a.change",
    fixtures: &[crate::target::Fixture::Partner],
    changes: Changes::Irreversible,
    run: &|context| Box::pin(reads_the_journal(context)),
    ..READ
};

/// Runs cases; returns how they ended, and the events.
async fn run(deployment: &Arc<Deployment>, planned: &[Planned]) -> (Outcome, Vec<String>) {
    let coverage = Coverage::of(&stub::document()).unwrap();
    let mut events = Vec::new();
    let mut on_event = |event: Event<'_>| {
        events.push(match event {
            Event::Began(id) => format!("began {id}"),
            Event::Ended(report) => format!("ended {}", report.id),
        });
    };
    let expectations = Expectations::default();
    let outcome = run_cases(deployment, planned, &expectations, &coverage, &mut on_event).await;
    (outcome, events)
}

fn planned(case: &'static Case) -> Planned {
    Planned { case, missing: Vec::new() }
}

/// A server that answers 404 and charges a credit each time.
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
    let skipped = reports.iter().filter(|report| report.verdict == Verdict::Skipped);
    skipped.collect()
}

#[tokio::test]
async fn run_stays_within_budget_and_deadline_and_skips_the_rest_with_the_reason() {
    let used_up = "budget.max_requests is used up (a run sends at most 7)";
    // Three cases of two requests fit.
    for (seconds, fit, reason) in [(300, 3, used_up), (0, 0, "the deadline is over (--deadline 0)")]
    {
        let stub = stub(10_000).await;
        let budget = format!("{KEYS}[budget]\nmax_requests = 7\n");
        let deployment = Arc::new(stub::deployment(&stub.base_url, &budget));
        deployment.budget.deadline.set(std::time::Duration::from_secs(seconds));
        let cases: Vec<Planned> = QUIET.iter().map(planned).collect();
        let (Outcome { cases: reports, .. }, events) = run(&deployment, &cases).await;
        assert_eq!(stub.requests().len(), 2 * fit);
        let skipped = skipped(&reports);
        assert_eq!(skipped.len(), cases.len() - fit);
        assert_eq!(skipped[0].because.as_ref().unwrap().missing, [reason]);
        assert_eq!(deployment.budget.stops(), [reason]);
        let began = events.iter().filter(|line| line.starts_with("began")).count();
        assert_eq!((began, events.len()), (fit, cases.len() + fit));
    }
}

#[tokio::test]
async fn run_leaves_the_reserve_of_credits_alone() {
    let stub = stub(130).await;
    let deployment = Arc::new(stub::deployment(&stub.base_url, KEYS));
    let cases: Vec<Planned> = QUIET.iter().cycle().take(20).map(planned).collect();
    let reports = run(&deployment, &cases).await.0.cases;
    let skipped = skipped(&reports);
    // Each case takes two of 30 credits above the reserve. Responses of parallel cases may arrive
    // out of order.
    assert!((4..=6).contains(&skipped.len()), "{}", skipped.len());
    let why = &skipped[0].because.as_ref().unwrap().missing[0];
    assert!(why.starts_with("budget.credits_reserve is reached"), "{why}");
}

#[tokio::test]
async fn exclusive_case_runs_when_no_other_does() {
    let stub = stub(10_000).await;
    let deployment = Arc::new(stub::deployment(&stub.base_url, KEYS));
    let mut cases = vec![planned(&COUNT)];
    cases.extend(QUIET.iter().map(planned));
    let (outcome, events) = run(&deployment, &cases).await;
    let reports = outcome.cases;
    let last = events.len() - 2;
    assert_eq!(events[last..], ["began a.count", "ended a.count"]);
    assert_eq!(reports[0].id, "a.count", "reports keep the plan's order");
}

#[tokio::test]
async fn change_is_in_the_journal_before_it_begins_and_closed_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.journal.jsonl");
    let journal = Journal::open(&path, Redaction::default()).unwrap();
    let fixture = format!("{KEYS}[fixtures]\npartner = \"{}\"\n", path.display());
    let mut deployment = stub::deployment("http://127.0.0.1:1", &fixture);
    deployment.intents = Intents::new(journal);
    let outcome = run(&Arc::new(deployment), &[planned(&CHANGE)]).await.0;
    let reports = outcome.cases;
    assert_eq!(reports[0].verdict, Verdict::Pass, "{:?}", reports[0].because);
    assert_eq!(UNWRITTEN.load(Ordering::SeqCst), 0);
    let remains = Remains { case: "a.change".into(), what: "something stays".into() };
    assert_eq!(outcome.remains, [remains]);
    assert!(unfinished(&path).unwrap().is_empty());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("pass; remains: something stays"), "{text}");
}

#[tokio::test]
async fn without_a_journal_nothing_is_changed() {
    let fixture = format!("{KEYS}[fixtures]\npartner = \"ptn_1\"\n");
    let deployment = Arc::new(stub::deployment("http://127.0.0.1:1", &fixture));
    let outcome = run(&deployment, &[planned(&CHANGE)]).await.0;
    assert_eq!(skipped(&outcome.cases).len(), 1);
    assert!(outcome.remains.is_empty());
}

#[tokio::test]
async fn case_with_more_requests_than_it_declares_is_an_error_of_the_suite() {
    let stub = stub(10_000).await;
    let deployment = Arc::new(stub::deployment(&stub.base_url, KEYS));
    let reports = run(&deployment, &[planned(&TOO_MANY)]).await.0.cases;
    // The stub's responses violate invariants, which is reported too.
    let what = &reports[0].because.as_ref().unwrap().what;
    let error = "the case wanted 3 requests and declares 2: a bug of the suite";
    assert!(what.ends_with(error), "{what}");
    assert_eq!(stub.requests().len(), 3, "it may undo what it changed");
}

#[tokio::test]
async fn endless_case_ends_with_the_budget() {
    let stub = stub(10_000).await;
    let budget = format!("{KEYS}[budget]\nmax_requests = 7\n");
    let deployment = Arc::new(stub::deployment(&stub.base_url, &budget));
    let reports = run(&deployment, &[planned(&ENDLESS)]).await.0.cases;
    let what = &reports[0].because.as_ref().unwrap().what;
    assert!(what.contains("budget.max_requests is used up (7)"), "{what}");
    assert_eq!((stub.requests().len(), deployment.budget.sent()), (7, 7));
}

/// Changes something, and then loses the connection.
async fn fails_after_a_change(context: &mut CaseContext<'_>) -> CaseResult {
    let change = Request::post("/api/v1/nothing").with(&context.all()?);
    let _ = context.send(change).await;
    context.send(Request::get("/api/v1/nothing")).await?;
    Ok(())
}

#[tokio::test]
async fn change_of_a_case_that_ends_early_is_reported_and_stays_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.journal.jsonl");
    let journal = Journal::open(&path, Redaction::default()).unwrap();
    let mut deployment = stub::deployment("http://127.0.0.1:1", KEYS);
    deployment.intents = Intents::new(journal);
    let cases = [planned(&FAILS_LATE), planned(&FAILS_EARLY)];
    let outcome = run(&Arc::new(deployment), &cases).await.0;
    assert!(outcome.cases.iter().all(|case| case.verdict == Verdict::Error));
    assert_eq!(outcome.remains.len(), 1, "{:?}", outcome.remains);
    assert_eq!(outcome.remains[0].case, "a.late");
    assert!(outcome.remains[0].what.contains("may not have undone its change"));
    let open = unfinished(&path).unwrap();
    assert_eq!((open.len(), open[0].case.as_str()), (1, "a.late"));
}
