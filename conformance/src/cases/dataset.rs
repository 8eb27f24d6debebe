//! The project's data set, as the responses of a deployment that holds it show it (feature
//! `seeded`). What the file leaves out has the importer's published defaults.

use std::sync::LazyLock;

use crate::cases::prelude::*;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rust_decimal::Decimal;

const DATASET: &str = include_str!("../../dataset.json");
/// Digits of the last characters of an id, in which a repeated entry counts.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The organisation that the key `all` belongs to.
static MAIN: LazyLock<Value> = LazyLock::new(|| {
    let all: Value = serde_json::from_str(DATASET).expect("the data set is JSON");
    let organizations = all["organizations"].as_array().cloned().unwrap_or_default();
    let main = organizations.into_iter().find(|organization| organization["name"] == "main");
    main.expect("the data set has the organisation main")
});

fn entries(name: &str) -> impl Iterator<Item = &'static Value> {
    MAIN[name].as_array().into_iter().flatten()
}

fn find(name: &str, reference: &Value) -> Option<&'static Value> {
    reference.as_str()?;
    entries(name).find(|entry| entry["ref"] == *reference)
}

fn id(name: &str, reference: &Value) -> Value {
    find(name, reference).map_or(Value::Null, |entry| entry["id"].clone())
}

pub(super) fn payouts() -> impl Iterator<Item = &'static Value> {
    entries("payouts")
}

/// The payout with this local name, as the file has it.
pub(super) fn payout(name: &str) -> Option<&'static Value> {
    payouts().find(|payout| payout["ref"] == name)
}

pub(super) fn payout_id(name: &str) -> Option<&'static str> {
    payout(name)?["id"].as_str()
}

pub(super) fn partner_id(name: &Value) -> Value {
    id("partners", name)
}

pub(super) fn amount(payout: &Value) -> Decimal {
    let lines = entries("commissionLines").filter(|line| line["payout"] == payout["ref"]);
    let amounts = lines.map(|line| {
        let amount = line["amount"].as_str().unwrap_or_default();
        let amount: Decimal = amount.parse().unwrap_or_default();
        amount * Decimal::from(line["repeat"].as_u64().unwrap_or(1))
    });
    amounts.sum()
}

/// The `idempotencyKey` of the line with this description: the file numbers both alike.
pub(super) fn idempotency_key(description: &str) -> Option<String> {
    entries("commissionLines").find_map(|line| {
        let (before, after) = line["description"].as_str()?.split_once("{n}")?;
        let number = description.strip_prefix(before)?.strip_suffix(after)?;
        number.parse::<u64>().ok()?;
        let key = line["idempotencyKey"].as_str()?;
        Some(key.replace("{n}", number))
    })
}

pub(super) fn partners() -> Vec<Value> {
    entries("partners").map(partner).collect()
}

fn partner(entry: &Value) -> Value {
    let or = |name: &str, default: Value| entry.get(name).cloned().unwrap_or(default);
    let user = |reference: &Value| {
        let user = find("users", reference);
        user.map_or(
            Value::Null,
            |user| json!({ "id": user["id"], "name": user["name"], "email": user["email"] }),
        )
    };
    let manager = user(&entry["manager"]);
    let mut together: Map<String, Value> = Map::new();
    for name in ["companyCrmProperties", "partnerObjectCrmProperties"] {
        let properties = entry[name].as_object().cloned();
        together.extend(properties.unwrap_or_default());
    }
    json!({
        "id": entry["id"],
        "name": entry["name"],
        "domain": entry["domain"],
        "externalCompanyId": entry["externalCompanyId"],
        "externalId": entry["externalId"],
        "externalIdType": entry["externalIdType"],
        "managerEmail": manager["email"],
        "categories": or("categories", json!([])),
        "tierId": id("tiers", &entry["tier"]),
        "phaseId": id("phases", &entry["phase"]),
        "experienceTemplateId": id("experienceTemplates", &entry["experienceTemplate"]),
        "owner": user(&entry["owner"]),
        "manager": manager,
        "partnerObjectCrmProperties": or("partnerObjectCrmProperties", json!({})),
        "companyCrmProperties": or("companyCrmProperties", json!({})),
        "crmProperties": together,
        "status": or("status", json!("active")),
        "createdAt": entry["createdAt"],
    })
}

/// Lines, without what cases may change: `payoutId`, `status`, `updatedAt`.
pub(super) fn lines() -> Vec<Value> {
    entries("commissionLines").flat_map(repeated).collect()
}

fn repeated(entry: &Value) -> Vec<Value> {
    let count = entry["repeat"].as_u64().unwrap_or(1);
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let first: Option<DateTime<Utc>> = text("createdAt").parse().ok();
    let first = first.expect("the data set's createdAt is a time");
    let mut line = text("id").to_owned();
    let mut lines = Vec::new();
    for number in 1..=count {
        let later = TimeDelta::seconds(i64::try_from(number - 1).unwrap_or(0));
        lines.push(json!({
            "id": line,
            "partnerId": id("partners", &entry["partner"]),
            "description": text("description").replace("{n}", &number.to_string()),
            "amount": entry["amount"],
            "sourceAmount": entry["sourceAmount"],
            "currency": entry["currency"],
            "planName": entry["planName"],
            "periodEnd": entry["periodEnd"],
            "createdAt": (first + later).to_rfc3339_opts(SecondsFormat::Millis, true),
        }));
        line = next(&line);
    }
    lines
}

fn next(id: &str) -> String {
    let mut bytes = id.as_bytes().to_vec();
    for byte in bytes.iter_mut().rev() {
        let digit = DIGITS.iter().position(|digit| digit == byte);
        match digit.map(|digit| digit + 1) {
            Some(digit) if digit < DIGITS.len() => {
                *byte = DIGITS[digit];
                break;
            }
            Some(_) => *byte = DIGITS[0],
            None => break,
        }
    }
    String::from_utf8(bytes).expect("digits are ASCII")
}

/// The first field that is not as expected: the expected and the shown value. Fields that are not
/// expected are ignored.
pub(super) fn difference(expected: &Value, shown: &Value) -> Option<(String, String)> {
    let fields = expected.as_object()?.iter();
    let mut other = fields.filter(|(name, value)| shown.get(*name) != Some(value));
    let (name, value) = other.next()?;
    let shown = shown.get(name).map(Value::to_string);
    Some((
        format!("{}: {name} = {value}", expected["id"]),
        format!("{}: {name} = {}", expected["id"], shown.unwrap_or_else(|| "nothing".to_owned())),
    ))
}
