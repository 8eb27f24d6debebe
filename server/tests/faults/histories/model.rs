//! A model of an organisation and of what the operations do to it (X1–X9), in a few maps. It knows
//! nothing of the server's code; the stages that follow each other are read from the document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    client::Response,
    request::{Request, Step},
    rules::{Done, LOCKS_LINES, TAKES_LINES, follow, rejected},
    shown::contains,
};

#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Keyed by id, as are payouts and lines.
    pub partners: BTreeMap<String, Partner>,
    pub payouts: BTreeMap<String, Payout>,
    pub lines: BTreeMap<String, Line>,
    pub batches: BTreeSet<String>,
    /// The number of the history's rows by action.
    pub history: BTreeMap<&'static str, i64>,
    /// The requests with an idempotency key that were done, and their responses.
    kept: BTreeMap<String, (Request, Response)>,
    /// The document of each content.
    documents: BTreeMap<String, Value>,
}

#[derive(Clone, Debug)]
pub struct Partner {
    pub name: String,
    pub domain: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Payout {
    pub partner: String,
    pub batch: String,
    pub currency: &'static str,
    pub period_end: &'static str,
    pub stage: &'static str,
    pub po_number: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Line {
    pub partner: String,
    pub payout: Option<String>,
    pub status: &'static str,
    /// Hundredths.
    pub amount: i64,
    pub currency: &'static str,
    pub description: String,
    pub period_end: &'static str,
    pub key: Option<String>,
}

/// The payouts of each new batch, as the server lists them.
pub type Listed = BTreeMap<String, Vec<Value>>;

/// A status and the code of an error, or why the response is wrong.
type Expected = Result<(u16, &'static str), String>;

impl Model {
    /// Does the step; the error is why it cannot have this response. Without a response, nobody
    /// has seen it.
    pub fn apply(
        &mut self,
        step: &Step,
        response: Option<&Response>,
        listed: &Listed,
    ) -> Result<(), String> {
        let kept = step.key.as_ref().and_then(|key| self.kept.get(key));
        let (status, code) = match (kept, response) {
            (_, Some(response)) if response.code == "IDEMPOTENCY_IN_PROGRESS" => return Ok(()),
            (Some((request, first)), Some(response)) if *request == step.request => {
                let is_same = (first.status, &first.text) == (response.status, &response.text);
                let problem = format!("{response:?} does not repeat {first:?}");
                return (is_same && response.is_replayed != Some(false))
                    .then_some(())
                    .ok_or(problem);
            }
            (Some(_), _) => (422, "IDEMPOTENCY_KEY_REUSED"),
            (None, _) => self.rules(&step.request, response, listed)?,
        };
        let Some(response) = response else {
            return Ok(());
        };
        let is_expected = (response.status, response.code.as_str()) == (status, code);
        if !is_expected || response.is_replayed == Some(true) {
            return Err(format!("{status} {code} is expected, not {response:?}"));
        }
        if let Some(key) = step.key.as_ref().filter(|_| code != "IDEMPOTENCY_KEY_REUSED") {
            self.kept.insert(key.clone(), (step.request.clone(), response.clone()));
        }
        Ok(())
    }

    fn rules(
        &mut self,
        request: &Request,
        response: Option<&Response>,
        listed: &Listed,
    ) -> Expected {
        let id = || response.map(|it| it.text_at("/data/id")).unwrap_or_default();
        let expected = match request {
            Request::CreatePartner { name, domain } => self.create_partner(name, domain, id()),
            Request::UpdatePartner { partner, name } => self.update_partner(partner, name),
            Request::CreateLine { line } => self.create_line(line, id()),
            Request::UpdateLine { line, change } => self.update_line(line, change),
            Request::Decline { line } => self.decline(line),
            Request::Detach { line } => self.detach(line),
            Request::Attach { line, payout } => self.attach_line(line, payout),
            Request::CreatePayout { payout, attaches } => {
                let batch = response.map(|it| it.text_at("/data/batchId")).unwrap_or_default();
                self.create_payout(payout, *attaches, id(), batch)
            }
            Request::UpdatePayout { payout, stage, po_number } => {
                self.update_payout(payout, *stage, po_number.as_deref())
            }
            Request::CreateBatch { period_end } => {
                return self.create_batch(period_end, response, listed);
            }
            Request::Statement { payout } => {
                return self.statement(payout, response);
            }
        };
        let (status, code, changed) = expected;
        let shows_it = |response: &&Response| status < 300 && response.status == status;
        if let Some(response) = response.filter(shows_it) {
            let shown = match changed.split_once('_').map_or("", |(kind, _)| kind) {
                "ptn" => self.partner_json(&changed),
                "pay" => self.payout_json(&changed),
                _ => self.line_json(&changed),
            };
            contains(&response.body["data"], &shown)?;
        }
        Ok((status, code))
    }

    fn record(&mut self, action: &'static str) {
        *self.history.entry(action).or_default() += 1;
    }

    fn create_partner(&mut self, name: &str, domain: &Option<String>, id: String) -> Done {
        let matched = self.partners.iter().find(|(_, partner)| {
            let lower = |domain: &Option<String>| domain.as_ref().map(|it| it.to_lowercase());
            domain.is_some() && lower(&partner.domain) == lower(domain)
        });
        if let Some((matched, before)) = matched {
            let (matched, is_changed) =
                (matched.clone(), before.name != name || before.domain != *domain);
            if is_changed {
                self.record("update_partner");
            }
            let partner = Partner { name: name.to_owned(), domain: domain.clone() };
            self.partners.insert(matched.clone(), partner);
            return (200, "", matched);
        }
        self.record("create_partner");
        self.partners.insert(id.clone(), Partner { name: name.to_owned(), domain: domain.clone() });
        (201, "", id)
    }

    fn update_partner(&mut self, partner: &str, name: &str) -> Done {
        let found = self.partners.get_mut(partner).expect("a partner of the model");
        if found.name != name {
            name.clone_into(&mut found.name);
            self.record("update_partner");
        }
        (200, "", partner.to_owned())
    }

    fn create_line(&mut self, line: &Line, id: String) -> Done {
        let has_key = |(_, other): &(&String, &Line)| line.key.is_some() && other.key == line.key;
        if let Some((stored, _)) = self.lines.iter().find(has_key) {
            return (200, "", stored.clone());
        }
        if let Some(code) = line.payout.as_ref().and_then(|payout| self.refusal(payout, line)) {
            return rejected(code);
        }
        self.record("create_commission_line");
        self.lines.insert(id.clone(), line.clone());
        (201, "", id)
    }

    /// The line's payout, where it is in one that does not lock it.
    fn unlocked_payout(&self, line: &str) -> Result<String, Done> {
        let Some(payout) = &self.lines[line].payout else {
            return Err(rejected("LINE_NOT_IN_PAYOUT"));
        };
        match LOCKS_LINES.contains(&self.payouts[payout].stage) {
            true => Err(rejected("LINE_LOCKED")),
            false => Ok(payout.clone()),
        }
    }

    fn update_line(&mut self, id: &str, change: &Line) -> Done {
        let line = &self.lines[id];
        let before = (line.amount, line.currency, line.description.clone());
        let after = (change.amount, change.currency, change.description.clone());
        if before == after {
            return (200, "", id.to_owned());
        }
        if line.status == "VOIDED" {
            return rejected("LINE_VOIDED");
        }
        if let Some(payout) = line.payout.as_ref().map(|payout| &self.payouts[payout]) {
            if LOCKS_LINES.contains(&payout.stage) {
                return rejected("LINE_LOCKED");
            }
            if payout.currency != change.currency {
                return rejected("CURRENCY_MISMATCH");
            }
        }
        let line = self.lines.get_mut(id).expect("a line of the model");
        (line.amount, line.currency, line.description) = after;
        self.record("update_commission_line");
        (200, "", id.to_owned())
    }

    fn attach_line(&mut self, id: &str, payout_id: &str) -> Done {
        let line = &self.lines[id];
        match &line.payout {
            Some(current) if current == payout_id => return (200, "", id.to_owned()),
            Some(_) => return rejected("LINE_IN_PAYOUT"),
            None if line.status != "PENDING" => return rejected("LINE_NOT_PENDING"),
            None => {}
        }
        if let Some(code) = self.refusal(payout_id, line) {
            return rejected(code);
        }
        let line = self.lines.get_mut(id).expect("a line of the model");
        (line.status, line.payout) = ("IN_PAYOUT", Some(payout_id.to_owned()));
        self.record("attach_commission_line");
        (200, "", id.to_owned())
    }

    /// Why the payout does not take the line.
    fn refusal(&self, payout: &str, line: &Line) -> Option<&'static str> {
        let payout = &self.payouts[payout];
        if payout.partner != line.partner {
            return Some("PARTNER_MISMATCH");
        }
        if payout.currency != line.currency {
            return Some("CURRENCY_MISMATCH");
        }
        (!TAKES_LINES.contains(&payout.stage)).then_some("PAYOUT_LOCKED")
    }

    fn decline(&mut self, id: &str) -> Done {
        let payout = match self.unlocked_payout(id) {
            Ok(payout) => payout,
            Err(rejected) => return rejected,
        };
        self.release(id, "VOIDED");
        self.record("decline_commission_line");
        let is_empty = self.lines.values().all(|line| line.payout.as_ref() != Some(&payout));
        if is_empty && follow(self.payouts[&payout].stage).contains(&"DECLINED") {
            self.payouts.get_mut(&payout).expect("a payout of the model").stage = "DECLINED";
            self.record("update_payout");
        }
        (200, "", id.to_owned())
    }

    fn detach(&mut self, id: &str) -> Done {
        if self.lines[id].payout.is_none() {
            return rejected("LINE_NOT_IN_PAYOUT");
        }
        self.release(id, "PENDING");
        self.record("detach_commission_line");
        (200, "", id.to_owned())
    }

    fn release(&mut self, id: &str, status: &'static str) {
        let line = self.lines.get_mut(id).expect("a line of the model");
        (line.payout, line.status) = (None, status);
    }

    fn create_payout(&mut self, new: &Payout, attaches: bool, id: String, batch: String) -> Done {
        let is_same = |(_, payout): &(&String, &Payout)| {
            (&payout.batch, &payout.partner, payout.currency)
                == (&new.batch, &new.partner, new.currency)
        };
        if let Some((found, _)) = self.payouts.iter().find(is_same) {
            return (200, "", found.clone());
        }
        // A payout that names no batch of the model gets a batch of its own.
        if self.batches.insert(batch.clone()) {
            self.record("create_payout_batch");
        }
        self.record("create_payout");
        self.payouts.insert(id.clone(), Payout { batch, ..new.clone() });
        if attaches {
            self.attach(&id);
        }
        (201, "", id)
    }

    /// Attaches the pending lines that a payout can take; returns how many.
    fn attach(&mut self, id: &str) -> usize {
        let payout = self.payouts[id].clone();
        let mut attached = 0;
        for line in self.lines.values_mut() {
            if (line.status, &line.partner, line.currency)
                == ("PENDING", &payout.partner, payout.currency)
                && line.period_end <= payout.period_end
            {
                (line.status, line.payout) = ("IN_PAYOUT", Some(id.to_owned()));
                attached += 1;
            }
        }
        (0..attached).for_each(|_| self.record("attach_commission_line"));
        attached
    }

    fn update_payout(
        &mut self,
        id: &str,
        stage: Option<&'static str>,
        po_number: Option<&str>,
    ) -> Done {
        let payout = self.payouts.get_mut(id).expect("a payout of the model");
        let before = (payout.stage, payout.po_number.clone());
        if let Some(stage) = stage.filter(|stage| *stage != payout.stage) {
            if !follow(payout.stage).contains(&stage) {
                return rejected("INVALID_STAGE_TRANSITION");
            }
            payout.stage = stage;
        }
        if let Some(po_number) = po_number {
            payout.po_number = Some(po_number.to_owned());
        }
        if before != (payout.stage, payout.po_number.clone()) {
            self.record("update_payout");
        }
        (200, "", id.to_owned())
    }

    fn create_batch(
        &mut self,
        period_end: &'static str,
        response: Option<&Response>,
        listed: &Listed,
    ) -> Expected {
        let response = response.expect("a batch has a key, so its response is seen");
        let batch = response.text_at("/data/id");
        self.batches.insert(batch.clone());
        self.record("create_payout_batch");
        let mut due: BTreeSet<(String, &'static str)> = BTreeSet::new();
        for line in self.lines.values() {
            if line.status == "PENDING" && line.period_end <= period_end {
                due.insert((line.partner.clone(), line.currency));
            }
        }
        let (payouts, mut lines) = (due.len(), 0);
        for (partner, currency) in due {
            let is_it = |payout: &&Value| {
                (&payout["partner"]["id"], &payout["amount"]["currency"])
                    == (&json!(partner), &json!(currency))
            };
            let found = listed.get(&batch).and_then(|all| all.iter().find(is_it));
            let found = found.ok_or_else(|| format!("no payout of {partner} in {currency}"))?;
            let id = found["id"].as_str().unwrap_or_default().to_owned();
            let (batch, stage, po_number) = (batch.clone(), "DRAFT", None);
            let payout = Payout { partner, batch, currency, period_end, stage, po_number };
            self.payouts.insert(id.clone(), payout);
            self.record("create_payout");
            lines += self.attach(&id);
        }
        let counts = json!({ "payoutCount": payouts, "lineCount": lines });
        contains(&response.body["data"], &counts)?;
        Ok((201, ""))
    }

    fn statement(&mut self, id: &str, response: Option<&Response>) -> Expected {
        let lines = self.lines.iter().filter(|(_, line)| line.payout.as_deref() == Some(id));
        let printed: Vec<_> =
            lines.map(|(id, line)| (id, line.amount, line.currency, &line.description)).collect();
        if printed.is_empty() {
            return Ok((422, "NO_COMMISSION_LINES"));
        }
        let content = format!("{id} {:?} {printed:?}", self.payouts[id].po_number);
        if !self.documents.contains_key(&content) {
            self.record("generate_statement");
        }
        if let Some(response) = response {
            let asset = response.body["data"]["assetId"].clone();
            let first = self.documents.entry(content).or_insert_with(|| asset.clone());
            if *first != asset {
                return Err(format!("{asset}, and not {first}, is the document of this content"));
            }
        }
        Ok((200, ""))
    }
}
