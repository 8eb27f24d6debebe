//! The model's resources as responses show them.

use serde_json::{Value, json};

use super::{
    model::{Model, Partner},
    request::money,
};

impl Model {
    pub fn partner_json(&self, id: &str) -> Value {
        let Partner { name, domain } = &self.partners[id];
        json!({ "id": id, "name": name, "domain": domain })
    }

    pub fn payout_json(&self, id: &str) -> Value {
        let payout = &self.payouts[id];
        let lines = self.lines.values().filter(|line| line.payout.as_deref() == Some(id));
        let amount = money(lines.map(|line| line.amount).sum());
        json!({
            "id": id, "batchId": payout.batch, "stage": payout.stage,
            "amount": { "value": amount, "currency": payout.currency },
            "periodEnd": payout.period_end, "poNumber": payout.po_number,
        })
    }

    pub fn line_json(&self, id: &str) -> Value {
        let line = &self.lines[id];
        json!({
            "id": id, "partnerId": line.partner, "payoutId": line.payout, "status": line.status,
            "amount": money(line.amount), "currency": line.currency,
            "description": line.description, "periodEnd": line.period_end,
            "idempotencyKey": line.key,
        })
    }
}

/// Requires that `shown` has every member of `expected`.
pub fn contains(shown: &Value, expected: &Value) -> Result<(), String> {
    let members = expected.as_object().expect("the model shows objects");
    match members.iter().find(|(name, value)| shown[name.as_str()] != **value) {
        None => Ok(()),
        Some((name, value)) => Err(format!("{name} is expected to be {value} in {shown}")),
    }
}
