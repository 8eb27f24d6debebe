//! Faults of form (§2, §7): fields that are missing, surplus, or written in another way.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde_json::{Map, Value};

use crate::{
    fault::faults,
    message::{Request, Response},
};

const SECONDS_PER_HOUR: i32 = 3_600;

faults! {
    "amount-a-number" "§2.2" edit(amount_a_number)
        "A line's `amount` is a JSON number.";
    "amount-with-one-digit" "§2.2" edit(amount_with_one_digit)
        "An amount that ends in 0 loses that digit: `\"12.5\"`.";
    "amount-through-float" "§2.2" edit(amount_through_float)
        "Amounts go through a binary float: `90071992547409.93` becomes `.94`.";
    "currency-lower-case" "V4" edit(currency_lower_case)
        "Currencies are written in small letters.";
    "no-milliseconds" "§2.1" edit(no_milliseconds)
        "Times have no milliseconds.";
    "offset-time" "§2.1" edit(offset_time)
        "Times are written with the offset `+01:00`.";
    "list-item-with-idempotency-key" "§2.2" edit(list_item_with_idempotency_key)
        "A line in a list has `idempotencyKey`.";
    "detach-without-idempotency-key" "§2.2" edit(detach_without_idempotency_key)
        "The answer of a detach lacks `idempotencyKey`.";
    "null-idempotency-key-omitted" "§2.2" edit(null_idempotency_key_omitted)
        "The answer of a detach leaves `idempotencyKey` out where it is null.";
    "null-payout-id-omitted" "§2.2" edit(null_payout_id_omitted)
        "`payoutId` is left out where it is null.";
    "null-domain-omitted" "V5" edit(null_domain_omitted)
        "`domain` is left out where it is null.";
    "no-data-envelope" "§2.5" edit(no_data_envelope)
        "A single resource is answered without `data` around it.";
    "sixth-statement-field" "§2.4" edit(sixth_statement_field)
        "The statement result has a sixth field.";
    "extra-error-field" "§7" edit(extra_error_field)
        "The error object has a fourth field.";
    "error-message-missing" "§7" edit(error_message_missing)
        "The error object lacks `message`.";
    "manager-email-withheld" "V8" edit(manager_email_withheld)
        "`managerEmail` is null although there is a manager.";
    "empty-categories-null" "V5" edit(empty_categories_null)
        "A partner without categories has null instead of `[]`.";
    "crm-overlay-reversed" "V9" edit(crm_overlay_reversed)
        "In `crmProperties` the company's value wins.";
}

fn amount_a_number(_: &Request, response: &mut Response) {
    response.edit_resources(|resource| {
        let number = resource.get("amount").and_then(Value::as_str);
        if let Some(number) = number.and_then(|text| text.parse().ok()) {
            resource["amount"] = Value::Number(number);
        }
    });
}

fn amount_with_one_digit(_: &Request, response: &mut Response) {
    edit_texts(response, is_amount, |text| text.strip_suffix('0').unwrap_or(text).to_owned());
}

fn amount_through_float(_: &Request, response: &mut Response) {
    edit_texts(response, is_amount, through_float);
}

fn currency_lower_case(_: &Request, response: &mut Response) {
    edit_texts(response, |name| name == "currency", str::to_ascii_lowercase);
}

fn no_milliseconds(_: &Request, response: &mut Response) {
    edit_texts(response, is_time, |text| {
        text.split_once('.').map_or_else(|| text.to_owned(), |(seconds, _)| format!("{seconds}Z"))
    });
}

fn offset_time(_: &Request, response: &mut Response) {
    edit_texts(response, is_time, with_offset);
}

fn list_item_with_idempotency_key(request: &Request, response: &mut Response) {
    if request.is("listCommissionLines") {
        response.edit_resources(|line| {
            line.insert("idempotencyKey".to_owned(), Value::Null);
        });
    }
}

fn detach_without_idempotency_key(_: &Request, response: &mut Response) {
    omit(response, "idempotencyKey", |_| true);
}

fn null_idempotency_key_omitted(_: &Request, response: &mut Response) {
    omit(response, "idempotencyKey", Value::is_null);
}

fn null_payout_id_omitted(_: &Request, response: &mut Response) {
    omit(response, "payoutId", Value::is_null);
}

fn null_domain_omitted(_: &Request, response: &mut Response) {
    omit(response, "domain", Value::is_null);
}

fn no_data_envelope(_: &Request, response: &mut Response) {
    response.edit_json(|body| {
        if let Some(data) = body.get_mut("data").filter(|data| data.is_object()) {
            *body = data.take();
        }
    });
}

fn sixth_statement_field(request: &Request, response: &mut Response) {
    if request.is("generateStatement") {
        response.edit_resources(|statement| {
            statement.insert("contentType".to_owned(), "application/pdf".into());
        });
    }
}

fn extra_error_field(_: &Request, response: &mut Response) {
    edit_error(response, |error| {
        error.insert("retryable".to_owned(), false.into());
    });
}

fn error_message_missing(_: &Request, response: &mut Response) {
    edit_error(response, |error| {
        error.shift_remove("message");
    });
}

fn manager_email_withheld(_: &Request, response: &mut Response) {
    response.edit_resources(|resource| {
        if let Some(email) = resource.get_mut("managerEmail") {
            *email = Value::Null;
        }
    });
}

fn empty_categories_null(_: &Request, response: &mut Response) {
    response.edit_resources(|resource| {
        let categories = resource.get_mut("categories");
        let is_empty = |value: &&mut Value| value.as_array().is_some_and(Vec::is_empty);
        if let Some(categories) = categories.filter(is_empty) {
            *categories = Value::Null;
        }
    });
}

fn crm_overlay_reversed(_: &Request, response: &mut Response) {
    response.edit_resources(reverse_crm_overlay);
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

fn omit(response: &mut Response, field: &str, is_omitted: fn(&Value) -> bool) {
    response.edit_resources(|resource| {
        resource.retain(|name, value| name != field || !is_omitted(value));
    });
}

fn edit_error(response: &mut Response, edit: impl FnOnce(&mut Map<String, Value>)) {
    response.edit_json(|body| {
        if let Some(Value::Object(error)) = body.get_mut("error") {
            edit(error);
        }
    });
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
