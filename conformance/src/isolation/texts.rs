//! Texts that a run writes for a while. The next run recognises their beginning, so that it
//! restores what a killed run left, and nothing that a person has changed since.

use serde_json::Value;

use crate::{
    case::{CaseContext, CaseOutcome, CaseResult},
    journal::Original,
};

/// The first character of a partner's name; of one UTF-16 unit and three bytes.
pub(crate) const NAME_MARKER: char = '⁂';
pub(super) const MARKER: &str = "conformance-";

/// Returns a text that nothing in the deployment has.
pub(crate) fn marker() -> String {
    let token = getrandom::u64().unwrap_or_default();
    format!("{MARKER}{token:016x}")
}

/// Returns a name that no partner has.
pub(crate) fn marked_name() -> String {
    format!("{NAME_MARKER} {}", marker())
}

/// Returns true if a run wrote this text.
pub(super) fn has_marker(text: &str) -> bool {
    text.starts_with(NAME_MARKER) || text.contains(MARKER)
}

/// Returns true if a run gave the partner its name or domain.
pub(crate) fn is_marked(partner: &Value) -> bool {
    let texts = ["name", "domain"].map(|name| partner[name].as_str().unwrap_or_default());
    texts.into_iter().any(has_marker)
}

impl CaseContext<'_> {
    /// Announces a change of something that shows this text; returns it as it was before any case
    /// changed it. Skipped: a killed run of another journal wrote the text, so that this run could
    /// not restore the own one.
    pub(super) fn will_change_text(
        &mut self,
        original: Original,
        text: &str,
    ) -> CaseResult<Original> {
        let name = original.name();
        let is_known = self.deployment().intents.original(&name).is_some();
        CaseOutcome::missing_if(
            has_marker(text) && !is_known,
            format!(
                "the own text of {name}: a run that was killed left {text:?}; restore it with that \
                 run's journal, or by hand"
            ),
        )?;
        self.will_change(original)
    }
}
