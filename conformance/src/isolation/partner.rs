//! The partner that cases change.
//!
//! The partner's name carries a marker while a run changes it; other runs wait. Two runs that
//! change it at the same time all the same disturb each other: a case that failed runs again, after
//! rests that differ, more often where the other run was seen.

use std::time::Instant;

use serde_json::{Value, json};

use super::retry::rest;
use crate::{
    case::{CaseContext, CaseOutcome, CaseResult, ended},
    exchange::{Request, request::escaped},
    journal::Original,
    secret::Secret,
    target::Fixture,
    verdict::Verdict,
};

/// Requests of one try to lock and to restore.
pub(crate) const PARTNER_REQUESTS: u32 = 4;
/// The first character of a locked partner's name; of one UTF-16 unit and three bytes.
pub(crate) const NAME_MARKER: char = '⁂';
/// Tries where another run was seen; such runs are few, and short.
const TRIES: u32 = 8;
/// Tries where none was seen: the others confirm the first. More than two, because another run that
/// changes anything but the name is not seen, and two runs in step may meet twice.
const TRIES_ALONE: u32 = 4;
/// Reads of a partner that another run has locked, where this run knows the original.
const READS: u32 = 5;
/// Reads where it does not.
const READS_AT_FIRST: u32 = 12;

/// The partner of [`Fixture::Partner`].
#[derive(Debug)]
pub(crate) struct LockedPartner {
    pub(crate) id: String,
    pub(crate) original: Value,
    key: Secret,
}

/// Locks the partner, runs the case and restores the partner; again where the case failed.
pub(crate) async fn lock_partner(
    context: &mut CaseContext<'_>,
    change: impl AsyncFn(&mut CaseContext<'_>, &LockedPartner) -> CaseResult,
) -> CaseResult {
    let (mut attempt, mut tries) = (0, TRIES_ALONE);
    loop {
        let (partner, is_alone) = LockedPartner::take(context).await?;
        let begun = Instant::now();
        context.begin_try();
        let outcome = change(context, &partner).await;
        context.end_try();
        let outcome = outcome.and_then(|()| context.judge_snapshots());
        if ended(&outcome, Verdict::Fail) && (!is_alone || partner.is_disturbed(context).await) {
            tries = TRIES;
        }
        let outcome = outcome.and(context.undo().await);
        attempt += 1;
        if attempt >= tries || !ended(&outcome, Verdict::Fail) {
            return outcome;
        }
        rest(begun.elapsed(), attempt).await;
    }
}

impl LockedPartner {
    /// Waits a little while another run has locked the partner; returns it, and whether no other
    /// run was seen.
    async fn take(context: &mut CaseContext<'_>) -> CaseResult<(Self, bool)> {
        let (id, key) = (context.fixture(Fixture::Partner)?, context.all()?);
        let known = context.deployment().intents.original(&format!("partner {id}"));
        let reads = if known.is_some() { READS } else { READS_AT_FIRST };
        for read in 1..=reads {
            let begun = Instant::now();
            let seen = context.given_directly(Request::get(partner_path(&id)).with(&key)).await?;
            if !seen.text("/data/name").starts_with(NAME_MARKER) {
                let original = Original::Partner { id, was: seen.at("/data").clone() };
                return Ok((Self::of(context, original)?, read == 1));
            }
            rest(begun.elapsed(), read).await;
            context.end_try();
        }
        // The marker may be this run's own: a broken deployment may not take a name back.
        if let Some(known) = known {
            return Ok((Self::of(context, known)?, false));
        }
        Err(CaseOutcome::inconclusive(
            "Another run has locked the partner, or was ended before it restored it.",
            "the partner's own name: where no other run is running, restore it with a PATCH",
            format!("{id} has a name that begins with {NAME_MARKER}"),
            None,
        ))
    }

    fn of(context: &mut CaseContext<'_>, original: Original) -> CaseResult<Self> {
        match context.will_change(original)? {
            Original::Partner { id, was } => Ok(Self { id, original: was, key: context.all()? }),
            _ => unreachable!("a partner's name is no other original's"),
        }
    }

    pub(crate) fn get(&self) -> Request {
        self.get_by(&self.id)
    }

    pub(crate) fn get_by(&self, id: &str) -> Request {
        Request::get(partner_path(id)).with(&self.key)
    }

    pub(crate) fn patch(&self, body: &Value) -> Request {
        self.patch_by(&self.id, body)
    }

    pub(crate) fn patch_by(&self, id: &str, body: &Value) -> Request {
        Request::patch(partner_path(id), body).with(&self.key)
    }

    /// Whether the partner has a name that this try did not give it.
    async fn is_disturbed(&self, context: &mut CaseContext<'_>) -> bool {
        let Ok(now) = context.send_to_restore(self.get()).await else {
            return false;
        };
        let mut names = context.sent().filter_map(|body| body.get("name").cloned()).peekable();
        names.peek().is_some() && !names.any(|name| name == *now.at("/data/name"))
    }

    /// Gives it a name with a marker that no other run writes, and returns what it is now.
    /// Inconclusive: it cannot be renamed.
    pub(crate) async fn begin(&self, context: &mut CaseContext<'_>) -> CaseResult<Value> {
        let request = self.patch(&json!({ "name": marked_name() }));
        let marked = context.given(request).await?;
        Ok(marked.at("/data").clone())
    }

    /// A value of a fixture that this field may be changed to, and back.
    /// Skipped: the partner has none to go back to, or the fixture is what it has.
    pub(crate) fn other(
        &self,
        context: &CaseContext<'_>,
        pointer: &str,
        fixture: Fixture,
    ) -> CaseResult<String> {
        let own = self.original.pointer(pointer).and_then(Value::as_str);
        let Some(own) = own else {
            return Err(CaseOutcome::missing(format!(
                "fixture partner with a value at {pointer}, which cannot be taken away again"
            )));
        };
        let other = context.fixture(fixture)?;
        CaseOutcome::missing_if(
            other == own,
            format!("fixture {} other than that of the fixture partner", fixture.name()),
        )?;
        Ok(other)
    }
}

pub(crate) fn partner_path(id: &str) -> String {
    format!("/api/v1/partners/{}", escaped(id))
}

pub(crate) fn marked_name() -> String {
    let token = getrandom::u64().unwrap_or_default();
    format!("{NAME_MARKER} conformance {token:016x}")
}
