//! A model of an organisation and of what the operations do to it (X1–X9, X14–X16, X18–X20): maps
//! of its resources as responses show them. It knows nothing of the server's code; the document
//! lists the stages that follow each other.

mod comments;
mod conversions;
mod forms;
mod partners;
mod portal;

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::request::{DOCUMENT, MATURE, Request, Step};
use crate::support::Response;

/// The stages in which a payout takes lines.
const TAKES_LINES: [&str; 4] = ["DRAFT", "PENDING_REVIEW", "APPROVED", "PENDING_INVOICE"];
/// The stages in which a payout's lines can be neither changed nor declined.
const LOCKS_LINES: [&str; 3] = ["SCHEDULED", "PENDING_PAYMENT", "PAID"];

/// Resources by their id.
pub type Resources = BTreeMap<String, Value>;

/// A status and the resource that the response shows, or the code of a 422.
type Outcome = Result<(u16, Value), &'static str>;

#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The partner that earns with conversions.
    earner: String,
    pub partners: Resources,
    /// They lack the value of their amount, which is the sum of their lines.
    pub payouts: Resources,
    pub lines: Resources,
    pub comments: Resources,
    pub submissions: Resources,
    pub conversions: Resources,
    /// Who may enter the portals of partners, as their `portalAccess`.
    portals: BTreeMap<String, Value>,
    pub batches: BTreeSet<String>,
    /// The number of the history's rows by action.
    pub history: BTreeMap<&'static str, i64>,
    /// The requests with an idempotency key that were done, and their responses.
    kept: BTreeMap<String, (Request, Response)>,
    /// The document of each content.
    documents: BTreeMap<String, Value>,
}

/// A text of a resource; empty where there is none.
pub fn text<'a>(resource: &'a Value, name: &str) -> &'a str {
    resource[name].as_str().unwrap_or_default()
}

/// Sets these members; returns true if one of them had another value.
fn set(resource: &mut Value, members: &Value) -> bool {
    let before = resource.clone();
    for (name, value) in members.as_object().expect("an object") {
        resource[name] = value.clone();
    }
    *resource != before
}

/// Requires that `shown` has every member of `expected`.
pub fn contains(shown: &Value, expected: &Value) -> Result<(), String> {
    let Some(members) = expected.as_object() else {
        let problem = format!("{expected} is expected, not {shown}");
        return (shown == expected).then_some(()).ok_or(problem);
    };
    let differs = |(name, value): (&String, &Value)| {
        contains(&shown[name], value).map_err(|problem| format!("{name}: {problem} in {shown}"))
    };
    members.iter().try_for_each(differs)
}

impl Model {
    /// An organisation with a partner that earns with conversions.
    pub fn new(earner: String) -> Self {
        let partner = json!({ "id": earner, "name": "Earner", "domain": null });
        let partners = Resources::from([(earner.clone(), partner)]);
        Self { earner, partners, ..Self::default() }
    }

    /// Does the step; the error is why it cannot have this response. Without a response, nobody
    /// has seen it. `listed` are the payouts of the batch that it made, or the lines that claw back
    /// what it reversed.
    pub fn apply(
        &mut self,
        step: &Step,
        response: Option<&Response>,
        listed: &[Value],
    ) -> Result<(), String> {
        let kept = step.key.as_ref().and_then(|key| self.kept.get(key));
        let outcome = match (kept, response) {
            (_, Some(response)) if response.code == "IDEMPOTENCY_IN_PROGRESS" => return Ok(()),
            (Some((request, first)), Some(response)) if *request == step.request => {
                let is_same = (first.status, &first.body) == (response.status, &response.body);
                let problem = format!("{response:?} does not repeat {first:?}");
                return (is_same && response.is_replayed != Some(false))
                    .then_some(())
                    .ok_or(problem);
            }
            (Some(_), _) => Err("IDEMPOTENCY_KEY_REUSED"),
            (None, _) => {
                let shown = response.map_or(Value::Null, |response| response.body["data"].clone());
                self.rules(&step.request, &shown, listed)?
            }
        };
        let Some(response) = response else {
            return Ok(());
        };
        let (status, code, resource) = match &outcome {
            Ok((status, resource)) => (*status, "", resource),
            Err(code) => (422, *code, &Value::Null),
        };
        if (response.status, &*response.code) != (status, code)
            || response.is_replayed == Some(true)
        {
            return Err(format!("{status} {code} is expected, not {response:?}"));
        }
        if !resource.is_null() {
            contains(&response.body["data"], resource)?;
        }
        if let Some(key) = step.key.as_ref().filter(|_| code != "IDEMPOTENCY_KEY_REUSED") {
            self.kept.insert(key.clone(), (step.request.clone(), response.clone()));
        }
        Ok(())
    }

    /// `shown` is the resource of the response, whose id a new one has.
    fn rules(
        &mut self,
        Request { operation, id, body }: &Request,
        shown: &Value,
        listed: &[Value],
    ) -> Result<Outcome, String> {
        let new = text(shown, "id");
        Ok(match *operation {
            "createPartner" => self.create_partner(body, new),
            "updatePartner" => Ok((200, self.update_partner(id, body))),
            "createCommissionLine" => self.create_line(body, new),
            "updateCommissionLine" => self.update_line(id, body),
            "declineCommissionLine" => self.decline(id),
            "detachCommissionLine" => self.detach(id),
            "attachCommissionLine" => self.attach_line(id, text(body, "payoutId")),
            "createPayout" => self.create_payout(body, new, text(shown, "batchId")),
            "updatePayout" => self.update_payout(id, body),
            "createComment" => self.create_comment(body, new),
            "createPortalSession" => self.create_portal_session(body, new),
            "createFormSubmission" => self.create_submission(body, new),
            "createConversion" => self.create_conversion(body, shown),
            "reverseConversion" => self.reverse_conversion(id, listed)?,
            MATURE => self.mature(),
            "createPayoutBatch" => self.create_batch(text(body, "periodEnd"), new, listed)?,
            _ => self.statement(id, shown)?,
        })
    }

    fn record(&mut self, action: &'static str) {
        *self.history.entry(action).or_default() += 1;
    }

    /// The payout with the sum of its lines.
    pub fn payout(&self, id: &str) -> Value {
        let amounts = self.lines.values().filter(|line| line["payoutId"] == id);
        let amounts = amounts.map(|line| text(line, "amount").parse::<Decimal>().expect("money"));
        let mut payout = self.payouts[id].clone();
        let sum: Decimal = amounts.fold(Decimal::new(0, 2), |sum, amount| sum + amount);
        payout["amount"]["value"] = json!(sum.to_string());
        payout
    }

    fn create_line(&mut self, body: &Value, id: &str) -> Outcome {
        let key = &body["idempotencyKey"];
        let has_key = |line: &&Value| !key.is_null() && line["idempotencyKey"] == *key;
        if let Some(known) = self.lines.values().find(has_key) {
            return Ok((200, known.clone()));
        }
        let mut line =
            json!({ "id": id, "status": "PENDING", "payoutId": null, "idempotencyKey": null });
        if let Some(payout) = body["payoutId"].as_str() {
            self.takes(payout, body)?;
            line["status"] = json!("IN_PAYOUT");
        }
        set(&mut line, body);
        self.record("create_commission_line");
        self.lines.insert(id.to_owned(), line.clone());
        Ok((201, line))
    }

    /// Requires that the payout takes the line.
    fn takes(&self, payout: &str, line: &Value) -> Result<(), &'static str> {
        let payout = &self.payouts[payout];
        if payout["partner"]["id"] != line["partnerId"] {
            return Err("PARTNER_MISMATCH");
        }
        if payout["amount"]["currency"] != line["currency"] {
            return Err("CURRENCY_MISMATCH");
        }
        let takes_lines = TAKES_LINES.contains(&text(payout, "stage"));
        takes_lines.then_some(()).ok_or("PAYOUT_LOCKED")
    }

    /// The line's payout, where it is in one; it must not lock the line.
    fn unlocked_payout(&self, line: &Value) -> Result<Option<&Value>, &'static str> {
        let payout = line["payoutId"].as_str().map(|payout| &self.payouts[payout]);
        match payout.filter(|payout| LOCKS_LINES.contains(&text(payout, "stage"))) {
            Some(_) => Err("LINE_LOCKED"),
            None => Ok(payout),
        }
    }

    fn update_line(&mut self, id: &str, body: &Value) -> Outcome {
        let mut line = self.lines[id].clone();
        if !set(&mut line, body) {
            return Ok((200, line));
        }
        if line["status"] == "VOIDED" {
            return Err("LINE_VOIDED");
        }
        let payout = self.unlocked_payout(&line)?;
        if payout.is_some_and(|payout| payout["amount"]["currency"] != line["currency"]) {
            return Err("CURRENCY_MISMATCH");
        }
        self.lines.insert(id.to_owned(), line.clone());
        self.record("update_commission_line");
        Ok((200, line))
    }

    /// Moves a line into a payout or out of one.
    fn place(
        &mut self,
        id: &str,
        status: &str,
        payout: Option<&str>,
        action: &'static str,
    ) -> Value {
        let line = self.lines.get_mut(id).expect("a line of the model");
        set(line, &json!({ "status": status, "payoutId": payout }));
        let line = line.clone();
        self.record(action);
        line
    }

    fn attach_line(&mut self, id: &str, payout: &str) -> Outcome {
        let line = &self.lines[id];
        match line["payoutId"].as_str() {
            Some(current) if current == payout => return Ok((200, line.clone())),
            Some(_) => return Err("LINE_IN_PAYOUT"),
            None if line["status"] != "PENDING" => return Err("LINE_NOT_PENDING"),
            None => self.takes(payout, line)?,
        }
        Ok((200, self.place(id, "IN_PAYOUT", Some(payout), "attach_commission_line")))
    }

    fn decline(&mut self, id: &str) -> Outcome {
        let payout = self.unlocked_payout(&self.lines[id])?.ok_or("LINE_NOT_IN_PAYOUT")?;
        let payout = text(payout, "id").to_owned();
        let line = self.place(id, "VOIDED", None, "decline_commission_line");
        self.decline_emptied(&payout);
        Ok((200, line))
    }

    fn detach(&mut self, id: &str) -> Outcome {
        if self.lines[id]["payoutId"].is_null() {
            return Err("LINE_NOT_IN_PAYOUT");
        }
        Ok((200, self.place(id, "PENDING", None, "detach_commission_line")))
    }

    fn create_payout(&mut self, body: &Value, id: &str, batch: &str) -> Outcome {
        let same = json!({
            "batchId": body["batchId"], "partner": { "id": body["partnerId"] },
            "amount": { "currency": body["currency"] },
        });
        let mut payouts = self.payouts.iter();
        if let Some((known, _)) = payouts.find(|(_, it)| contains(it, &same).is_ok()) {
            return Ok((200, self.payout(known)));
        }
        // A payout that names no batch gets a batch of its own.
        if self.batches.insert(batch.to_owned()) {
            self.record("create_payout_batch");
        }
        self.insert_payout(id, batch, body);
        if body["attachPendingLines"] == true {
            self.attach_pending(id);
        }
        Ok((201, self.payout(id)))
    }

    fn insert_payout(&mut self, id: &str, batch: &str, new: &Value) {
        let payout = json!({
            "id": id, "batchId": batch, "stage": "DRAFT", "periodEnd": new["periodEnd"],
            "poNumber": null, "partner": { "id": new["partnerId"] },
            "amount": { "currency": new["currency"] },
        });
        self.record("create_payout");
        self.payouts.insert(id.to_owned(), payout);
    }

    /// The pending lines up to the end of a period.
    fn pending(&self, period_end: &str) -> Vec<Value> {
        let is_due =
            |line: &&Value| line["status"] == "PENDING" && text(line, "periodEnd") <= period_end;
        self.lines.values().filter(is_due).cloned().collect()
    }

    /// Attaches the pending lines that a payout can take; returns how many.
    fn attach_pending(&mut self, id: &str) -> usize {
        let payout = &self.payouts[id];
        let mut lines = self.pending(text(payout, "periodEnd"));
        lines.retain(|line| {
            (&line["partnerId"], &line["currency"])
                == (&payout["partner"]["id"], &payout["amount"]["currency"])
        });
        for line in &lines {
            self.place(text(line, "id"), "IN_PAYOUT", Some(id), "attach_commission_line");
        }
        lines.len()
    }

    fn update_payout(&mut self, id: &str, body: &Value) -> Outcome {
        let payout = self.payouts.get_mut(id).expect("a payout of the model");
        let stage = body.get("stage").filter(|stage| **stage != payout["stage"]);
        if stage.is_some_and(|stage| !follows(&payout["stage"], stage)) {
            return Err("INVALID_STAGE_TRANSITION");
        }
        if set(payout, body) {
            self.record("update_payout");
        }
        Ok((200, self.payout(id)))
    }

    fn create_batch(
        &mut self,
        period_end: &str,
        batch: &str,
        listed: &[Value],
    ) -> Result<Outcome, String> {
        self.batches.insert(batch.to_owned());
        self.record("create_payout_batch");
        let pending = self.pending(period_end).into_iter();
        let due: BTreeSet<(String, String)> = pending
            .map(|line| (text(&line, "partnerId").to_owned(), text(&line, "currency").to_owned()))
            .collect();
        let (payouts, mut lines) = (due.len(), 0);
        for (partner, currency) in due {
            let it = json!({ "partner": { "id": partner }, "amount": { "currency": currency } });
            let payout = listed.iter().find(|payout| contains(payout, &it).is_ok());
            let payout = payout.ok_or_else(|| format!("no payout of {partner} in {currency}"))?;
            let new =
                json!({ "partnerId": partner, "currency": currency, "periodEnd": period_end });
            self.insert_payout(text(payout, "id"), batch, &new);
            lines += self.attach_pending(text(payout, "id"));
        }
        Ok(Ok((201, json!({ "payoutCount": payouts, "lineCount": lines }))))
    }

    fn statement(&mut self, id: &str, shown: &Value) -> Result<Outcome, String> {
        let lines = self.lines.values().filter(|line| line["payoutId"] == id);
        let printed = |line: &Value| {
            ["id", "amount", "currency", "description"].map(|name| text(line, name).to_owned())
        };
        let printed: Vec<_> = lines.map(printed).collect();
        if printed.is_empty() {
            return Ok(Err("NO_COMMISSION_LINES"));
        }
        let content = format!("{id} {} {printed:?}", self.payouts[id]["poNumber"]);
        if !self.documents.contains_key(&content) {
            self.record("generate_statement");
        }
        if shown.is_null() {
            return Ok(Ok((200, Value::Null)));
        }
        let first = self.documents.entry(content).or_insert_with(|| shown["assetId"].clone());
        Ok(Ok((200, json!({ "assetId": first }))))
    }
}

/// Returns true if the document lists one stage behind the other.
fn follows(stage: &Value, next: &Value) -> bool {
    let rows = DOCUMENT.transitions("PayoutStage");
    let row = rows.into_iter().find(|(from, _)| stage == from).expect("each stage has a row");
    row.1.iter().any(|to| next == to)
}
