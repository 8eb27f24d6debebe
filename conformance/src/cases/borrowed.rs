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
    case::{Running, Scene, Stop},
    exchange::{Answer, Call, call::escaped},
    run::intent::PATCH_SHOWN,
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
    for<'scene> fn(&'scene mut Scene<'_>, &'scene Borrowed) -> Running<'scene>;

/// Borrows the partner, does it, gives the partner back; again where it failed, a few times at most.
pub(super) async fn borrowing(scene: &mut Scene<'_>, change: Changing) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Partner)?;
    let key = scene.all()?;
    let (mut attempt, mut tries) = (0, TRIES_ALONE);
    loop {
        let (original, is_alone) = look(scene, &id, &key).await?;
        let partner = Borrowed {
            id: id.clone(),
            original,
            key: key.clone(),
            sent: Mutex::default(),
        };
        let begun = Instant::now();
        scene.begin_snapshots();
        let outcome = change(scene, &partner).await;
        let outcome = outcome.and_then(|()| scene.judge_snapshots());
        let has_failed = matches!(outcome, Err(Stop::Failed(_)));
        if has_failed && (!is_alone || partner.is_disturbed(scene).await?) {
            tries = TRIES;
        }
        partner.give_back(scene).await?;
        attempt += 1;
        if attempt >= tries || !has_failed {
            return outcome;
        }
        rest(begun.elapsed(), attempt).await;
    }
}

/// Looks whether another run has borrowed the partner, and waits a little; answers with the original, and whether none has.
async fn look(scene: &mut Scene<'_>, id: &str, key: &Secret) -> Result<(Value, bool), Stop> {
    let known = scene.deployment().original(id);
    let looks = if known.is_some() {
        LOOKS
    } else {
        LOOKS_AT_FIRST
    };
    for look in 1..=looks {
        let begun = Instant::now();
        let seen = scene.given(Call::get(Borrowed::path(id)).with(key)).await?;
        if !seen.text("/data/name").starts_with(MARK) {
            let original = known.unwrap_or_else(|| seen.at("/data").clone());
            scene.deployment().note_original(id, original.clone());
            return Ok((original, look == 1));
        }
        rest(begun.elapsed(), look).await;
    }
    // It may be ours: what a broken deployment does not take back stays.
    known.map(|original| (original, false)).ok_or_else(|| {
        Stop::inconclusive(
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
    pub(super) fn get(&self) -> Call {
        self.get_by(&self.id)
    }

    /// Reads what this id names.
    pub(super) fn get_by(&self, id: &str) -> Call {
        Call::get(Self::path(id)).with(&self.key)
    }

    /// Changes it.
    pub(super) fn patch(&self, body: &Value) -> Call {
        self.patch_by(&self.id, body)
    }

    /// Changes what this id names.
    pub(super) fn patch_by(&self, id: &str, body: &Value) -> Call {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        for (field, value) in body.as_object().into_iter().flatten() {
            sent.entry(field.clone()).or_default().push(value.clone());
        }
        Call::patch(Self::path(id), body).with(&self.key)
    }

    /// Whether the partner has a name that this try did not give it.
    async fn is_disturbed(&self, scene: &mut Scene<'_>) -> Result<bool, Stop> {
        let now = scene.send(self.get()).await?;
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let names = sent.get("name").map_or(&[][..], Vec::as_slice);
        Ok(!names.is_empty() && !names.contains(now.at("/data/name")))
    }

    /// Marks it with a name that no one else gives, and answers with what it is now.
    ///
    /// # Errors
    /// Inconclusive: it cannot be renamed.
    pub(super) async fn begin(&self, scene: &mut Scene<'_>) -> Result<Value, Stop> {
        let marked = scene
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
        scene: &Scene<'_>,
        pointer: &str,
        fixture: Fixture,
    ) -> Result<String, Stop> {
        let own = self.original.pointer(pointer).and_then(Value::as_str);
        let Some(own) = own else {
            return Err(Stop::missing(format!(
                "fixture partner with a value at {pointer}, which cannot be taken away again"
            )));
        };
        let other = scene.fixture(fixture)?;
        if other == own {
            return Err(Stop::missing(format!(
                "fixture {} other than that of the fixture partner",
                fixture.name()
            )));
        }
        Ok(other)
    }

    /// Gives every field back that was sent, and then whatever else is not what it was.
    async fn give_back(&self, scene: &mut Scene<'_>) -> Result<(), Stop> {
        let sent = self.sent_originals();
        if sent.is_empty() {
            return Ok(());
        }
        let mut given = scene.send(self.patch(&Value::Object(sent))).await?;
        let left = self.changed(given.at("/data"));
        if !left.is_empty() || !given.is_success() {
            // What no field named may have changed all the same, in a deployment that is broken or that others use.
            given = scene.send(self.patch(&Value::Object(left))).await?;
        }
        let left = self.changed(given.at("/data"));
        if !given.is_success() || !left.is_empty() {
            scene.remains(format!(
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
pub(super) fn shows(answer: &Answer, expected: &Value, but: &[&str]) -> Result<(), Stop> {
    answer.is(200)?;
    let shown = answer.at("/data");
    let names = expected.as_object().into_iter().flatten();
    for (name, value) in names.filter(|(name, _)| !but.contains(&name.as_str())) {
        if name == "experienceTemplateId" && shown.get(name).is_none() {
            continue;
        }
        answer.that(
            shown.get(name) == Some(value),
            &format!("The partner's {name} is another."),
            &value.to_string(),
            &shown[name].to_string(),
        )?;
    }
    Ok(())
}

/// `borrows!(name)`: the async function `name(&mut Scene, &Borrowed)` as a case's `run`.
macro_rules! borrows {
    ($name:ident) => {
        |scene| {
            Box::pin($crate::cases::borrowed::borrowing(
                scene,
                |scene, partner| Box::pin($name(scene, partner)),
            ))
        }
    };
}
pub(super) use borrows;
