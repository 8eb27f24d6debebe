//! The lock on what operator hooks change: notes, templates, uploads, names, credits.
//!
//! The PO number of the fixture `payout_noted` is the marker that all runs see; only the run that
//! wrote it changes anything by hooks. If another run took the lock meanwhile, the result is
//! discarded and the case runs again.

use std::time::{Duration, Instant};

use super::payout;
use crate::cases::prelude::*;

/// What every case needs that takes the lock, besides its own hooks.
pub(crate) const HOOKS: [Hook; 2] = [Hook::SetPoNumber, Hook::ClearPoNumber];
/// What every text begins with that a run writes for a while.
const MARKER: &str = "conformance-";
pub(crate) const NOTE: &str = "/data/metadata/statementNote";
const TRIES: usize = 4;
/// How often a payout is read that another run has locked: for half a minute.
const READS: usize = 100;
const BETWEEN_READS: Duration = Duration::from_millis(300);
const RANDOM_BYTES: usize = 6;

#[derive(Debug)]
pub(crate) struct Lock {
    payout: String,
    before: Option<String>,
    marker: String,
}

/// A text that no other run writes.
pub(crate) fn marker() -> String {
    let mut random = [0_u8; RANDOM_BYTES];
    // Without randomness the process id keeps the runs of one machine apart.
    if getrandom::fill(&mut random).is_err() {
        random[..4].copy_from_slice(&std::process::id().to_be_bytes());
    }
    format!("{MARKER}{}", hex::encode(random))
}

/// Whether a run wrote this text for a while.
pub(crate) fn has_marker(text: &str) -> bool {
    text.contains(MARKER)
}

/// That no run is changing what this text belongs to.
/// Skipped: a run is, or was ended before it could restore it.
pub(crate) fn require_unmarked(name: &str, text: &str) -> CaseResult {
    CaseOutcome::missing_if(
        has_marker(text),
        format!(
            "a {name} that no other run is changing: {text:?} was written by one; if none is \
             running, restore it by hand"
        ),
    )?;
    Ok(())
}

/// Runs a case while no other run changes anything by hooks.
/// Those of the case; or skipped: others held the lock all the time.
pub(crate) async fn lock<F>(context: &mut CaseContext<'_>, run: F) -> CaseResult
where
    F: for<'context> Fn(&'context mut CaseContext<'_>, &'context mut Lock) -> Running<'context>,
{
    for _ in 0..TRIES {
        let mut lock = Lock::take(context).await?;
        context.begin_snapshots();
        let outcome = run(context, &mut lock).await;
        if lock.release(context).await? {
            return outcome;
        }
    }
    Err(busy())
}

pub(crate) fn can_lock(context: &CaseContext<'_>) -> bool {
    let deployment = context.deployment();
    let mut hooks = HOOKS.iter();
    hooks.all(|hook| deployment.hooks.has(*hook))
        && deployment.fixture(Fixture::PayoutNoted).is_some()
}

/// Runs a case about what stays the same. Where it fails, another run may have changed something
/// meanwhile: it runs once more under the lock, where the target has hooks for one.
pub(crate) async fn retry_locked(
    context: &mut CaseContext<'_>,
    run: for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>,
) -> CaseResult {
    let outcome = run(context).await;
    let outcome = outcome.and_then(|()| context.judge_snapshots());
    if !matches!(outcome, Err(CaseOutcome::Failed(_))) || !can_lock(context) {
        return outcome;
    }
    for _ in 0..TRIES {
        let lock = Lock::take(context).await?;
        context.begin_snapshots();
        let outcome = run(context).await;
        if lock.release(context).await? {
            return outcome;
        }
    }
    outcome
}

/// A payout that no run is changing now.
/// Skipped: a run is, for half a minute, or was ended before it could restore it.
pub(crate) async fn unlocked_payout(
    context: &mut CaseContext<'_>,
    id: &str,
) -> CaseResult<Response> {
    for _ in 0..READS {
        let response = context.send(payout(context, id)?).await?;
        let mut texts = ["/data/poNumber", NOTE].iter();
        if !texts.any(|pointer| has_marker(response.text(pointer))) {
            return Ok(response);
        }
        tokio::time::sleep(BETWEEN_READS).await;
    }
    Err(busy())
}

/// Sets a payout's note; for a case that holds the lock.
pub(crate) async fn set_note(
    context: &mut CaseContext<'_>,
    payout: &str,
    note: &str,
) -> CaseResult {
    let values = [("payout", payout), ("note", note)];
    context.operate(Hook::SetNote, &values).await?;
    Ok(())
}

/// The payout before its note is changed; the note goes to the journal.
/// Skipped: a run is changing the note, or was ended before it could restore it.
pub(crate) async fn note_before(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Response> {
    let before = context.given(payout(context, id)?).await?;
    let is_shown = before.at("/data").get("metadata").is_some();
    CaseOutcome::missing_if(!is_shown, "metadata of payouts, without which no note is restored")?;
    require_unmarked("statementNote", before.text(NOTE))?;
    let note = before.at(NOTE).clone();
    // Without V11 null does not say that there is none, and it could not be restored.
    let is_shown = note.is_string() || context.judges("V11");
    CaseOutcome::missing_if(!is_shown, "a payout whose metadata shows its statementNote")?;
    let what = format!("the statement note of {id}");
    context.deployment().note_original(&what, note);
    Ok(before)
}

/// Restores the note of a payout that [`note_before`] returned.
pub(crate) async fn restore_note(context: &mut CaseContext<'_>, before: &Response) -> CaseResult {
    let payout = before.text("/data/id");
    let what = format!("the statement note of {payout} was {}", before.at(NOTE));
    match before.at(NOTE).as_str() {
        Some(note) => {
            let values = [("payout", payout), ("note", note)];
            context.restore(Hook::SetNote, &values, what).await
        }
        None => {
            let values = [("payout", payout)];
            context.restore(Hook::ClearNote, &values, what).await
        }
    }
}

fn busy() -> CaseOutcome {
    CaseOutcome::missing(format!(
        "a payout_noted that no other run is changing; if none is running, one was ended: restore \
         by hand what begins with {MARKER:?}"
    ))
}

impl Lock {
    pub(crate) fn payout(&self) -> &str {
        &self.payout
    }

    pub(crate) fn po_number(&self) -> &str {
        &self.marker
    }

    /// Takes the lock, as soon as no other run holds it.
    async fn take(context: &mut CaseContext<'_>) -> CaseResult<Self> {
        let payout = context.fixture(Fixture::PayoutNoted)?;
        let mut last = None;
        for _ in 0..TRIES {
            let before = unlocked_payout(context, &payout).await?;
            before.is(200)?;
            let number = before.at("/data/poNumber").clone();
            let mut lock = Self {
                before: number.as_str().map(str::to_owned),
                payout: payout.clone(),
                marker: String::new(),
            };
            let what = format!("the PO number of {payout}");
            context.deployment().note_original(&what, number);
            let begun = Instant::now();
            if let Err(outcome) = lock.mark(context).await {
                // A hook that reports a failure may have written the marker all the same.
                lock.restore(context).await?;
                return Err(outcome);
            }
            // Another run may have read the payout before it showed this marker, and write its own
            // now, which takes it about as long as it took this run. The last writer has the lock.
            tokio::time::sleep(begun.elapsed() * 3 / 2 + before.elapsed).await;
            let now = match lock.read(context).await {
                Ok(now) => now,
                Err(outcome) => {
                    lock.restore(context).await?;
                    return Err(outcome);
                }
            };
            if now.text("/data/poNumber") == lock.marker {
                return Ok(lock);
            }
            last = Some((lock, now));
        }
        match last {
            Some((lock, now)) if !has_marker(now.text("/data/poNumber")) => {
                Err(CaseOutcome::failed(
                    "The payout does not show the PO number that the hook set_po_number gave it.",
                    &lock.marker,
                    now.at("/data/poNumber").to_string(),
                    Some(now.exchange),
                ))
            }
            _ => Err(busy()),
        }
    }

    /// Gives the payout a new marker: another PO number.
    pub(crate) async fn mark(&mut self, context: &mut CaseContext<'_>) -> CaseResult {
        self.set(context, &marker()).await
    }

    /// Gives it an earlier marker again, or one of another form. Another run's marker is kept: then
    /// the lock is lost, and [`lock`] discards the result.
    pub(crate) async fn set(&mut self, context: &mut CaseContext<'_>, marker: &str) -> CaseResult {
        let now = self.read(context).await?;
        let now = now.text("/data/poNumber");
        if has_marker(now) && now != self.marker && !self.marker.is_empty() {
            return Ok(());
        }
        let values = [("payout", self.payout.as_str()), ("po_number", marker)];
        context.operate(Hook::SetPoNumber, &values).await?;
        marker.clone_into(&mut self.marker);
        Ok(())
    }

    /// Restores the PO number; `false` where another run has marked the payout meanwhile, which
    /// restores it then.
    async fn release(self, context: &mut CaseContext<'_>) -> CaseResult<bool> {
        match self.read(context).await {
            Ok(now) if now.is_success() && now.text("/data/poNumber") != self.marker => Ok(false),
            _ => self.restore(context).await.map(|()| true),
        }
    }

    async fn restore(&self, context: &mut CaseContext<'_>) -> CaseResult {
        let payout = ("payout", self.payout.as_str());
        let was = json!(self.before);
        let what = format!("the PO number of {} was {was}", self.payout);
        match &self.before {
            Some(before) => {
                let values = [payout, ("po_number", before)];
                context.restore(Hook::SetPoNumber, &values, what).await
            }
            None => context.restore(Hook::ClearPoNumber, &[payout], what).await,
        }
    }

    async fn read(&self, context: &mut CaseContext<'_>) -> CaseResult<Response> {
        context.send_to_restore(payout(context, &self.payout)?).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::*;
    use crate::{
        case::{Case, definition::runs},
        deployment::stub::{self, Stub},
    };

    async fn nothing(_: &mut CaseContext<'_>) -> CaseResult {
        Ok(())
    }

    const CASE: Case = Case::new("statements.note", "A sentence.", "§4.7.2", runs!(nothing));

    /// What remains after this was done with hooks of which these fail.
    async fn left_by(
        hooks: &str,
        run: for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>,
    ) -> (CaseResult, Vec<String>) {
        let stub = Stub::start(|_, _| {
            let data = json!({ "id": "p", "poNumber": "PO-7", "metadata": Value::Null });
            (200, String::new(), json!({ "data": data }))
        })
        .await;
        let target =
            format!("[keys]\nall = \"KEY\"\n[fixtures]\npayout_noted = \"p\"\n[hooks]\n{hooks}");
        let deployment = Arc::new(stub::deployment(&stub.base_url, &target));
        let mut context = CaseContext::of(&deployment, &CASE).await;
        let outcome = run(&mut context).await;
        (outcome, context.end().1)
    }

    #[tokio::test]
    async fn note_that_is_not_restored_is_reported() {
        let hooks = "clear_note = [\"false\", \"{payout}\"]\n";
        let (outcome, left) = left_by(hooks, |context| {
            Box::pin(async move {
                let before = note_before(context, "p").await?;
                restore_note(context, &before).await
            })
        })
        .await;
        assert!(matches!(outcome, Err(CaseOutcome::Error(_))), "{outcome:?}");
        assert_eq!(left, ["the statement note of p was null"]);
    }

    #[tokio::test]
    async fn po_number_that_is_not_restored_is_reported() {
        let hooks = "set_po_number = [\"false\", \"{payout}\", \"{po_number}\"]\n\
                     clear_po_number = [\"true\", \"{payout}\"]\n";
        let (outcome, left) =
            left_by(hooks, |context| Box::pin(lock(context, |_, _| Box::pin(async { Ok(()) }))))
                .await;
        assert!(matches!(outcome, Err(CaseOutcome::Error(_))), "{outcome:?}");
        assert_eq!(left, ["the PO number of p was \"PO-7\""]);
    }
}
