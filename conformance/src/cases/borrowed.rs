//! A partner that cases change and give back.
//!
//! While it is borrowed its name begins with a mark, so that another run which begins now does not take a changed partner for the
//! original, and waits a little. Two runs that change the same partner all the same disturb each other: where a case failed and the
//! other run showed, it is tried again, after rests that differ.
//!
//! It refuses to end a case before the partner is given back, whatever the case says.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use serde_json::{Map, Value, json};

use super::steady::rest;
use crate::{
    case::{CaseContext, CaseOutcome, Running},
    deployment::intents::PATCH_SHOWN,
    exchange::{Request, Response, request::escaped},
    secret::Secret,
    target::Fixture,
};

/// The first character of a borrowed partner's name; of one UTF-16 unit and three bytes.
pub(super) const MARK: char = '⁂';
/// Tries where another run was seen; such runs are few, and short.
const TRIES: u32 = 8;
/// Tries where none was seen: the others confirm the first. More than two, for another run that changes anything but the name is
/// not seen, and two runs in step may meet twice.
const TRIES_ALONE: u32 = 4;
/// Looks at a partner that another run has borrowed, where this run knows the original.
const LOOKS: u32 = 5;
/// Looks where it does not.
const LOOKS_AT_FIRST: u32 = 12;

/// The partner of [`Fixture::Partner`].
#[derive(Debug)]
pub(super) struct Borrowed {
    /// Its service id.
    pub(super) id: String,
    /// The partner before any case changed it.
    pub(super) original: Value,
    key: Secret,
    /// What this try has sent so far, by field: what it may have changed.
    sent: Mutex<BTreeMap<String, Vec<Value>>>,
}

/// A case's part between borrowing and giving back.
pub(super) type Changing =
    for<'context> fn(&'context mut CaseContext<'_>, &'context Borrowed) -> Running<'context>;

/// Borrows the partner, does it, gives the partner back; again where it failed, a few times at most.
pub(super) async fn borrowing(
    context: &mut CaseContext<'_>,
    change: Changing,
) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Partner)?;
    let key = context.all()?;
    let (mut attempt, mut tries) = (0, TRIES_ALONE);
    loop {
        let (original, is_alone) = look(context, &id, &key).await?;
        let partner = Borrowed {
            id: id.clone(),
            original,
            key: key.clone(),
            sent: Mutex::default(),
        };
        let begun = Instant::now();
        context.begin_snapshots();
        let outcome = change(context, &partner).await;
        let outcome = outcome.and_then(|()| context.judge_snapshots());
        let has_failed = matches!(outcome, Err(CaseOutcome::Failed(_)));
        if has_failed && (!is_alone || partner.is_disturbed(context).await?) {
            tries = TRIES;
        }
        partner.give_back(context).await?;
        attempt += 1;
        if attempt >= tries || !has_failed {
            return outcome;
        }
        rest(begun.elapsed(), attempt).await;
    }
}

/// Looks whether another run has borrowed the partner, and waits a little; returns the original, and whether none has.
async fn look(
    context: &mut CaseContext<'_>,
    id: &str,
    key: &Secret,
) -> Result<(Value, bool), CaseOutcome> {
    let known = context.deployment().original(id);
    let looks = if known.is_some() {
        LOOKS
    } else {
        LOOKS_AT_FIRST
    };
    for look in 1..=looks {
        let begun = Instant::now();
        let seen = context
            .given(Request::get(Borrowed::path(id)).with(key))
            .await?;
        if !seen.text("/data/name").starts_with(MARK) {
            let original = known.unwrap_or_else(|| seen.at("/data").clone());
            context.deployment().note_original(id, original.clone());
            return Ok((original, look == 1));
        }
        rest(begun.elapsed(), look).await;
    }
    // It may be ours: what a broken deployment does not take back stays.
    known.map(|original| (original, false)).ok_or_else(|| {
        CaseOutcome::inconclusive(
            "Another run has borrowed the partner, or was ended before it gave it back.",
            "the partner under its own name: where no other run is under way, give it back with a PATCH",
            format!("{id} has a name that begins with {MARK}"),
            None,
        )
    })
}

impl Borrowed {
    /// Its path, by this id.
    fn path(id: &str) -> String {
        format!("/api/v1/partners/{}", escaped(id))
    }

    /// Reads it.
    pub(super) fn get(&self) -> Request {
        self.get_by(&self.id)
    }

    /// Reads what this id names.
    pub(super) fn get_by(&self, id: &str) -> Request {
        Request::get(Self::path(id)).with(&self.key)
    }

    /// Changes it.
    pub(super) fn patch(&self, body: &Value) -> Request {
        self.patch_by(&self.id, body)
    }

    /// Changes what this id names.
    pub(super) fn patch_by(&self, id: &str, body: &Value) -> Request {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        for (field, value) in body.as_object().into_iter().flatten() {
            sent.entry(field.clone()).or_default().push(value.clone());
        }
        Request::patch(Self::path(id), body).with(&self.key)
    }

    /// Whether the partner has a name that this try did not give it.
    async fn is_disturbed(&self, context: &mut CaseContext<'_>) -> Result<bool, CaseOutcome> {
        let now = context.send(self.get()).await?;
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let names = sent.get("name").map_or(&[][..], Vec::as_slice);
        Ok(!names.is_empty() && !names.contains(now.at("/data/name")))
    }

    /// Marks it with a name that no one else gives, and answers with what it is now.
    ///
    /// # Errors
    /// Inconclusive: it cannot be renamed.
    pub(super) async fn begin(&self, context: &mut CaseContext<'_>) -> Result<Value, CaseOutcome> {
        let marked = context
            .given(self.patch(&json!({ "name": marked_name() })))
            .await?;
        Ok(marked.at("/data").clone())
    }

    /// A value of a fixture that this field may be changed to, and back.
    ///
    /// # Errors
    /// Skipped: the partner has none to go back to, or the fixture is what it has.
    pub(super) fn other(
        &self,
        context: &CaseContext<'_>,
        pointer: &str,
        fixture: Fixture,
    ) -> Result<String, CaseOutcome> {
        let own = self.original.pointer(pointer).and_then(Value::as_str);
        let Some(own) = own else {
            return Err(CaseOutcome::missing(format!(
                "fixture partner with a value at {pointer}, which cannot be taken away again"
            )));
        };
        let other = context.fixture(fixture)?;
        if other == own {
            return Err(CaseOutcome::missing(format!(
                "fixture {} other than that of the fixture partner",
                fixture.name()
            )));
        }
        Ok(other)
    }

    /// Gives every field back that was sent, and then whatever else is not what it was.
    async fn give_back(&self, context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
        let sent = self.sent_originals();
        if sent.is_empty() {
            return Ok(());
        }
        let mut given = context.send(self.patch(&Value::Object(sent))).await?;
        let left = self.changed(given.at("/data"));
        if !left.is_empty() || !given.is_success() {
            // What no field named may have changed all the same, in a deployment that is broken or that others use.
            given = context.send(self.patch(&Value::Object(left))).await?;
        }
        let left = self.changed(given.at("/data"));
        if !given.is_success() || !left.is_empty() {
            context.remains(format!(
                "partner {} is not what it was; it had {}",
                self.id,
                Value::Object(left)
            ));
        }
        Ok(())
    }

    /// The original's values of the fields that were sent.
    fn sent_originals(&self) -> Map<String, Value> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = PATCH_SHOWN
            .iter()
            .filter(|(_, field)| sent.contains_key(*field));
        let values = shown.filter_map(|(pointer, field)| {
            let was = self.original.pointer(pointer).cloned().unwrap_or_default();
            (*field == "domain" || !was.is_null()).then(|| ((*field).to_owned(), was))
        });
        values.collect()
    }

    /// The fields that differ from the original, as a PATCH of the original's values. What was null can be cleared for the
    /// domain only; cases leave the others alone.
    fn changed(&self, now: &Value) -> Map<String, Value> {
        let mut changed = Map::new();
        for (pointer, field) in PATCH_SHOWN {
            let value = |partner: &Value| partner.pointer(pointer).cloned().unwrap_or_default();
            let (was, is) = (value(&self.original), value(now));
            // The PATCH response may leave the template out (§2.1).
            let is_unsaid = field == "experienceTemplateId" && now.get(field).is_none();
            if was != is && !is_unsaid && (field == "domain" || !was.is_null()) {
                changed.insert(field.to_owned(), was);
            }
        }
        changed
    }
}

/// A name of a borrowed partner.
pub(super) fn marked_name() -> String {
    let token = getrandom::u64().unwrap_or_default();
    format!("{MARK} conformance {token:016x}")
}

/// What a PATCH or a GET shows equals what is expected of a partner, but for these fields. Only of a PATCH response the template
/// may be missing (§2.1, V5).
///
/// # Errors
/// It does not.
pub(super) fn shows(
    response: &Response,
    expected: &Value,
    but: &[&str],
) -> Result<(), CaseOutcome> {
    response.is(200)?;
    let shown = response.at("/data");
    let names = expected.as_object().into_iter().flatten();
    for (name, value) in names.filter(|(name, _)| !but.contains(&name.as_str())) {
        if name == "experienceTemplateId" && shown.get(name).is_none() {
            continue;
        }
        response.that(
            shown.get(name) == Some(value),
            &format!("The partner's {name} is another."),
            &value.to_string(),
            &shown[name].to_string(),
        )?;
    }
    Ok(())
}

/// `borrows!(name)`: the async function `name(&mut CaseContext, &Borrowed)` as a case's `run`.
macro_rules! borrows {
    ($name:ident) => {
        |context| {
            Box::pin($crate::cases::borrowed::borrowing(
                context,
                |context, partner| Box::pin($name(context, partner)),
            ))
        }
    };
}
pub(super) use borrows;
