//! Restoring: what a case changed after each of its tries, whatever a run changed at its end, and
//! what a killed run left before the next one begins. Nothing is reported as restored unless it was
//! read, except a statement template, which the API does not show.

use std::sync::Arc;

use serde_json::Value;

use super::{
    partner::{NAME_MARKER, partner_path},
    payout::{HOOKS, NOTE, PO_NUMBER, has_marker, has_marker_of},
    retry::repeat,
};
use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult},
    deployment::Deployment,
    exchange::Request,
    journal::{Journal, Original, Undo, Unfinished, difference, process},
    target::{Hook, Role},
    verdict::Verdict,
};

/// How often something is restored at most.
const TRIES: u32 = 4;

/// What restores at the end of a run and before one is no case, but works as one.
static RESTORE: Case =
    Case::new("journal", "", "§4.3", &|_| Box::pin(async { Ok(()) })).requests(0);

/// Whether originals undo all that a case changes and restores: hooks do more only with keys.
pub(crate) fn is_undone_by_originals(case: &Case) -> bool {
    !case.hooks.iter().any(|hook| matches!(hook, Hook::CreateKey | Hook::RevokeKey))
}

/// What has become of something that a run changed.
enum State {
    AsBefore,
    /// As before, because it was restored now.
    Restored,
    /// As the run changed it; a partner with what the API shows.
    Changed(Value),
    /// Another client has changed it since.
    ByAnother,
    /// The API does not show it.
    Unknown,
}

impl State {
    /// For the journal.
    fn text(&self) -> &'static str {
        match self {
            Self::AsBefore => "it is as it was",
            Self::Restored => "it was restored, and is as it was",
            Self::Changed(_) => "it is still changed",
            Self::ByAnother => "another client has changed it since",
            Self::Unknown => "its hook restored it; the API does not show it",
        }
    }
}

impl CaseContext<'_> {
    /// Restores everything that the case has changed, the last first.
    pub(crate) async fn undo(&mut self) -> CaseResult {
        self.undo_but(0).await
    }

    /// The same but for what it changed first.
    pub(super) async fn undo_but(&mut self, kept: usize) -> CaseResult {
        let mut outcome = Ok(());
        for original in self.take_changed(kept) {
            let restored = restore(self, &original, process()).await;
            outcome = outcome.and(restored.map(|state| {
                self.deployment().intents.is_restored(&original, state.text());
            }));
        }
        outcome
    }
}

/// Restores what is still as this process changed it, and reads it again; a few times, because
/// another run may change it between the two.
/// Error: it is still changed.
async fn restore(
    context: &mut CaseContext<'_>,
    original: &Original,
    process: &str,
) -> CaseResult<State> {
    repeat(context, TRIES, Verdict::Error, async |context| {
        restore_once(context, original, process).await
    })
    .await
}

async fn restore_once(
    context: &mut CaseContext<'_>,
    original: &Original,
    process: &str,
) -> CaseResult<State> {
    let state = read(context, original, process).await?;
    match (&state, original) {
        (State::AsBefore | State::ByAnother, _) => return Ok(state),
        (State::Changed(now), Original::Partner { id, was }) => {
            let request = Request::patch(partner_path(id), &Value::Object(difference(was, now)));
            context.given_directly(request.with(&context.all()?)).await?;
        }
        (_, Original::Partner { .. }) => {}
        (_, Original::PoNumber { payout, was }) => {
            context.set_text(HOOKS, payout, "po_number", was.as_deref()).await?;
        }
        (_, Original::Note { payout, was }) => {
            let hooks = [Hook::SetNote, Hook::ClearNote];
            context.set_text(hooks, payout, "note", was.as_deref()).await?;
        }
        (_, Original::Upload { payout }) => {
            context.operate(Hook::RemoveUpload, &[("payout", payout)]).await?;
        }
        (_, Original::Template) => {
            context.operate(Hook::ClearTemplate, &[]).await?;
        }
        (_, Original::Credits) => {
            context.operate(Hook::SetCredits, &[("credits", "0")]).await?;
        }
    }
    match (read(context, original, process).await?, state) {
        // Another run may lock a partner as soon as it has its own name again.
        (State::Changed(now), State::Changed(before))
            if is_marked(&now) && now["name"] != before["name"] =>
        {
            Ok(State::ByAnother)
        }
        (State::Changed(_), _) => {
            Err(CaseOutcome::error(format!("not restored: {}", original.text())))
        }
        (State::AsBefore, _) => Ok(State::Restored),
        (state, _) => Ok(state),
    }
}

/// Reads whether something is as it was before a run of this process changed it.
async fn read(
    context: &mut CaseContext<'_>,
    original: &Original,
    process: &str,
) -> CaseResult<State> {
    match original {
        Original::Partner { id, was } => {
            let request = Request::get(partner_path(id)).with(&context.all()?);
            let now = context.given_directly(request).await?;
            let now = now.at("/data");
            // A killed run left a marker; where there is none, a person has changed the partner.
            if difference(was, now).is_empty() {
                Ok(State::AsBefore)
            } else if is_marked(now) || process == self::process() {
                Ok(State::Changed(now.clone()))
            } else {
                Ok(State::ByAnother)
            }
        }
        Original::PoNumber { payout, was } | Original::Note { payout, was } => {
            let is_note = matches!(original, Original::Note { .. });
            let now = context.payout_now(payout).await?;
            let now = now.at(if is_note { NOTE } else { PO_NUMBER });
            Ok(state_of_text(was.as_deref(), now, process))
        }
        Original::Upload { payout } => {
            let path = format!("/api/v1/payouts/{payout}/statement");
            let request = Request::post(path).with(&context.all()?);
            let now = context.given_directly(request).await?;
            let is_uploaded = now.at("/data/isUploaded") != false;
            Ok(if is_uploaded { State::Changed(Value::Null) } else { State::AsBefore })
        }
        Original::Credits => {
            let request = Request::get("/api/v1/partners?limit=1");
            let request = request.with(&context.key(Role::Exhausted)?);
            let has_none = context.send_to_restore(request).await?.status == 402;
            Ok(if has_none { State::AsBefore } else { State::Changed(Value::Null) })
        }
        Original::Template => Ok(State::Unknown),
    }
}

/// Whether some run has given the partner its name.
fn is_marked(partner: &Value) -> bool {
    let name = partner["name"].as_str().unwrap_or_default();
    name.starts_with(NAME_MARKER) || has_marker(name)
}

fn state_of_text(was: Option<&str>, now: &Value, process: &str) -> State {
    match now.as_str() {
        now if now == was => State::AsBefore,
        Some(now) if !has_marker_of(process, now) => State::ByAnother,
        _ => State::Changed(Value::Null),
    }
}

/// Restores what the cases of a run could not restore; returns what is still changed, with the case
/// that changed it.
pub(crate) async fn end_run(deployment: &Arc<Deployment>) -> Vec<(&'static str, String)> {
    let mut remains = Vec::new();
    for (case, original) in deployment.intents.changed() {
        match restore_alone(deployment, &original, process()).await {
            Ok(state) => deployment.intents.is_restored(&original, state.text()),
            Err(why) => {
                remains.push((case, format!("{}, and is changed: {why}", original.text())));
            }
        }
    }
    remains
}

async fn restore_alone(
    deployment: &Arc<Deployment>,
    original: &Original,
    process: &str,
) -> Result<State, String> {
    let share = deployment.budget.begin(RESTORE.requests, &[]).await?;
    let mut context = CaseContext::new(deployment, &RESTORE, share);
    restore(&mut context, original, process).await.map_err(|ended| ended.because.reason())
}

/// Restores what killed runs left, the last first, and closes it in the journal. Returns a line
/// for each: what became of it, or why it stays open.
pub(crate) async fn recover(
    deployment: &Arc<Deployment>,
    journal: &Journal,
    left: &[Unfinished],
) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    let mut open = Vec::new();
    for intent in left.iter().rev() {
        let Undo::To(original) = &intent.undo else {
            continue;
        };
        let why = match restore_alone(deployment, original, intent.process()).await {
            Ok(state @ (State::AsBefore | State::Restored | State::Unknown)) => {
                journal.settle(intent, state.text())?;
                lines.push(format!("{}: {}", original.text(), state.text()));
                continue;
            }
            Ok(state) => state.text().to_owned(),
            Err(why) => why,
        };
        open.push(intent.process());
        lines.push(format!("{}, and is NOT restored: {why}", original.text()));
    }
    for intent in left {
        if intent.undo == Undo::ByOriginals && !open.contains(&intent.process()) {
            journal.settle(intent, "what it changed was restored")?;
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
