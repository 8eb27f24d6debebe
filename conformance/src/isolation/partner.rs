//! The fixture partner, which cases change and the engine restores.

use serde_json::{Value, json};

use super::texts::marked_name;
use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult, Changes},
    exchange::{Request, Response, request::escaped},
    journal::Original,
    secret::Secret,
    target::Fixture,
};

/// The partner of [`Fixture::Partner`] under a name of the run.
#[derive(Debug)]
pub(crate) struct ChangedPartner {
    pub(crate) id: String,
    pub(crate) original: Value,
    pub(crate) renamed: Value,
    key: Secret,
}

impl ChangedPartner {
    pub(crate) const NEEDS: Case = Case {
        operation: Some("updatePartner"),
        fixtures: &[Fixture::Partner],
        changes: Changes::Restored,
        ..Case::NONE
    };

    /// Writes the partner to the journal and renames it. Inconclusive: it cannot be renamed.
    pub(crate) async fn new(context: &mut CaseContext<'_>) -> CaseResult<Self> {
        let (id, key) = (context.fixture(Fixture::Partner)?, context.all()?);
        let original = context.will_change_partner(&id).await?;
        let rename = Request::patch(partner_path(&id), &json!({ "name": marked_name() }));
        let renamed = context.given(rename.with(&key)).await?.at("/data").clone();
        Ok(Self { id, original, renamed, key })
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

    /// Returns the fixture's id, to which this field may be changed and back. Skipped: the partner
    /// has no value to go back to, or has this one already.
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

impl CaseContext<'_> {
    /// Writes a partner to the journal, and returns its values before any case changed them.
    pub(crate) async fn will_change_partner(&mut self, id: &str) -> CaseResult<Value> {
        let read = Request::get(partner_path(id)).with(&self.all()?);
        let now = self.given_directly(read).await?;
        let original = Original::Partner { id: id.to_owned(), was: now.at("/data").clone() };
        match self.will_change_text(original, now.text("/data/name"))? {
            Original::Partner { was, .. } => Ok(was),
            _ => unreachable!("a partner's name is no other original's"),
        }
    }

    pub(crate) async fn change_partner(&mut self, id: &str, body: &Value) -> CaseResult<Response> {
        self.will_change_partner(id).await?;
        let request = Request::patch(partner_path(id), body).with(&self.all()?);
        self.send(request).await
    }
}

pub(crate) fn partner_path(id: &str) -> String {
    format!("/api/v1/partners/{}", escaped(id))
}
