//! Changes by operator hooks: notes, PO numbers, templates, uploads, credits. The engine restores
//! them after the case.

use super::texts::marker;
use crate::{
    case::{CaseContext, CaseOutcome, CaseResult},
    exchange::{Request, Response},
    journal::Original,
    target::Hook,
};

pub(crate) const NOTE: &str = "/data/metadata/statementNote";
pub(super) const PO_NUMBER: &str = "/data/poNumber";

impl CaseContext<'_> {
    /// Reads a payout past the proxy of a proof.
    pub(super) async fn payout_now(&mut self, id: &str) -> CaseResult<Response> {
        let read = Request::get(format!("/api/v1/payouts/{id}")).with(&self.all()?);
        self.given_directly(read).await
    }

    /// Sets or clears the note of a payout. Skipped: the note could not be restored, because the
    /// payout does not show it.
    pub(crate) async fn set_note(&mut self, payout: &str, note: Option<&str>) -> CaseResult {
        let now = self.payout_now(payout).await?;
        let was = now.at(NOTE).as_str().map(str::to_owned);
        let original = Original::Note { payout: payout.to_owned(), was };
        let is_known = self.deployment().intents.original(&original.name()).is_some();
        // Only V11 says that null means a payout without a note.
        let is_shown = now.at("/data").get("metadata").is_some()
            && (now.at(NOTE).is_string() || self.judges("V11"));
        CaseOutcome::missing_if(
            !is_known && !is_shown,
            "a payout whose metadata shows its statementNote, without which it is not restored",
        )?;
        self.will_change_text(original, now.text(NOTE))?;
        self.set_text([Hook::SetNote, Hook::ClearNote], payout, "note", note).await
    }

    /// Gives a payout a PO number that no statement was rendered for, and returns the number.
    pub(crate) async fn renumber(&mut self, payout: &str) -> CaseResult<String> {
        let number = marker();
        self.set_po_number(payout, Some(&number)).await?;
        Ok(number)
    }

    pub(crate) async fn set_po_number(&mut self, payout: &str, number: Option<&str>) -> CaseResult {
        let now = self.payout_now(payout).await?;
        let was = now.at(PO_NUMBER).as_str().map(str::to_owned);
        let original = Original::PoNumber { payout: payout.to_owned(), was };
        self.will_change_text(original, now.text(PO_NUMBER))?;
        let hooks = [Hook::SetPoNumber, Hook::ClearPoNumber];
        self.set_text(hooks, payout, "po_number", number).await
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

    /// Gives the statement template another title.
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
}
