//! Tests of what is restored, and of what is reported where it is not, on a server with prepared
//! responses.

use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::{
    case::{definition::Running, ended},
    deployment::{
        intents::Intents,
        stub::{self, Stub},
    },
    isolation::ChangedPartner,
    journal::{Journal, unfinished},
    secret::Redaction,
    verdict::Verdict,
};

async fn renames(context: &mut CaseContext<'_>) -> CaseResult {
    ChangedPartner::new(context).await.map(drop)
}

async fn renumbers(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(crate::target::Fixture::PayoutNoted)?;
    context.renumber(&id).await.map(drop)
}

const TARGET: &str = "[keys]\nall = \"KEY\"\n[fixtures]\npartner = \"p\"\npayout_noted = \"p\"\n";

/// A partner of this name. A PATCH gets this status, and gives it the next of these names, the
/// last one again and again.
async fn partner(name: &str, names: &[&'static str], status: u16) -> Stub {
    let state = Mutex::new((name.to_owned(), names.to_vec()));
    Stub::start_by_method(move |method, _, _, _| {
        let (name, names) = &mut *state.lock().unwrap();
        let is_patch = method == "PATCH";
        if is_patch && status == 200 && !names.is_empty() {
            *name = names[0].to_owned();
            if names.len() > 1 {
                names.remove(0);
            }
        }
        let data = json!({ "id": "p", "name": *name, "domain": null });
        (if is_patch { status } else { 200 }, String::new(), json!({ "data": data }))
    })
    .await
}

/// Runs a case alone; returns its outcome, and what the end of the run could not restore.
async fn left_by(
    stub: &Stub,
    hooks: &str,
    run: for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>,
) -> (CaseResult, Vec<(&'static str, String)>) {
    const CASE: Case = Case { id: "a.case", clause: "§4.3", requests: 99, ..Case::NONE };
    let target = format!("{TARGET}[hooks]\n{hooks}");
    let deployment = Arc::new(stub::deployment(&stub.base_url, &target));
    let mut context = CaseContext::of(&deployment, &CASE).await;
    let outcome = run(&mut context).await;
    let undone = context.undo().await;
    (outcome.and(undone), end_run(&deployment).await)
}

#[tokio::test]
async fn partner_that_keeps_its_changed_name_is_reported() {
    let stub = partner("Nordwind", &["⁂ 1"], 200).await;
    let (outcome, left) = left_by(&stub, "", |context| Box::pin(renames(context))).await;
    assert!(ended(&outcome, Verdict::Error), "{outcome:?}");
    assert_eq!(left.len(), 1);
    let (case, what) = &left[0];
    assert_eq!(*case, "a.case");
    assert!(what.starts_with("partner p was {\"name\":\"Nordwind\""), "{what}");
    assert!(what.contains("not restored"), "{what}");
}

#[tokio::test]
async fn what_hooks_do_not_restore_is_reported_once() {
    let payouts = Stub::start(move |_, _| {
        let data = json!({ "id": "p", "poNumber": "PO-7", "metadata": null });
        (200, String::new(), json!({ "data": data }))
    })
    .await;
    let hooks = "set_po_number = [\"false\", \"{payout}\", \"{po_number}\"]\n\
                 clear_po_number = [\"true\", \"{payout}\"]\n";
    let (outcome, left) = left_by(&payouts, hooks, |context| Box::pin(renumbers(context))).await;
    // The hook fails before it changes anything, and the payout is read: it is as it was.
    assert!(ended(&outcome, Verdict::Error), "{outcome:?}");
    assert_eq!(left, []);

    let reads = Mutex::new(0);
    let payouts = Stub::start(move |_, _| {
        let mut reads = reads.lock().unwrap();
        *reads += 1;
        let number = if *reads > 1 { "conformance-1" } else { "PO-7" };
        let data = json!({ "id": "p", "poNumber": number, "metadata": null });
        (200, String::new(), json!({ "data": data }))
    })
    .await;
    // The hook changes the PO number, and fails all the same.
    let (outcome, left) = left_by(&payouts, hooks, |context| Box::pin(renumbers(context))).await;
    assert!(ended(&outcome, Verdict::Error), "{outcome:?}");
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].1.starts_with("the PO number of p was \"PO-7\", and is changed"), "{left:?}");
}

/// A run was killed between change and restoring of a partner, which has this name now, and takes
/// this one with a PATCH. The line of the next run, how many requests it sent, and how many intents
/// are open then.
async fn after_a_kill(name: &str, names: &[&'static str], status: u16) -> (String, usize, usize) {
    let stub = partner(name, names, status).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.journal.jsonl");
    let open = || Intents::new(Journal::open(&path, Redaction::default()).unwrap());
    let killed = open();
    let entry = killed.begin("a.case", "changes and restores: partner p", Undo::ByOriginals);
    let _without_a_result = entry.unwrap();
    let was = json!({ "id": "p", "name": "Nordwind", "domain": null });
    killed.will_change("a.case", Original::Partner { id: "p".to_owned(), was }).unwrap();
    drop(killed);
    let left = unfinished(&path).unwrap();
    assert_eq!(left.len(), 2);
    let mut deployment = stub::deployment(&stub.base_url, TARGET);
    deployment.intents = open();
    let mut lines = recover(&Arc::new(deployment), &left).await.unwrap();
    assert_eq!(lines.len(), 1, "{lines:?}");
    (lines.remove(0), stub.requests().len(), unfinished(&path).unwrap().len())
}

#[tokio::test]
async fn next_run_restores_what_a_killed_run_left_and_nothing_else() {
    let changed = "⁂ 1";
    for (name, names, status, end, requests, open) in [
        // Read, restored, read.
        (changed, &["Nordwind"][..], 200, ": it was restored, and is as it was", 3, 0),
        (changed, &[changed], 200, "NOT restored: not restored: partner p was", 3, 2),
        (changed, &[], 500, "NOT restored: The request that prepares the case", 2, 2),
        // A person has changed it since, or has restored it.
        ("Südwind", &["Nordwind"], 200, "NOT restored: another client has changed it since", 1, 2),
        ("Nordwind", &[], 500, ": it is as it was", 1, 0),
    ] {
        let (line, sent, left) = after_a_kill(name, names, status).await;
        assert!(line.starts_with("partner p was {\"name\":\"Nordwind\""), "{line}");
        assert!(line.contains(end), "{end}: {line}");
        assert_eq!((sent, left), (requests, open), "{line}");
    }
}
