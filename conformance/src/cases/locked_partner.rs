//! The partner that cases change and restore.
//!
//! The partner's name carries a marker while a run changes it; other runs wait. Two runs that
//! change it at the same time all the same disturb each other: a case that failed runs again, after
//! rests that differ, more often where the other run was seen.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use super::retry::rest;
use crate::cases::prelude::*;
use crate::{deployment::intents::PATCH_SHOWN, exchange::request::escaped};

/// The first character of a locked partner's name; of one UTF-16 unit and three bytes.
pub(super) const MARKER: char = '⁂';
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
pub(super) struct LockedPartner {
    pub(super) id: String,
    pub(super) original: Value,
    key: Secret,
    /// What this try has sent so far, by field: what it may have changed.
    sent: Mutex<BTreeMap<String, Vec<Value>>>,
}

/// A case's part between locking and restoring.
pub(super) type Changing =
    for<'context> fn(&'context mut CaseContext<'_>, &'context LockedPartner) -> Running<'context>;

/// Locks the partner, runs the case and restores the partner; again where the case failed.
pub(super) async fn lock_partner(context: &mut CaseContext<'_>, change: Changing) -> CaseResult {
    let id = context.fixture(Fixture::Partner)?;
    let key = context.all()?;
    let (mut attempt, mut tries) = (0, TRIES_ALONE);
    loop {
        let (original, is_alone) = read_original(context, &id, &key).await?;
        let partner =
            LockedPartner { id: id.clone(), original, key: key.clone(), sent: Mutex::default() };
        let begun = Instant::now();
        context.begin_snapshots();
        let outcome = change(context, &partner).await;
        let outcome = outcome.and_then(|()| context.judge_snapshots());
        let has_failed = matches!(outcome, Err(CaseOutcome::Failed(_)));
        if has_failed && (!is_alone || partner.is_disturbed(context).await) {
            tries = TRIES;
        }
        partner.restore(context).await;
        attempt += 1;
        if attempt >= tries || !has_failed {
            return outcome;
        }
        rest(begun.elapsed(), attempt).await;
    }
}

/// Waits a little while another run has locked the partner; returns the original, and whether no
/// other run was seen.
async fn read_original(
    context: &mut CaseContext<'_>,
    id: &str,
    key: &Secret,
) -> CaseResult<(Value, bool)> {
    let known = context.deployment().original(id);
    let reads = if known.is_some() { READS } else { READS_AT_FIRST };
    for read in 1..=reads {
        let begun = Instant::now();
        let request = Request::get(LockedPartner::path(id)).with(key);
        let seen = context.given_directly(request).await?;
        if !seen.text("/data/name").starts_with(MARKER) {
            let original = known.unwrap_or_else(|| seen.at("/data").clone());
            context.deployment().note_original(id, original.clone());
            return Ok((original, read == 1));
        }
        rest(begun.elapsed(), read).await;
    }
    // The marker may be this run's own: a broken deployment may not take a name back.
    known.map(|original| (original, false)).ok_or_else(|| {
        CaseOutcome::inconclusive(
            "Another run has locked the partner, or was ended before it restored it.",
            "the partner's own name: where no other run is running, restore it with a PATCH",
            format!("{id} has a name that begins with {MARKER}"),
            None,
        )
    })
}

impl LockedPartner {
    fn path(id: &str) -> String {
        format!("/api/v1/partners/{}", escaped(id))
    }

    pub(super) fn get(&self) -> Request {
        self.get_by(&self.id)
    }

    pub(super) fn get_by(&self, id: &str) -> Request {
        Request::get(Self::path(id)).with(&self.key)
    }

    pub(super) fn patch(&self, body: &Value) -> Request {
        self.patch_by(&self.id, body)
    }

    pub(super) fn patch_by(&self, id: &str, body: &Value) -> Request {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        for (field, value) in body.as_object().into_iter().flatten() {
            sent.entry(field.clone()).or_default().push(value.clone());
        }
        Request::patch(Self::path(id), body).with(&self.key)
    }

    /// Whether the partner has a name that this try did not give it.
    async fn is_disturbed(&self, context: &mut CaseContext<'_>) -> bool {
        let Ok(now) = context.send_to_restore(self.get()).await else {
            return false;
        };
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let names = sent.get("name").map_or(&[][..], Vec::as_slice);
        !names.is_empty() && !names.contains(now.at("/data/name"))
    }

    /// Gives it a name with a marker that no other run writes, and returns what it is now.
    /// Inconclusive: it cannot be renamed.
    pub(super) async fn begin(&self, context: &mut CaseContext<'_>) -> CaseResult<Value> {
        let request = self.patch(&json!({ "name": marked_name() }));
        let marked = context.given(request).await?;
        Ok(marked.at("/data").clone())
    }

    /// A value of a fixture that this field may be changed to, and back.
    /// Skipped: the partner has none to go back to, or the fixture is what it has.
    pub(super) fn other(
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

    /// Restores every field that was sent, and then whatever else differs from the original. What
    /// is not restored is reported.
    async fn restore(&self, context: &mut CaseContext<'_>) {
        let sent = self.sent_originals();
        if sent.is_empty() {
            return;
        }
        let mut left = self.patch_back(context, sent).await;
        if !left.is_empty() {
            // A broken deployment may have changed what no request named, and another run anything.
            left = self.patch_back(context, left).await;
        }
        if !left.is_empty() {
            let was = Value::Object(left);
            context.remains(format!("partner {} is changed; it had {was}", self.id));
        }
    }

    /// Sends these values, and returns what differs from the original afterwards: all of them where
    /// the PATCH did not succeed.
    async fn patch_back(
        &self,
        context: &mut CaseContext<'_>,
        values: Map<String, Value>,
    ) -> Map<String, Value> {
        let request = self.patch(&Value::Object(values.clone()));
        match context.send_to_restore(request).await {
            Ok(patched) if patched.is_success() => self.changed(patched.at("/data")),
            _ => values,
        }
    }

    /// The original's values of the fields that were sent.
    fn sent_originals(&self) -> Map<String, Value> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = PATCH_SHOWN.iter().filter(|(_, field)| sent.contains_key(*field));
        let values = shown.filter_map(|(pointer, field)| {
            let was = self.original.pointer(pointer).cloned().unwrap_or_default();
            (*field == "domain" || !was.is_null()).then(|| ((*field).to_owned(), was))
        });
        values.collect()
    }

    /// The fields that differ from the original, as a PATCH of the original's values. What was null
    /// can be cleared for the domain only; cases do not change the others.
    fn changed(&self, now: &Value) -> Map<String, Value> {
        let mut changed = Map::new();
        for (pointer, field) in PATCH_SHOWN {
            let value = |partner: &Value| partner.pointer(pointer).cloned().unwrap_or_default();
            let (was, is) = (value(&self.original), value(now));
            // The PATCH response may leave the template out (§2.1).
            let is_left_out = field == "experienceTemplateId" && now.get(field).is_none();
            if was != is && !is_left_out && (field == "domain" || !was.is_null()) {
                changed.insert(field.to_owned(), was);
            }
        }
        changed
    }
}

pub(super) fn marked_name() -> String {
    let token = getrandom::u64().unwrap_or_default();
    format!("{MARKER} conformance {token:016x}")
}

/// That a response shows what is expected of a partner, but for these fields. Only a PATCH response
/// may leave the template out (§2.1, V5).
pub(super) fn shows(response: &Response, expected: &Value, but: &[&str]) -> CaseResult {
    response.is(200)?;
    let shown = response.at("/data");
    let names = expected.as_object().into_iter().flatten();
    for (name, value) in names.filter(|(name, _)| !but.contains(&name.as_str())) {
        if name == "experienceTemplateId" && shown.get(name).is_none() {
            continue;
        }
        response.that(
            shown.get(name) == Some(value),
            &format!("The partner's {name} has another value."),
            &value.to_string(),
            &shown[name].to_string(),
        )?;
    }
    Ok(())
}

/// That a PATCH keeps what it does not name (R2.absent): the same, unless decisions are off.
pub(super) fn keeps(
    context: &CaseContext<'_>,
    response: &Response,
    before: &Value,
    but: &[&str],
) -> CaseResult {
    response.is(200)?;
    if context.judges("R2.absent") { shows(response, before, but) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;
    use crate::{
        case::{Case, definition::runs},
        deployment::stub::{self, Stub},
    };

    async fn renamed(context: &mut CaseContext<'_>) -> CaseResult {
        lock_partner(context, |context, partner| {
            Box::pin(async move { partner.begin(context).await.map(drop) })
        })
        .await
    }

    const CASE: Case = Case::new("partners.rename", "A sentence.", "§4.3", runs!(renamed));

    #[tokio::test]
    async fn partner_that_is_not_restored_is_reported() {
        let requests = AtomicUsize::new(0);
        // The read and the first PATCH succeed; the restoring PATCHes do not.
        let stub = Stub::start(move |_, _| {
            let is_refused = requests.fetch_add(1, Ordering::Relaxed) >= 2;
            let data = json!({ "id": "p", "name": "Nordwind", "domain": null });
            let status = if is_refused { 500 } else { 200 };
            (status, String::new(), json!({ "data": data }))
        })
        .await;
        let target = "[keys]\nall = \"KEY\"\n[fixtures]\npartner = \"p\"\n";
        let deployment = Arc::new(stub::deployment(&stub.base_url, target));
        let mut context = CaseContext::of(&deployment, &CASE).await;
        renamed(&mut context).await.unwrap();
        let left = context.end().1;
        assert_eq!(left, ["partner p is changed; it had {\"name\":\"Nordwind\"}"]);
    }
}
