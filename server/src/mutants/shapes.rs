//! The faults of an answer's shape, which the types of the contract make impossible: the body is rewritten on its way out.
//!
//! It refuses to know the framework: JSON in, JSON out.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde_json::{Map, Value};

use super::{Mutant, is};
use crate::contract::Operation;

/// Names under which amounts stand.
const AMOUNTS: [&str; 2] = ["amount", "sourceAmount"];
/// Names under which times stand.
const TIMES: [&str; 5] = [
    "createdAt",
    "updatedAt",
    "periodStart",
    "periodEnd",
    "expiresAt",
];
const SECONDS_PER_HOUR: i32 = 3_600;

/// Rewrites the body of an answer.
pub(crate) fn rewrite(operation: Option<Operation>, body: &mut Value) {
    if let Some(error) = body.get_mut("error") {
        if is(Mutant::ExtraErrorField) {
            error["retryable"] = Value::Bool(false);
        }
        if is(Mutant::ErrorMessageMissing)
            && let Some(error) = error.as_object_mut()
        {
            error.shift_remove("message");
        }
        return;
    }
    if is(Mutant::NextCursorMissing)
        && let Some(pagination) = body.get_mut("pagination").and_then(Value::as_object_mut)
    {
        pagination.retain(|_, value| !value.is_null());
    }
    let Some(data) = body.get_mut("data") else {
        return;
    };
    match data {
        Value::Array(items) => {
            if is(Mutant::ListedByUpdatedAt) {
                let updated = |item: &Value| item["updatedAt"].as_str().map(str::to_owned);
                items.sort_by_key(|item| std::cmp::Reverse(updated(item)));
            }
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                if is(Mutant::ListItemWithIdempotencyKey)
                    && operation == Some(Operation::ListCommissionLines)
                {
                    item.insert("idempotencyKey".to_owned(), Value::Null);
                }
                rewrite_resource(item);
            }
        }
        Value::Object(resource) => {
            match operation {
                Some(Operation::DetachCommissionLine)
                    if is(Mutant::DetachWithoutIdempotencyKey) =>
                {
                    resource.shift_remove("idempotencyKey");
                }
                Some(Operation::DetachCommissionLine) if is(Mutant::NullIdempotencyKeyOmitted) => {
                    resource.retain(|name, value| name != "idempotencyKey" || !value.is_null());
                }
                Some(Operation::GenerateStatement) if is(Mutant::SixthStatementField) => {
                    resource.insert("contentType".to_owned(), "application/pdf".into());
                }
                _ => {}
            }
            rewrite_resource(resource);
        }
        _ => {}
    }
    if is(Mutant::NoDataEnvelope) && data.is_object() {
        *body = data.take();
    }
}

fn rewrite_resource(resource: &mut Map<String, Value>) {
    if is(Mutant::NullPayoutIdOmitted) {
        resource.retain(|name, value| name != "payoutId" || !value.is_null());
    }
    if is(Mutant::NullDomainOmitted) {
        resource.retain(|name, value| name != "domain" || !value.is_null());
    }
    if is(Mutant::ManagerEmailWithheld)
        && let Some(email) = resource.get_mut("managerEmail")
    {
        *email = Value::Null;
    }
    if is(Mutant::EmptyCategoriesNull)
        && let Some(categories) = resource.get_mut("categories")
        && categories.as_array().is_some_and(Vec::is_empty)
    {
        *categories = Value::Null;
    }
    if is(Mutant::AmountANumber)
        && let Some(amount) = resource.get_mut("amount")
        && let Some(number) = amount.as_str().and_then(|text| text.parse().ok())
    {
        *amount = Value::Number(number);
    }
    for (name, value) in resource.iter_mut() {
        match value {
            Value::String(text) if AMOUNTS.contains(&name.as_str()) => rewrite_amount(text),
            Value::String(text) if name == "currency" => rewrite_currency(text),
            Value::String(text) if TIMES.contains(&name.as_str()) => rewrite_time(text),
            // The amount of a payout; CRM maps hold what they hold.
            Value::Object(amount) if name == "amount" => {
                if let Some(Value::String(text)) = amount.get_mut("value") {
                    rewrite_amount(text);
                }
                if let Some(Value::String(text)) = amount.get_mut("currency") {
                    rewrite_currency(text);
                }
            }
            _ => {}
        }
    }
}

fn rewrite_amount(text: &mut String) {
    if is(Mutant::AmountWithOneDigit) && text.ends_with('0') {
        text.pop();
    }
    if is(Mutant::AmountThroughFloat) {
        #[expect(clippy::disallowed_types, reason = "the fault itself")]
        let through: Result<f64, _> = text.parse();
        if let Ok(through) = through {
            *text = format!("{through:.2}");
        }
    }
}

fn rewrite_currency(text: &mut str) {
    if is(Mutant::CurrencyLowerCase) {
        text.make_ascii_lowercase();
    }
}

fn rewrite_time(text: &mut String) {
    if is(Mutant::NoMilliseconds)
        && let Some((seconds, _)) = text.split_once('.')
    {
        *text = format!("{seconds}Z");
    }
    if is(Mutant::OffsetTime)
        && let Ok(time) = DateTime::parse_from_rfc3339(text)
        && let Some(zone) = FixedOffset::east_opt(SECONDS_PER_HOUR)
    {
        *text = time
            .with_timezone(&zone)
            .to_rfc3339_opts(SecondsFormat::Millis, false);
    }
}
