//! The rules of changing a payout (X4, R2). Fields that the body omits stay as they are.

use serde_json::{Value, json};

use openapi_runtime::UnknownValue;

use crate::contract::value_sets::PayoutStage;

/// The fields of a PATCH; `None` keeps a field, `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PayoutChange {
    /// The stage to move to; any text.
    pub(super) stage: Option<String>,
    pub(super) po_number: Option<Option<String>>,
    /// Texts that replace all it has.
    pub(super) metadata: Option<Option<Value>>,
}

/// The changeable fields, before or after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedFields {
    pub(super) stage: String,
    pub(super) po_number: Option<String>,
    pub(super) metadata: Option<Value>,
}

/// The payout cannot move to the stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTransition {
    /// The payout's stage.
    pub from: PayoutStage,
    /// The stage that was asked for.
    pub to: String,
}

impl InvalidTransition {
    /// The stages that the payout can move to.
    #[must_use]
    pub fn allowed(&self) -> Vec<&'static str> {
        self.from.successors().iter().map(|stage| stage.as_str()).collect()
    }
}

impl ChangedFields {
    /// Those that differ from `other`, as the history stores them.
    pub(super) fn differing_from(&self, other: &Self) -> Value {
        let mut fields = json!({});
        if self.stage != other.stage {
            fields["stage"] = json!(self.stage);
        }
        if self.po_number != other.po_number {
            fields["poNumber"] = json!(self.po_number);
        }
        if self.metadata != other.metadata {
            fields["metadata"] = json!(self.metadata);
        }
        fields
    }
}

impl PayoutChange {
    /// The fields after this change; `None` where nothing differs, so that `updatedAt` stays too.
    pub(super) fn apply(
        &self,
        before: &ChangedFields,
    ) -> Result<Result<Option<ChangedFields>, InvalidTransition>, UnknownValue> {
        let mut after = before.clone();
        if let Some(stage) = self.stage.as_ref().filter(|stage| **stage != before.stage) {
            let from = PayoutStage::parse(&before.stage)?;
            if !from.successors().iter().any(|successor| successor.as_str() == stage) {
                return Ok(Err(InvalidTransition { from, to: stage.clone() }));
            }
            after.stage.clone_from(stage);
        }
        if let Some(po_number) = &self.po_number {
            after.po_number.clone_from(po_number);
        }
        if let Some(metadata) = &self.metadata {
            after.metadata.clone_from(metadata);
        }
        Ok(Ok((after != *before).then_some(after)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> ChangedFields {
        ChangedFields {
            stage: "DRAFT".into(),
            po_number: Some("PO-1".into()),
            metadata: Some(json!({ "statementNote": "Thank you." })),
        }
    }

    fn applied(change: &PayoutChange) -> Option<ChangedFields> {
        change.apply(&before()).unwrap().unwrap()
    }

    #[test]
    fn empty_or_equal_change_changes_nothing() {
        let equal = PayoutChange {
            stage: Some("DRAFT".into()),
            po_number: Some(Some("PO-1".into())),
            metadata: Some(Some(json!({ "statementNote": "Thank you." }))),
        };
        assert_eq!(applied(&PayoutChange::default()), None);
        assert_eq!(applied(&equal), None);
    }

    #[test]
    fn null_clears_and_the_history_names_what_differs() {
        let change =
            PayoutChange { po_number: Some(None), metadata: Some(None), ..PayoutChange::default() };
        let after = applied(&change).unwrap();
        assert_eq!(after, ChangedFields { po_number: None, metadata: None, ..before() });
        assert_eq!(after.differing_from(&before()), json!({ "poNumber": null, "metadata": null }));
    }

    #[test]
    fn payout_moves_only_along_the_table() {
        for (to, is_allowed) in [("APPROVED", true), ("PAID", false), ("unknown", false)] {
            let change = PayoutChange { stage: Some(to.into()), ..PayoutChange::default() };
            let outcome = change.apply(&before()).unwrap();
            assert_eq!(outcome.is_ok(), is_allowed, "{to}");
        }
    }
}
