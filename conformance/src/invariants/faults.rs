//! Faults of form (§2, §7): fields that are missing, surplus, or written in another way.

use chrono::FixedOffset;

use crate::proxy::prelude::*;

const SECONDS_PER_HOUR: i32 = 3_600;

/// A 422 of a state has no details.
#[fault("X10")]
fn state_without_details(response: &mut Response) {
    let has_issues =
        response.at("/error/details/issues").as_array().is_some_and(|all| !all.is_empty());
    if response.has_status(422) && !has_issues {
        response.edit_json(|body| {
            body["error"].as_object_mut().and_then(|error| error.shift_remove("details"));
        });
    }
}

/// A line's `amount` is a JSON number.
#[fault("§2.2")]
fn amount_a_number(response: &mut Response) {
    response.edit_resources(|resource| {
        let number = resource.get("amount").and_then(Value::as_str);
        if let Some(number) = number.and_then(|text| text.parse().ok()) {
            resource["amount"] = Value::Number(number);
        }
    });
}

/// An amount that ends in 0 loses that digit: `"12.5"`.
#[fault("§2.2")]
fn amount_with_one_digit(response: &mut Response) {
    edit_texts(response, is_amount, |text| text.strip_suffix('0').unwrap_or(text).to_owned());
}

/// Amounts go through a binary float: `90071992547409.93` becomes `.94`.
#[fault("§2.2")]
fn amount_through_float(response: &mut Response) {
    edit_texts(response, is_amount, through_float);
}

/// Currencies are written in small letters.
#[fault("V4")]
fn currency_lower_case(response: &mut Response) {
    edit_texts(response, |name| name == "currency", str::to_ascii_lowercase);
}

/// Times have no milliseconds.
#[fault("§2.1")]
fn no_milliseconds(response: &mut Response) {
    edit_texts(response, is_time, |time| to_the_second(time, "Z"));
}

/// Lists show `createdAt` without its milliseconds: `.000Z`.
#[fault("§2.1")]
fn listed_to_the_second(request: &Request, response: &mut Response) {
    if request.is_list() {
        edit_texts(response, |name| name == "createdAt", |time| to_the_second(time, ".000Z"));
    }
}

/// Times are written with the offset `+01:00`.
#[fault("§2.1")]
fn offset_time(response: &mut Response) {
    edit_texts(response, is_time, with_offset);
}

/// A line in a list has `idempotencyKey`.
#[fault("§2.2")]
fn list_item_with_idempotency_key(request: &Request, response: &mut Response) {
    if request.is("listCommissionLines") {
        response.edit_resources(|line| drop(line.insert("idempotencyKey".to_owned(), Value::Null)));
    }
}

/// A single resource is answered without `data` around it.
#[fault("§2.5")]
fn no_data_envelope(response: &mut Response) {
    response.edit_json(|body| {
        if let Some(data) = body.get_mut("data").filter(|data| data.is_object()) {
            *body = data.take();
        }
    });
}

/// A partner without categories has null instead of `[]`.
#[fault("V5")]
fn empty_categories_null(response: &mut Response) {
    response.edit_resources(|resource| {
        let categories = resource.get_mut("categories");
        let is_empty = |value: &&mut Value| value.as_array().is_some_and(Vec::is_empty);
        if let Some(categories) = categories.filter(is_empty) {
            *categories = Value::Null;
        }
    });
}

/// In `crmProperties` the company's value wins.
#[fault("V9")]
fn crm_overlay_reversed(response: &mut Response) {
    response.edit_resources(reverse_crm_overlay);
}

/// The time up to its seconds, with another end.
fn to_the_second(time: &str, end: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(time, _)| format!("{time}{end}"))
}

fn is_amount(name: &str) -> bool {
    ["amount", "sourceAmount", "value"].contains(&name)
}

fn is_time(name: &str) -> bool {
    name.ends_with("At") || name.starts_with("period")
}

/// Changes the texts of a resource whose name fits; CRM maps and metadata hold what they hold.
fn edit_texts(response: &mut Response, fits: fn(&str) -> bool, edit: impl Fn(&str) -> String) {
    response.edit_resources(|resource| {
        for (name, value) in resource.iter_mut() {
            let members: Vec<(&str, &mut Value)> = match value {
                Value::Object(amount) if name == "amount" => {
                    amount.iter_mut().map(|(name, value)| (name.as_str(), value)).collect()
                }
                value => vec![(name.as_str(), value)],
            };
            for (name, value) in members {
                if let Value::String(text) = value
                    && fits(name)
                {
                    *text = edit(text);
                }
            }
        }
    });
}

#[expect(clippy::disallowed_types, reason = "the fault itself")]
fn through_float(text: &str) -> String {
    let through: Result<f64, _> = text.parse();
    through.map_or_else(|_| text.to_owned(), |through| format!("{through:.2}"))
}

fn with_offset(text: &str) -> String {
    let zone = FixedOffset::east_opt(SECONDS_PER_HOUR).expect("an hour is an offset");
    DateTime::parse_from_rfc3339(text).map_or_else(
        |_| text.to_owned(),
        |time| time.with_timezone(&zone).to_rfc3339_opts(SecondsFormat::Millis, false),
    )
}

fn reverse_crm_overlay(partner: &mut Map<String, Value>) {
    let properties = |name: &str| partner.get(name).and_then(Value::as_object).cloned();
    let (company, own) =
        (properties("companyCrmProperties"), properties("partnerObjectCrmProperties"));
    if let (Some(company), Some(mut combined)) = (company, own) {
        combined.extend(company);
        partner.insert("crmProperties".to_owned(), Value::Object(combined));
    }
}
