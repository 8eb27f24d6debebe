//! The lock on what operator hooks change: notes, templates, uploads, names, credits.
//!
//! The PO number of the fixture `payout_noted` is the marker that all runs see; only the run that
//! wrote it changes anything by hooks. If another run took the lock meanwhile, the result is
//! discarded and the case runs again.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{partner::partner_path, retry::attempted};
use crate::{
    case::{CaseContext, CaseOutcome, CaseResult, ended},
    exchange::{Request, Response},
    journal::{self, Original},
    target::{Fixture, Hook},
    verdict::Verdict,
};

/// Requests of one try to lock and to restore.
pub(crate) const PAYOUT_REQUESTS: u32 = 8;
/// The hooks of the lock.
pub(crate) const HOOKS: [Hook; 2] = [Hook::SetPoNumber, Hook::ClearPoNumber];
/// What every text begins with that a run writes for a while; the name of its process follows.
const MARKER: &str = "conformance-";
pub(crate) const NOTE: &str = "/data/metadata/statementNote";
pub(super) const PO_NUMBER: &str = "/data/poNumber";
const TRIES: usize = 4;
/// How often a payout is read that another run has locked: for half a minute.
const READS: usize = 100;
const BETWEEN_READS: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(crate) struct LockedPayout {
    pub(crate) id: String,
    /// Its PO number before a run marked it.
    own: Option<String>,
    /// The PO number that marks it.
    pub(crate) marker: String,
}

/// A text that no other run writes.
pub(crate) fn marker() -> String {
    let token = getrandom::u32().unwrap_or_default();
    format!("{MARKER}{}-{token:08x}", journal::process())
}

/// Whether a run wrote this text for a while.
pub(crate) fn has_marker(text: &str) -> bool {
    text.contains(MARKER)
}

/// Whether a run of this process wrote the text.
pub(super) fn has_marker_of(process: &str, text: &str) -> bool {
    text.contains(&format!("{MARKER}{process}"))
}

/// Runs a case while no other run changes anything by hooks.
/// Skipped: others held the lock all the time.
pub(crate) async fn lock_payout(
    context: &mut CaseContext<'_>,
    run: impl AsyncFn(&mut CaseContext<'_>, &mut LockedPayout) -> CaseResult,
) -> CaseResult {
    for _ in 0..TRIES {
        let mut payout = LockedPayout::take(context).await?;
        context.begin_try();
        let outcome = run(context, &mut payout).await;
        context.end_try();
        let is_held = payout.is_held(context).await;
        let outcome = outcome.and(context.undo().await);
        if is_held {
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
    check: impl AsyncFn(&mut CaseContext<'_>) -> CaseResult,
) -> CaseResult {
    let outcome = attempted(context, &check).await;
    if ended(&outcome, Verdict::Fail) && can_lock(context) {
        return lock_payout(context, async |context, _| check(context).await).await;
    }
    outcome
}

fn read(context: &CaseContext<'_>, id: &str) -> CaseResult<Request> {
    Ok(Request::get(format!("/api/v1/payouts/{id}")).with(&context.all()?))
}

/// A payout that no run is changing now.
/// Skipped: a run is, for half a minute, or was ended before it could restore it.
pub(crate) async fn unlocked_payout(
    context: &mut CaseContext<'_>,
    id: &str,
) -> CaseResult<Response> {
    for _ in 0..READS {
        let response = context.send(read(context, id)?).await?;
        if ![PO_NUMBER, NOTE].iter().any(|pointer| has_marker(response.text(pointer))) {
            return Ok(response);
        }
        context.end_try();
        tokio::time::sleep(BETWEEN_READS).await;
    }
    Err(busy())
}

fn busy() -> CaseOutcome {
    CaseOutcome::missing(format!(
        "a payout_noted that no other run is changing; if none is running, one was ended: restore \
         by hand what begins with {MARKER:?}"
    ))
}

/// What a case changes while it has locked the payout; it is restored after the case.
impl CaseContext<'_> {
    /// That no other run is changing what shows this text.
    /// Skipped: a run is, or was ended before it could restore it.
    fn require_unmarked(&self, original: &Original, text: &str) -> CaseResult {
        let name = original.name();
        let is_known = self.deployment().intents.original(&name).is_some();
        CaseOutcome::missing_if(
            has_marker(text) && !is_known,
            format!(
                "no other run that changes {name}: {text:?} was written by one; if none is \
                 running, restore it by hand"
            ),
        )
    }

    /// A payout past the proxy of a proof.
    pub(super) async fn payout_now(&mut self, id: &str) -> CaseResult<Response> {
        self.given_directly(read(self, id)?).await
    }

    /// Sets or clears the note of a payout.
    pub(crate) async fn set_note(&mut self, payout: &str, note: Option<&str>) -> CaseResult {
        let now = self.payout_now(payout).await?;
        let was = now.at(NOTE).as_str().map(str::to_owned);
        let original = Original::Note { payout: payout.to_owned(), was };
        self.require_unmarked(&original, now.text(NOTE))?;
        let is_known = self.deployment().intents.original(&original.name()).is_some();
        // Without V11 null does not say that there is none, and it could not be restored.
        let is_shown = now.at("/data").get("metadata").is_some()
            && (now.at(NOTE).is_string() || self.judges("V11"));
        CaseOutcome::missing_if(
            !is_known && !is_shown,
            "a payout whose metadata shows its statementNote, without which it is not restored",
        )?;
        self.will_change(original)?;
        self.set_text([Hook::SetNote, Hook::ClearNote], payout, "note", note).await
    }

    /// Sets a text of a payout by the first hook, or clears it by the second.
    pub(super) async fn set_text(
        &mut self,
        [set, clear]: [Hook; 2],
        payout: &str,
        name: &str,
        text: Option<&str>,
    ) -> CaseResult {
        let values = text.map(|text| (name, text));
        let values: Vec<_> = [("payout", payout)].into_iter().chain(values).collect();
        let hook = if text.is_some() { set } else { clear };
        self.operate(hook, &values).await.map(drop)
    }

    /// Gives the statement template a title that no other run writes.
    pub(crate) async fn set_template(&mut self) -> CaseResult {
        self.will_change(Original::Template)?;
        let title = marker();
        self.operate(Hook::SetTemplate, &[("title", &title)]).await.map(drop)
    }

    /// Uploads a statement of a payout that has none.
    pub(crate) async fn upload(&mut self, payout: &str, file: &str) -> CaseResult {
        self.will_change(Original::Upload { payout: payout.to_owned() })?;
        let values = [("payout", payout), ("file", file)];
        self.operate(Hook::UploadStatement, &values).await.map(drop)
    }

    /// Sets the credits of the organisation of the key `exhausted`, which has none.
    pub(crate) async fn set_credits(&mut self, credits: u64) -> CaseResult {
        self.will_change(Original::Credits)?;
        self.operate(Hook::SetCredits, &[("credits", &credits.to_string())]).await.map(drop)
    }

    /// Changes a partner other than the fixture of [`super::lock_partner`].
    pub(crate) async fn change_partner(&mut self, id: &str, body: &Value) -> CaseResult<Response> {
        let key = self.all()?;
        let path = partner_path(id);
        let now = self.given_directly(Request::get(&path).with(&key)).await?;
        let original = Original::Partner { id: id.to_owned(), was: now.at("/data").clone() };
        self.require_unmarked(&original, now.text("/data/name"))?;
        self.will_change(original)?;
        self.send(Request::patch(path, body).with(&key)).await
    }
}

impl LockedPayout {
    /// Takes the lock, as soon as no other run holds it.
    async fn take(context: &mut CaseContext<'_>) -> CaseResult<Self> {
        let id = context.fixture(Fixture::PayoutNoted)?;
        let mut payout = Self { id: id.clone(), own: None, marker: String::new() };
        let mut seen = None;
        for _ in 0..TRIES {
            let before = unlocked_payout(context, &id).await?;
            let was = before.is(200)?.at(PO_NUMBER).as_str().map(str::to_owned);
            let original = Original::PoNumber { payout: id.clone(), was };
            if let Original::PoNumber { was, .. } = context.will_change(original)? {
                payout.own = was;
            }
            let begun = Instant::now();
            payout.marker.clear();
            payout.mark(context).await?;
            // Another run may have read the payout before it showed this marker, and write its own
            // now, which takes it about as long as it took this run. The last writer has the lock.
            tokio::time::sleep(begun.elapsed() * 3 / 2 + before.elapsed).await;
            let now = context.payout_now(&id).await?;
            if now.text(PO_NUMBER) == payout.marker {
                return Ok(payout);
            }
            seen = Some(now).filter(|now| !has_marker(now.text(PO_NUMBER)));
        }
        Err(seen.map_or_else(busy, |now| {
            CaseOutcome::failed(
                "The payout does not show the PO number that the hook set_po_number gave it.",
                &payout.marker,
                now.at(PO_NUMBER).to_string(),
                Some(now.exchange),
            )
        }))
    }

    /// Gives the payout a new marker: another PO number.
    pub(crate) async fn mark(&mut self, context: &mut CaseContext<'_>) -> CaseResult {
        self.set_po_number(context, &marker()).await
    }

    /// Gives it an earlier marker again, or one of another form. Another run's marker is kept: then
    /// the lock is lost, and [`lock_payout`] discards the result.
    pub(crate) async fn set_po_number(
        &mut self,
        context: &mut CaseContext<'_>,
        marker: &str,
    ) -> CaseResult {
        let now = context.payout_now(&self.id).await?;
        let now = now.text(PO_NUMBER);
        if has_marker(now) && now != self.marker && !self.marker.is_empty() {
            return Ok(());
        }
        context.set_text(HOOKS, &self.id, "po_number", Some(marker)).await?;
        marker.clone_into(&mut self.marker);
        Ok(())
    }

    /// Gives the payout its own PO number again, or none; returns it. From now on another run may
    /// take the lock, and then the case runs again.
    pub(crate) async fn restore_po_number(
        &mut self,
        context: &mut CaseContext<'_>,
    ) -> CaseResult<Option<String>> {
        context.set_text(HOOKS, &self.id, "po_number", self.own.as_deref()).await?;
        self.marker = self.own.clone().unwrap_or_default();
        Ok(self.own.clone())
    }

    /// Restores now what the case has changed since it took the lock.
    pub(crate) async fn undo(&self, context: &mut CaseContext<'_>) -> CaseResult {
        context.undo_but(1).await
    }

    /// Whether no other run has marked the payout meanwhile.
    async fn is_held(&self, context: &mut CaseContext<'_>) -> bool {
        let now = context.payout_now(&self.id).await;
        now.map_or(true, |now| now.text(PO_NUMBER) == self.marker)
    }
}
