//! Tests of what is restored, and of what is reported where it is not, on a server with prepared
//! responses.

use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::{
    case::{
        definition::{Running, runs},
        ended,
    },
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
    const CASE: Case = Case::new("a.case", "A sentence.", "§4.3", runs!(renames)).requests(99);
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

/// A run was killed between change and restoring; what the next one says, and the journal then.
async fn after_a_kill(stub: &Stub) -> (Vec<String>, Vec<Unfinished>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.journal.jsonl");
    let open = || Journal::open(&path, Redaction::default()).unwrap();
    let killed = Intents::new(open());
    let entry = killed.begin("a.case", "changes and restores: partner p", Undo::ByOriginals);
    let _without_a_result = entry.unwrap();
    let was = json!({ "id": "p", "name": "Nordwind", "domain": null });
    killed.will_change("a.case", Original::Partner { id: "p".to_owned(), was }).unwrap();
    drop(killed);
    assert_eq!(unfinished(&path).unwrap().len(), 2);

    let mut deployment = stub::deployment(&stub.base_url, TARGET);
    deployment.intents = Intents::new(open());
    let left = unfinished(&path).unwrap();
    let lines = recover(&Arc::new(deployment), &left).await.unwrap();
    (lines, unfinished(&path).unwrap())
}

#[tokio::test]
async fn next_run_restores_what_a_killed_run_left() {
    let stub = partner("⁂ 1", &["Nordwind"], 200).await;
    let (lines, left) = after_a_kill(&stub).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("partner p was {\"name\":\"Nordwind\""), "{lines:?}");
    assert!(lines[0].ends_with(": it was restored, and is as it was"), "{lines:?}");
    assert_eq!(left, []);
    // Read, restored, read.
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn restore_of_the_next_run_that_does_not_take_is_reported_as_not_restored() {
    for (names, status) in [(&["⁂ 1"][..], 200), (&[], 500)] {
        let stub = partner("⁂ 1", names, status).await;
        let (lines, left) = after_a_kill(&stub).await;
        assert!(lines[0].contains("NOT restored"), "{lines:?}");
        assert_eq!(left.len(), 2);
        assert!(left[1].what.starts_with("partner p was {\"name\":\"Nordwind\""), "{left:?}");
    }
}

#[tokio::test]
async fn what_a_person_has_changed_since_is_not_overwritten() {
    let stub = partner("Südwind", &["Nordwind"], 200).await;
    let (lines, left) = after_a_kill(&stub).await;
    assert!(lines[0].ends_with("NOT restored: another client has changed it since"), "{lines:?}");
    assert_eq!((left.len(), stub.requests().len()), (2, 1));
}

#[tokio::test]
async fn what_a_person_has_restored_is_closed() {
    let stub = partner("Nordwind", &[], 500).await;
    let (lines, left) = after_a_kill(&stub).await;
    assert!(lines[0].ends_with(": it is as it was"), "{lines:?}");
    assert_eq!(left, []);
}
