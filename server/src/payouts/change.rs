//! The rules of changing a payout (X4, R2). Fields that the body omits stay as they are.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    contract::{
        types::{self, ErrorCode, StageTransitionDetails, UpdatePayoutRequest},
        value_sets::PayoutStage,
    },
    problem::Failure,
};

/// The changeable fields, under the names of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PayoutFields {
    pub(super) stage: String,
    pub(super) po_number: Option<String>,
    pub(super) metadata: Option<Value>,
}

/// The payout cannot move to the requested stage: any text of up to 64 KiB.
fn invalid_transition(from: PayoutStage, to: &str) -> Failure {
    /// Longer than the name of any stage.
    const SHOWN_CHARACTERS: usize = 64;
    let cut = to.char_indices().nth(SHOWN_CHARACTERS);
    let shown = cut.map_or_else(|| to.to_owned(), |(end, _)| format!("{}…", &to[..end]));
    let allowed: Vec<&str> = from.successors().iter().map(|stage| stage.as_str()).collect();
    let message = format!(
        "A payout in {from} cannot move to {shown}. It can move to {}.",
        allowed.join(", ")
    );
    let details = StageTransitionDetails {
        stage: types::PayoutStage::new(from.as_str()),
        allowed: allowed.into_iter().map(types::PayoutStage::new).collect(),
    };
    Failure::rejected(ErrorCode::InvalidStageTransition, message, details)
}

impl PayoutFields {
    /// Returns those that differ from `other`, for the history.
    pub(super) fn differing_from(&self, other: &Self) -> Value {
        let (mut fields, others) = (json!(self), json!(other));
        if let Some(fields) = fields.as_object_mut() {
            fields.retain(|name, value| others[name.as_str()] != *value);
        }
        fields
    }

    pub(super) fn changed_by(&self, change: UpdatePayoutRequest) -> Result<Self, Failure> {
        let UpdatePayoutRequest { stage, po_number, metadata } = change;
        let before = self.clone();
        if let Some(stage) = stage.as_ref().filter(|stage| stage.as_str() != self.stage) {
            let from = PayoutStage::parse(&self.stage)?;
            if !from.successors().iter().any(|successor| successor.as_str() == stage.as_str()) {
                return Err(invalid_transition(from, stage.as_str()));
            }
        }
        Ok(Self {
            stage: stage.map_or(before.stage, |stage| stage.into_string()),
            po_number: match po_number.as_opt_ref() {
                Some(number) => number.map(|number| number.as_str().to_owned()),
                None => before.po_number,
            },
            metadata: match metadata.as_opt_ref() {
                Some(texts) => texts.map(|texts| json!(texts)),
                None => before.metadata,
            },
        })
    }
}
