//! Conversions, their reversal, and lines whose hold is over (X18–X20).

use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

use super::{LOCKS_LINES, Model, Outcome, follows, set, text};
use crate::{
    histories::request::{CLICKS, OCCURRED},
    support::deployment::NOON,
};

impl Model {
    pub(super) fn create_conversion(&mut self, body: &Value, shown: &Value) -> Outcome {
        let (click, order) = (text(body, "clickId"), &body["externalId"]);
        let is_known = |known: &&Value| match order.as_str() {
            Some(_) => known["externalId"] == *order,
            None => known["clickId"] == click,
        };
        // Of several the first.
        let mut known: Vec<&Value> = self.conversions.values().filter(is_known).collect();
        known.sort_by_key(|known| text(known, "id"));
        if let Some(first) = known.first() {
            let mut first = (*first).clone();
            first["status"] = json!("DUPLICATE");
            return Ok((200, first));
        }
        let occurred_at = body["occurredAt"].as_str().unwrap_or(NOON);
        let reason = match click {
            _ if click == CLICKS[3] => Some("UNKNOWN_CLICK"),
            _ if occurred_at == OCCURRED[0] => Some("BEFORE_CLICK"),
            _ if click == CLICKS[2] => Some("LINK_DISABLED"),
            _ => None,
        };
        if let Some(reason) = reason {
            let ignored = json!({ "id": null, "status": "IGNORED", "reason": reason });
            return Ok((200, ignored));
        }
        let (id, line_id) = (text(shown, "id"), shown["commissionLineId"].as_str());
        let mut conversion = json!({
            "id": id, "status": "RECORDED", "reason": null, "clickId": click,
            "partnerId": self.earner, "commissionLineId": null, "externalId": order,
            "amount": body["amount"],
            "currency": body["currency"], "occurredAt": occurred_at, "reversedAt": null,
        });
        let amount: Decimal =
            body["amount"].as_str().map_or(Decimal::ZERO, |amount| amount.parse().expect("money"));
        let is_fixed = click == CLICKS[1];
        let percent = (amount * Decimal::new(125, 3))
            .round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        let commission = if is_fixed { Decimal::new(2_500, 2) } else { percent };
        if !commission.is_zero() {
            let line_id = line_id.unwrap_or_default();
            conversion["commissionLineId"] = json!(line_id);
            let order = order.as_str().unwrap_or(id);
            let period_end = match occurred_at == NOON {
                true => "2026-06-30T23:59:59.999Z",
                false => "2026-05-31T23:59:59.999Z",
            };
            let line = json!({
                "id": line_id, "status": "EXPECTED", "payoutId": null, "idempotencyKey": null,
                "partnerId": self.earner, "amount": format!("{commission:.2}"),
                "currency": if is_fixed { json!("EUR") } else { body["currency"].clone() },
                "description": format!("Conversion {order}"), "periodEnd": period_end,
                "sourceAmount": format!("{amount:.2}"), "planName": "Referral",
            });
            self.record("create_commission_line");
            self.lines.insert(line_id.to_owned(), line);
        }
        self.record("create_conversion");
        self.conversions.insert(id.to_owned(), conversion.clone());
        Ok((201, conversion))
    }

    /// `listed` are the lines that claw this conversion's line back.
    pub(super) fn reverse_conversion(
        &mut self,
        id: &str,
        listed: &[Value],
    ) -> Result<Outcome, String> {
        let conversion = self.conversions.get_mut(id).expect("a conversion of the model");
        if !set(conversion, &json!({ "reversedAt": NOON })) {
            return Ok(Ok((200, conversion.clone())));
        }
        let conversion = conversion.clone();
        self.record("reverse_conversion");
        let Some(line_id) = conversion["commissionLineId"].as_str() else {
            return Ok(Ok((200, conversion)));
        };
        let line = self.lines[line_id].clone();
        let payout = line["payoutId"].as_str().map(|payout| self.payouts[payout].clone());
        let is_locked = |payout: &Value| LOCKS_LINES.contains(&text(payout, "stage"));
        if listed.is_empty() == payout.as_ref().is_some_and(is_locked) {
            return Err(format!("{line} is clawed back by {listed:?}"));
        }
        match payout {
            _ if line["status"] == "VOIDED" => {}
            Some(payout) if is_locked(&payout) => self.claw_back(&line, listed)?,
            Some(payout) => {
                self.place(line_id, "VOIDED", None, "reverse_conversion");
                self.decline_emptied(text(&payout, "id"));
            }
            None => {
                self.place(line_id, "VOIDED", None, "reverse_conversion");
            }
        }
        Ok(Ok((200, conversion)))
    }

    fn claw_back(&mut self, line: &Value, listed: &[Value]) -> Result<(), String> {
        let [shown] = listed else { return Err(format!("{line} is clawed back by {listed:?}")) };
        let negative = |name: &str| {
            let amount: Decimal = text(line, name).parse().expect("money");
            json!(format!("{:.2}", Decimal::ZERO - amount))
        };
        let mut line = line.clone();
        set(
            &mut line,
            &json!({
                "id": shown["id"], "status": "PENDING", "payoutId": null, "periodEnd": NOON,
                "amount": negative("amount"), "sourceAmount": negative("sourceAmount"),
                "description": shown["description"],
            }),
        );
        self.record("create_commission_line");
        self.lines.insert(text(shown, "id").to_owned(), line);
        Ok(())
    }

    /// Matures the expected lines whose conversion's hold is over; the operator sees how many.
    pub(super) fn mature(&mut self) -> Outcome {
        let is_due = |conversion: &&Value| {
            conversion["clickId"] == CLICKS[0] || conversion["occurredAt"] == OCCURRED[1]
        };
        let due = self.conversions.values().filter(is_due);
        let due = due.filter_map(|conversion| conversion["commissionLineId"].as_str());
        let is_expected = |line: &&str| self.lines[*line]["status"] == "EXPECTED";
        let due: Vec<String> = due.filter(is_expected).map(str::to_owned).collect();
        for line in &due {
            self.lines.get_mut(line).expect("a line of the model")["status"] = json!("PENDING");
        }
        Ok((200, json!({ "matured": due.len() })))
    }

    /// Declines a payout whose last line has gone, where its stage allows that (X8).
    pub(super) fn decline_emptied(&mut self, payout: &str) {
        let is_empty = self.lines.values().all(|line| line["payoutId"] != payout);
        let stage = &self.payouts[payout]["stage"];
        if is_empty && follows(stage, &json!("DECLINED")) {
            self.payouts.get_mut(payout).expect("a payout of the model")["stage"] =
                json!("DECLINED");
            self.record("update_payout");
        }
    }
}
