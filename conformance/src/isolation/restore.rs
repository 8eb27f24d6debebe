//! Restores what a case changed after the case, the rest at the end of a run, and what a killed run
//! left before the next one begins. Nothing is reported as restored unless it was read, except a
//! statement template, which the API does not show.

use std::sync::Arc;

use serde_json::Value;

use super::{
    partner::partner_path,
    payout::{NOTE, PO_NUMBER},
    texts::{has_marker, is_marked},
};
use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult},
    deployment::Deployment,
    exchange::Request,
    journal::{Original, Undo, Unfinished, difference},
    target::{Hook, Role},
};

/// Stands for the case where none runs: at the end of a run, and before one.
static RESTORE: Case = Case { id: "journal", clause: "§4.3", ..Case::NONE };

/// Returns true if originals undo everything that the case changes: hooks for keys do more.
pub(crate) fn is_undone_by_originals(case: &Case) -> bool {
    !case.hooks.iter().any(|hook| matches!(hook, Hook::CreateKey | Hook::RevokeKey))
}

enum State {
    AsBefore,
    /// It was restored now, and is as before.
    Restored,
    /// It is as the run changed it; a partner with what the API shows.
    Changed(Value),
    /// Another client has changed it since.
    ByAnother,
    Unknown,
}

impl State {
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
        let mut outcome = Ok(());
        let changed = self.deployment().intents.changed().into_iter();
        let own = changed.filter(|(case, _)| *case == self.case.id);
        for (_, original) in own.collect::<Vec<_>>() {
            let restored = restore(self, &original, true).await;
            outcome = outcome.and(restored.map(|state| {
                self.deployment().intents.is_restored(&original, state.text());
            }));
        }
        outcome
    }
}

/// Restores what is still as a run changed it, and reads it again. `is_own`: this process changed
/// it.
/// Error: it is still changed.
async fn restore(
    context: &mut CaseContext<'_>,
    original: &Original,
    is_own: bool,
) -> CaseResult<State> {
    let state = read(context, original, is_own).await?;
    match (&state, original) {
        (State::AsBefore | State::ByAnother, _) => return Ok(state),
        (State::Changed(now), Original::Partner { id, was }) => {
            let request = Request::patch(partner_path(id), &Value::Object(difference(was, now)));
            context.given_directly(request.with(&context.all()?)).await?;
        }
        (_, Original::Partner { .. }) => {}
        (_, Original::PoNumber { payout, was }) => {
            let hooks = [Hook::SetPoNumber, Hook::ClearPoNumber];
            context.set_text(hooks, payout, "po_number", was.as_deref()).await?;
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
    match read(context, original, is_own).await? {
        State::Changed(_) => Err(CaseOutcome::error(format!("not restored: {}", original.text()))),
        State::AsBefore => Ok(State::Restored),
        state => Ok(state),
    }
}

/// Reads whether something is as it was before a run changed it.
async fn read(
    context: &mut CaseContext<'_>,
    original: &Original,
    is_own: bool,
) -> CaseResult<State> {
    match original {
        Original::Partner { id, was } => {
            let request = Request::get(partner_path(id)).with(&context.all()?);
            let now = context.given_directly(request).await?;
            // A killed run left a marker; where there is none, a person has changed the partner.
            if difference(was, now.at("/data")).is_empty() {
                Ok(State::AsBefore)
            } else if is_own || is_marked(now.at("/data")) {
                Ok(State::Changed(now.at("/data").clone()))
            } else {
                Ok(State::ByAnother)
            }
        }
        Original::PoNumber { payout, was } | Original::Note { payout, was } => {
            let is_note = matches!(original, Original::Note { .. });
            let now = context.payout_now(payout).await?;
            let now = now.at(if is_note { NOTE } else { PO_NUMBER });
            Ok(state_of_text(was.as_deref(), now))
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

fn state_of_text(was: Option<&str>, now: &Value) -> State {
    match now.as_str() {
        now if now == was => State::AsBefore,
        Some(now) if !has_marker(now) => State::ByAnother,
        _ => State::Changed(Value::Null),
    }
}

/// Restores what the cases of a run could not restore; returns what is still changed, with the case
/// that changed it.
pub(crate) async fn end_run(deployment: &Arc<Deployment>) -> Vec<(&'static str, String)> {
    let mut remains = Vec::new();
    for (case, original) in deployment.intents.changed() {
        match restore_alone(deployment, &original, true).await {
            Ok(state) => deployment.intents.is_restored(&original, state.text()),
            Err(why) => {
                remains.push((case, format!("{}, and is changed: {why}", original.text())));
            }
        }
    }
    remains
}

/// Returns a context for requests outside of any case, also after the deadline.
pub(super) fn outside(deployment: &Arc<Deployment>) -> CaseContext<'_> {
    CaseContext::new(deployment, &RESTORE, deployment.budget.to_restore())
}

async fn restore_alone(
    deployment: &Arc<Deployment>,
    original: &Original,
    is_own: bool,
) -> Result<State, String> {
    let mut context = outside(deployment);
    restore(&mut context, original, is_own).await.map_err(|ended| ended.because.reason())
}

/// Restores what killed runs left, the last first, and closes it in the journal. Returns a line
/// for each: what became of it, or why it stays open.
pub(crate) async fn recover(
    deployment: &Arc<Deployment>,
    left: &[Unfinished],
) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    let mut open = Vec::new();
    for intent in left.iter().rev() {
        let Undo::To(original) = &intent.undo else {
            continue;
        };
        let why = match restore_alone(deployment, original, false).await {
            Ok(state @ (State::AsBefore | State::Restored | State::Unknown)) => {
                deployment.intents.settle(intent, state.text())?;
                lines.push(format!("{}: {}", original.text(), state.text()));
                continue;
            }
            Ok(state) => state.text().to_owned(),
            Err(why) => why,
        };
        open.push(&intent.run);
        lines.push(format!("{}, and is NOT restored: {why}", original.text()));
    }
    for intent in left {
        if intent.undo == Undo::ByOriginals && !open.contains(&&intent.run) {
            deployment.intents.settle(intent, "what it changed was restored")?;
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
