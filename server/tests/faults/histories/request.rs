//! Requests of a history: what they ask, and random ones that suit the state of the model.

use reqwest::Method;
use serde_json::{Value, json};

use super::model::{Line, Model, Payout};
use crate::support::Random;

const CURRENCIES: [&str; 2] = ["EUR", "USD"];
const PERIOD_START: &str = "2026-05-01T00:00:00.000Z";
const PERIOD_ENDS: [&str; 2] = ["2026-05-31T23:59:59.999Z", "2026-06-30T23:59:59.999Z"];
/// The likely ones more than once.
const STAGES: [&str; 10] = [
    "DRAFT",
    "PENDING_REVIEW",
    "APPROVED",
    "APPROVED",
    "PENDING_PAYMENT",
    "PAID",
    "PAID",
    "DECLINED",
    "BLOCKED",
    "POSTPONED",
];

#[derive(Clone, Debug)]
pub enum Request {
    CreatePartner {
        name: String,
        domain: Option<String>,
    },
    UpdatePartner {
        partner: String,
        name: String,
    },
    CreateLine {
        line: Line,
    },
    /// Only amount, currency and description of the line are used.
    UpdateLine {
        line: String,
        change: Line,
    },
    Decline {
        line: String,
    },
    Detach {
        line: String,
    },
    Attach {
        line: String,
        payout: String,
    },
    /// An empty batch: one of its own.
    CreatePayout {
        payout: Payout,
        attaches: bool,
    },
    UpdatePayout {
        payout: String,
        stage: Option<&'static str>,
        po_number: Option<String>,
    },
    CreateBatch {
        period_end: &'static str,
    },
    Statement {
        payout: String,
    },
}

/// Requests are the same where they look the same.
impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

/// A request, and its idempotency key.
#[derive(Clone, Debug)]
pub struct Step {
    pub request: Request,
    pub key: Option<String>,
}

impl Request {
    /// Method, path and body.
    pub fn parts(&self) -> (Method, String, Value) {
        let (method, path, body) = match self {
            Self::CreatePartner { name, domain: None } => {
                ("POST", "partners".into(), json!({ "name": name }))
            }
            Self::CreatePartner { name, domain } => {
                ("POST", "partners".into(), json!({ "name": name, "domain": domain }))
            }
            Self::UpdatePartner { partner, name } => {
                ("PATCH", format!("partners/{partner}"), json!({ "name": name }))
            }
            Self::CreateLine { line } => ("POST", "commission-lines".into(), new_line(line)),
            Self::UpdateLine { line, change } => {
                let body = json!({
                    "amount": money(change.amount), "currency": change.currency,
                    "description": change.description,
                });
                ("PATCH", format!("commission-lines/{line}"), body)
            }
            Self::Decline { line } => (
                "POST",
                format!("commission-lines/{line}/decline"),
                json!({ "reason": "DISPUTED" }),
            ),
            Self::Detach { line } => ("POST", format!("commission-lines/{line}/detach"), json!({})),
            Self::Attach { line, payout } => {
                ("POST", format!("commission-lines/{line}/attach"), json!({ "payoutId": payout }))
            }
            Self::CreatePayout { payout, attaches } => {
                let mut body = json!({
                    "partnerId": payout.partner, "currency": payout.currency,
                    "periodStart": PERIOD_START, "periodEnd": payout.period_end,
                    "attachPendingLines": attaches,
                });
                if !payout.batch.is_empty() {
                    body["batchId"] = json!(payout.batch);
                }
                ("POST", "payouts".into(), body)
            }
            Self::UpdatePayout { payout, stage, po_number } => {
                let mut body = json!({});
                if let Some(stage) = stage {
                    body["stage"] = json!(stage);
                }
                if let Some(po_number) = po_number {
                    body["poNumber"] = json!(po_number);
                }
                ("PATCH", format!("payouts/{payout}"), body)
            }
            Self::CreateBatch { period_end } => {
                let body = json!({ "periodStart": PERIOD_START, "periodEnd": period_end });
                ("POST", "payout-batches".into(), body)
            }
            Self::Statement { payout } => {
                ("POST", format!("payouts/{payout}/statement"), json!({}))
            }
        };
        let method = if method == "POST" { Method::POST } else { Method::PATCH };
        (method, path, body)
    }

    /// Returns true if it may have an idempotency key.
    fn takes_key(&self) -> bool {
        let (method, ..) = self.parts();
        method == Method::POST && !matches!(self, Self::Statement { .. })
    }
}

/// Draws the steps of a history.
pub struct Drawing {
    pub random: Random,
    /// Whether each request that creates something has a key, as a client that may get no response
    /// needs it.
    pub always_keyed: bool,
    drawn: u64,
    /// An earlier step, to be repeated.
    earlier: Option<Step>,
}

impl Drawing {
    pub fn new(random: Random, always_keyed: bool) -> Self {
        Self { random, always_keyed, drawn: 0, earlier: None }
    }

    /// One step, or two that are sent at once.
    pub fn group(&mut self, model: &Model) -> Vec<Step> {
        let first = self.step(model);
        match self.random.below(6) {
            0 => vec![first, self.step(model)],
            1 if first.key.is_some() => vec![first.clone(), first],
            _ => vec![first],
        }
    }

    fn step(&mut self, model: &Model) -> Step {
        if let Some(earlier) = self.earlier.take_if(|_| self.random.below(3) == 0) {
            return earlier;
        }
        let request = self.request(model);
        let has_key = request.takes_key() && (self.always_keyed || self.random.below(2) == 0);
        // Now and then another request with the same key.
        let number = self.drawn - self.random.below(8) / 7;
        let operation = format!("{request:?}").split(' ').next().map(str::to_owned);
        let key = operation.filter(|_| has_key).map(|operation| format!("{operation}-{number}"));
        let step = Step { request, key };
        if step.key.is_some() {
            self.earlier = Some(step.clone());
        }
        step
    }

    fn request(&mut self, model: &Model) -> Request {
        self.drawn += 1;
        let drawn = self.drawn;
        let random = &mut self.random;
        let name = format!("Partner {}", random.below(3));
        if model.partners.is_empty() || random.below(16) == 0 {
            let domains = [None, Some("a.example"), Some("A.example"), Some("b.example")];
            let domain = domains[random.index(domains.len())].map(str::to_owned);
            return Request::CreatePartner { name, domain };
        }
        let partner = any(model.partners.keys(), random);
        let kind = random.below(21);
        if kind < 6 || model.lines.is_empty() {
            return Request::CreateLine { line: line(model, partner, drawn, random) };
        }
        let line_id = any(model.lines.keys(), random);
        match kind {
            6 => return Request::UpdatePartner { partner, name },
            7 | 8 => return Request::CreateBatch { period_end: PERIOD_ENDS[random.index(2)] },
            9 | 10 => {
                let batch = (random.below(2) == 0 && !model.batches.is_empty())
                    .then(|| any(model.batches.iter(), random));
                let payout = Payout {
                    partner,
                    batch: batch.unwrap_or_default(),
                    currency: CURRENCIES[random.index(2)],
                    period_end: PERIOD_ENDS[random.index(2)],
                    stage: "DRAFT",
                    po_number: None,
                };
                return Request::CreatePayout { payout, attaches: random.below(2) == 0 };
            }
            11 | 12 => return Request::Decline { line: line_id },
            13 => return Request::Detach { line: line_id },
            20 if !model.payouts.is_empty() => {
                // Mostly one that takes the line.
                let line = &model.lines[&line_id];
                let is_suited = |payout: &Payout| {
                    (&payout.partner, payout.currency) == (&line.partner, line.currency)
                };
                let suited = model.payouts.iter().find(|(_, payout)| is_suited(payout));
                let suited = suited.filter(|_| random.below(4) > 0).map(|(id, _)| id.clone());
                let payout = suited.unwrap_or_else(|| any(model.payouts.keys(), random));
                return Request::Attach { line: line_id, payout };
            }
            14 | 15 => {
                let mut change = model.lines[&line_id].clone();
                change.amount = amount(random);
                if random.below(4) == 0 {
                    change.currency = CURRENCIES[random.index(2)];
                }
                return Request::UpdateLine { line: line_id, change };
            }
            _ if model.payouts.is_empty() => {
                return Request::CreateBatch { period_end: PERIOD_ENDS[1] };
            }
            _ => {}
        }
        let payout = any(model.payouts.keys(), random);
        // A document takes as long as a hundred other requests.
        if random.below(40) == 0 {
            return Request::Statement { payout };
        }
        let stage = (random.below(5) > 0).then(|| STAGES[random.index(STAGES.len())]);
        let po_number = (random.below(4) == 0).then(|| format!("PO-{}", random.below(3)));
        Request::UpdatePayout { payout, stage, po_number }
    }
}

fn line(model: &Model, partner: String, drawn: u64, random: &mut Random) -> Line {
    let payout = (random.below(3) == 0 && !model.payouts.is_empty())
        .then(|| any(model.payouts.keys(), random));
    // Mostly one that the line suits.
    let suited = payout.as_ref().filter(|_| random.below(4) > 0).map(|id| &model.payouts[id]);
    let currency = suited.map_or(CURRENCIES[random.index(2)], |payout| payout.currency);
    Line {
        partner: suited.map_or(partner, |payout| payout.partner.clone()),
        status: if payout.is_some() { "IN_PAYOUT" } else { "PENDING" },
        payout,
        amount: amount(random),
        currency,
        description: format!("Order {drawn}"),
        period_end: PERIOD_ENDS[random.index(2)],
        key: (random.below(4) == 0).then(|| format!("order-{}", random.below(4))),
    }
}

fn new_line(line: &Line) -> Value {
    let mut body = json!({
        "partnerId": line.partner, "amount": money(line.amount), "currency": line.currency,
        "description": line.description, "periodEnd": line.period_end,
    });
    for (name, value) in [("payoutId", &line.payout), ("idempotencyKey", &line.key)] {
        if let Some(value) = value {
            body[name] = json!(value);
        }
    }
    body
}

/// Hundredths, not zero; some negative.
fn amount(random: &mut Random) -> i64 {
    let amount = i64::try_from(random.below(50_000)).expect("a small number") + 1;
    if random.below(5) == 0 { -amount } else { amount }
}

fn any<'a>(mut all: impl ExactSizeIterator<Item = &'a String>, random: &mut Random) -> String {
    let index = random.index(all.len());
    all.nth(index).expect("an index of the list").clone()
}

/// Hundredths as money.
pub fn money(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let size = hundredths.unsigned_abs();
    format!("{sign}{}.{:02}", size / 100, size % 100)
}
