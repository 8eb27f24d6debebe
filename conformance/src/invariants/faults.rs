//! Faults of form (§2, §7): fields that are missing, surplus, or written in another way.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde_json::{Map, Value};

use crate::{
    exchange::Response,
    proxy::fault::{Fault, fault},
};

const SECONDS_PER_HOUR: i32 = 3_600;

pub(crate) const FAULTS: &[Fault] = &[
    fault("state-without-details", "X10").says("A 422 of a state has no details.").edit(
        &|_, response| {
            if response.has_status(422)
                && response.at("/error/details/issues").as_array().is_none_or(Vec::is_empty)
            {
                response.edit_json(|body| {
                    body["error"].as_object_mut().and_then(|error| error.shift_remove("details"));
                });
            }
        },
    ),
    fault("amount-a-number", "§2.2").says("A line's `amount` is a JSON number.").edit(
        &|_, response| {
            response.edit_resources(|resource| {
                let number = resource.get("amount").and_then(Value::as_str);
                if let Some(number) = number.and_then(|text| text.parse().ok()) {
                    resource["amount"] = Value::Number(number);
                }
            })
        },
    ),
    fault("amount-with-one-digit", "§2.2")
        .says("An amount that ends in 0 loses that digit: `\"12.5\"`.")
        .edit(&|_, response| {
            edit_texts(response, is_amount, |text| {
                text.strip_suffix('0').unwrap_or(text).to_owned()
            })
        }),
    fault("amount-through-float", "§2.2")
        .says("Amounts go through a binary float: `90071992547409.93` becomes `.94`.")
        .edit(&|_, response| edit_texts(response, is_amount, through_float)),
    fault("currency-lower-case", "V4").says("Currencies are written in small letters.").edit(
        &|_, response| edit_texts(response, |name| name == "currency", str::to_ascii_lowercase),
    ),
    fault("no-milliseconds", "§2.1").says("Times have no milliseconds.").edit(&|_, response| {
        edit_texts(response, is_time, |text| {
            text.split_once('.')
                .map_or_else(|| text.to_owned(), |(seconds, _)| format!("{seconds}Z"))
        })
    }),
    fault("listed-to-the-second", "§2.1")
        .says("Lists show `createdAt` without its milliseconds: `.000Z`.")
        .edit(&|request, response| {
            if request.is_list() {
                edit_texts(response, |name| name == "createdAt", to_the_second);
            }
        }),
    fault("offset-time", "§2.1")
        .says("Times are written with the offset `+01:00`.")
        .edit(&|_, response| edit_texts(response, is_time, with_offset)),
    fault("list-item-with-idempotency-key", "§2.2")
        .says("A line in a list has `idempotencyKey`.")
        .edit(&|request, response| {
            if request.is("listCommissionLines") {
                response.edit_resources(|line| {
                    line.insert("idempotencyKey".to_owned(), Value::Null);
                });
            }
        }),
    fault("detach-without-idempotency-key", "§2.2")
        .says("The answer of a detach lacks `idempotencyKey`.")
        .edit(&|_, response| omit(response, "idempotencyKey", |_| true)),
    fault("null-idempotency-key-omitted", "§2.2")
        .says("The answer of a detach leaves `idempotencyKey` out where it is null.")
        .edit(&|_, response| omit(response, "idempotencyKey", Value::is_null)),
    fault("null-payout-id-omitted", "§2.2")
        .says("`payoutId` is left out where it is null.")
        .edit(&|_, response| omit(response, "payoutId", Value::is_null)),
    fault("null-domain-omitted", "V5")
        .says("`domain` is left out where it is null.")
        .edit(&|_, response| omit(response, "domain", Value::is_null)),
    fault("no-data-envelope", "§2.5")
        .says("A single resource is answered without `data` around it.")
        .edit(&|_, response| {
            response.edit_json(|body| {
                if let Some(data) = body.get_mut("data").filter(|data| data.is_object()) {
                    *body = data.take();
                }
            })
        }),
    fault("sixth-statement-field", "§2.4").says("The statement result has a sixth field.").edit(
        &|request, response| {
            if request.is("generateStatement") {
                response.edit_resources(|statement| {
                    statement.insert("contentType".to_owned(), "application/pdf".into());
                });
            }
        },
    ),
    fault("extra-error-field", "§7").says("The error object has a fourth field.").edit(
        &|_, response| {
            edit_error(response, |error| {
                error.insert("retryable".to_owned(), false.into());
            })
        },
    ),
    fault("error-message-missing", "§7").says("The error object lacks `message`.").edit(
        &|_, response| {
            edit_error(response, |error| {
                error.shift_remove("message");
            })
        },
    ),
    fault("manager-email-withheld", "V8")
        .says("`managerEmail` is null although there is a manager.")
        .edit(&|_, response| {
            response.edit_resources(|resource| {
                if let Some(email) = resource.get_mut("managerEmail") {
                    *email = Value::Null;
                }
            })
        }),
    fault("empty-categories-null", "V5")
        .says("A partner without categories has null instead of `[]`.")
        .edit(&|_, response| {
            response.edit_resources(|resource| {
                let categories = resource.get_mut("categories");
                let is_empty = |value: &&mut Value| value.as_array().is_some_and(Vec::is_empty);
                if let Some(categories) = categories.filter(is_empty) {
                    *categories = Value::Null;
                }
            })
        }),
    fault("crm-overlay-reversed", "V9")
        .says("In `crmProperties` the company's value wins.")
        .edit(&|_, response| response.edit_resources(reverse_crm_overlay)),
];

fn to_the_second(time: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(time, _)| format!("{time}.000Z"))
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
