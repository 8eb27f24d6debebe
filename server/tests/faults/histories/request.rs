//! Random requests that suit the state of a model.

use std::sync::LazyLock;

use fastrand::Rng;
use openapi_document::Document;
use serde_json::{Value, json};

use super::model::{Model, Resources, text};

pub static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let text = payout_server::http::docs::DOCUMENT;
    Document::parse("openapi/api.yaml", text).expect("the document is sound")
});

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

/// The experience template of each organisation.
pub const TEMPLATE: &str = "tmpl_01JV3N8Q5R0000000000000001";
/// The form of each organisation.
pub const FORM: &str = "frm_01JV3N8Q5R0000000000000001";
/// Clicks of each organisation on links that pay 12.50 % at once, 25.00 EUR after 30 days, and
/// nothing any more. Nobody made the last one.
pub const CLICKS: [&str; 4] = [
    "clk_01JV3N8Q5R0000000000000001",
    "clk_01JV3N8Q5R0000000000000002",
    "clk_01JV3N8Q5R0000000000000003",
    "clk_01JV3N8Q5R0000000000000004",
];
/// A moment before the clicks, and one whose conversions are no longer held.
pub const OCCURRED: [&str; 2] = ["2026-04-01T12:00:00.000Z", "2026-05-10T12:00:00.000Z"];

/// An operator's command, which is no operation of the document.
pub const MATURE: &str = "mature";

/// An operation of the document, the id in its path, and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub operation: &'static str,
    pub id: String,
    pub body: Value,
}

/// A request, and its idempotency key.
#[derive(Clone, Debug)]
pub struct Step {
    pub request: Request,
    pub key: Option<String>,
}

impl Request {
    /// Method and path.
    pub fn line(&self) -> (reqwest::Method, String) {
        let mut operations = DOCUMENT.operations().iter();
        let operation = operations.find(|operation| operation.id == self.operation);
        let operation = operation.expect("an operation of the document");
        let method = operation.method.as_str().parse().expect("a method");
        (method, operation.path.replace("{id}", &self.id))
    }
}

pub struct Drawing {
    pub random: Rng,
    /// Whether each request that creates something has a key, as a client that may get no response
    /// needs it.
    pub always_keyed: bool,
    pub drawn: u64,
    /// An earlier step, to be repeated.
    pub earlier: Option<Step>,
}

impl Drawing {
    /// One step, or two that are sent at once.
    pub fn group(&mut self, model: &Model) -> Vec<Step> {
        let first = self.step(model);
        match self.random.u8(..6) {
            0 => vec![first, self.step(model)],
            1 if first.key.is_some() => vec![first.clone(), first],
            _ => vec![first],
        }
    }

    fn step(&mut self, model: &Model) -> Step {
        if let Some(earlier) = self.earlier.take_if(|_| self.random.u8(..3) == 0) {
            return earlier;
        }
        self.drawn += 1;
        let request = self.request(model);
        let without_key = ["generateStatement", "createPortalSession", MATURE];
        let takes_key =
            !request.operation.starts_with("update") && !without_key.contains(&request.operation);
        let has_key = takes_key && (self.always_keyed || self.random.bool());
        // Now and then another request with the same key.
        let number = self.drawn - self.random.u64(..8) / 7;
        let key = has_key.then(|| format!("{}-{number}", request.operation));
        let step = Step { request, key };
        if step.key.is_some() {
            self.earlier = Some(step.clone());
        }
        step
    }

    fn request(&mut self, model: &Model) -> Request {
        let random = &mut self.random;
        let request = |operation, id: &str, body| Request { operation, id: id.to_owned(), body };
        let name = format!("Partner {}", random.u8(..3));
        let kind = random.u8(..34);
        let period_end = PERIOD_ENDS[random.usize(..2)];
        let line = any(&model.lines, random);
        let line_id = line.map_or("", |line| text(line, "id"));
        let (Some(partner), true) = (any(&model.partners, random), random.u8(..16) > 0) else {
            let domains = [json!({}), json!("a.example"), json!("A.example"), json!("b.example")];
            let mut body = json!({ "name": name });
            let domain = &domains[random.usize(..4)];
            if domain.is_string() {
                body["domain"] = domain.clone();
            }
            return request("createPartner", "", body);
        };
        let batch = json!({ "periodStart": PERIOD_START, "periodEnd": period_end });
        match (kind, line, any(&model.payouts, random)) {
            (..6, ..) | (_, None, _) => {
                let body = new_line(model, partner, self.drawn, random);
                request("createCommissionLine", "", body)
            }
            (6, ..) => request("updatePartner", text(partner, "id"), json!({ "name": name })),
            (25, ..) => request("updatePartner", text(partner, "id"), published(random)),
            (26 | 27, ..) => request("createPortalSession", "", new_session(partner, random)),
            (28..=30, ..) => request("createConversion", "", new_conversion(random)),
            (31 | 32, ..) if !model.conversions.is_empty() => {
                let conversion = any(&model.conversions, random).map_or("", |it| text(it, "id"));
                request("reverseConversion", conversion, json!({ "reason": "Refunded" }))
            }
            (33, ..) => request(MATURE, "", json!({})),
            (7 | 8, ..) => request("createPayoutBatch", "", batch),
            (9 | 10, ..) => request("createPayout", "", new_payout(model, partner, batch, random)),
            (11 | 12, ..) => {
                request("declineCommissionLine", line_id, json!({ "reason": "DISPUTED" }))
            }
            (21 | 22, ..) => request("createComment", "", new_comment(model, partner, random)),
            (23 | 24, ..) => request("createFormSubmission", FORM, new_submission(partner, random)),
            (13, ..) => request("detachCommissionLine", line_id, json!({})),
            (14 | 15, Some(line), _) => {
                let mut body = json!({ "amount": amount(random), "currency": line["currency"] });
                if random.u8(..4) == 0 {
                    body["currency"] = json!(CURRENCIES[random.usize(..2)]);
                }
                request("updateCommissionLine", line_id, body)
            }
            (_, _, None) => request("createPayoutBatch", "", batch),
            (20, Some(line), Some(payout)) => {
                // Mostly one that takes the line.
                let suited = suited_payout(model, line).filter(|_| random.u8(..4) > 0);
                let payout = suited.unwrap_or(payout);
                request("attachCommissionLine", line_id, json!({ "payoutId": payout["id"] }))
            }
            (_, _, Some(payout)) => {
                let id = text(payout, "id");
                // A document takes as long as a hundred other requests.
                if random.u8(..40) == 0 {
                    return request("generateStatement", id, json!({}));
                }
                let mut body = json!({});
                if random.u8(..5) > 0 {
                    body["stage"] = json!(STAGES[random.usize(..STAGES.len())]);
                }
                if random.u8(..4) == 0 {
                    body["poNumber"] = json!(format!("PO-{}", random.u8(..3)));
                }
                request("updatePayout", id, body)
            }
        }
    }
}

/// The first payout of the line's partner and currency.
fn suited_payout<'a>(model: &'a Model, line: &Value) -> Option<&'a Value> {
    model.payouts.values().find(|payout| {
        (&payout["partner"]["id"], &payout["amount"]["currency"])
            == (&line["partnerId"], &line["currency"])
    })
}

/// A payout of the partner in this period, sometimes in a batch that is known.
fn new_payout(model: &Model, partner: &Value, period: Value, random: &mut Rng) -> Value {
    let mut body = period;
    body["partnerId"] = partner["id"].clone();
    body["currency"] = json!(CURRENCIES[random.usize(..2)]);
    body["attachPendingLines"] = json!(random.bool());
    let batches: Vec<&String> = model.batches.iter().collect();
    if let Some(batch) = random.choice(batches).filter(|_| random.bool()) {
        body["batchId"] = json!(batch);
    }
    body
}

/// A comment about the partner, or in a thread or about a payout, which it mostly suits.
fn new_comment(model: &Model, partner: &Value, random: &mut Rng) -> Value {
    let visibility = ["INTERNAL", "PARTNER"][random.usize(..2)];
    let mut body =
        json!({ "partnerId": partner["id"], "text": "Hello.", "visibility": visibility });
    let suits = random.u8(..4) > 0;
    if let Some(payout) = any(&model.payouts, random).filter(|_| random.u8(..3) == 0) {
        body["payoutId"] = payout["id"].clone();
        if suits {
            body["partnerId"] = payout["partner"]["id"].clone();
        }
    } else if let Some(joined) = any(&model.comments, random).filter(|_| random.bool()) {
        body["threadId"] = joined["id"].clone();
        if suits {
            body["partnerId"] = joined["partnerId"].clone();
        }
    }
    body
}

/// A submission of the partner, which mostly fits the form and now and then has a known key.
fn new_submission(partner: &Value, random: &mut Rng) -> Value {
    let fields = if random.u8(..4) > 0 { json!({ "company": "Acme" }) } else { json!({}) };
    let mut body = json!({ "partnerId": partner["id"], "fields": fields });
    if random.bool() {
        body["externalKey"] = json!(format!("lead-{}", random.u8(..3)));
    }
    body
}

/// What a click became, mostly an order that is sent more than once.
fn new_conversion(random: &mut Rng) -> Value {
    let click = CLICKS[usize::from(random.u8(..8)).saturating_sub(4)];
    let mut body = json!({ "clickId": click });
    if random.u8(..4) > 0 {
        body["externalId"] = json!(format!("order-{}", random.u8(..6)));
    }
    if random.u8(..4) > 0 {
        let cents = if random.u8(..6) == 0 { 0 } else { random.u16(1..60_000) };
        body["amount"] = json!(format!("{}.{:02}", cents / 100, cents % 100));
        body["currency"] = json!(CURRENCIES[random.usize(..2)]);
    }
    if random.u8(..3) > 0 {
        body["occurredAt"] = json!(OCCURRED[usize::from(random.u8(..6) > 0)]);
    }
    body
}

/// Publishes a portal.
fn published(random: &mut Rng) -> Value {
    let access = ["RESTRICTED_USERS", "RESTRICTED_DOMAINS", "RESTRICTED_DOMAINS"];
    json!({ "experienceTemplateId": TEMPLATE, "portalAccess": access[random.usize(..3)] })
}

/// A link into the partner's portal, for somebody of the domains that partners have.
fn new_session(partner: &Value, random: &mut Rng) -> Value {
    let email = ["jo@a.example", "jo@B.example"][random.usize(..2)];
    json!({ "partnerId": partner["id"], "email": email })
}

/// A line of the partner, or for a payout, which it mostly suits.
fn new_line(model: &Model, partner: &Value, drawn: u64, random: &mut Rng) -> Value {
    let mut body = json!({
        "partnerId": partner["id"], "amount": amount(random),
        "currency": CURRENCIES[random.usize(..2)], "description": format!("Order {drawn}"),
        "periodEnd": PERIOD_ENDS[random.usize(..2)],
    });
    if let Some(payout) = any(&model.payouts, random).filter(|_| random.u8(..3) == 0) {
        body["payoutId"] = payout["id"].clone();
        if random.u8(..4) > 0 {
            body["partnerId"] = payout["partner"]["id"].clone();
            body["currency"] = payout["amount"]["currency"].clone();
        }
    }
    if random.u8(..4) == 0 {
        body["idempotencyKey"] = json!(format!("order-{}", random.u8(..4)));
    }
    body
}

/// Money, not zero; some negative.
fn amount(random: &mut Rng) -> String {
    let sign = if random.u8(..5) == 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", random.u16(..500), random.u8(1..100))
}

fn any<'a>(all: &'a Resources, random: &mut Rng) -> Option<&'a Value> {
    random.choice(all.values().collect::<Vec<_>>())
}
