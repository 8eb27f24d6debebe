//! Faults of parameters and headers of requests: a value beyond its rule is accepted, or one within
//! it rejected.

use std::collections::HashSet;

use payout_openapi::{Location, Operation, Shape};
use serde_json::{Value, json};

use super::maker::{Maker, kebab};
use crate::{
    message::{Request, Response},
    operations::DOCUMENT,
};

const VERSION: &str = "api-version";
const REQUEST_ID: &str = "x-request-id";

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    let id = &operation.id;
    headers(maker, operation);
    let of_query = || {
        let all = operation.parameters.iter();
        all.filter(|parameter| parameter.location == Location::Query)
    };
    let known: Vec<&'static str> = of_query().map(|parameter| parameter.name.as_str()).collect();
    maker.rewrite(
        "query.unknown",
        format!("{id} ignores unknown query parameters."),
        move |request| request.retain_parameters(|name, _| known.contains(&name)),
    );
    for parameter in of_query() {
        let pointer = parameter.schema_pointer.as_deref().unwrap_or_default();
        if let Ok(shape) = DOCUMENT.shape(pointer) {
            parameter_faults(maker, id, &parameter.name, &shape);
        }
    }
    if of_query().count() > 1 {
        maker.edit(
            "query.several",
            format!("{id} reports only the first violation."),
            |request, response| keep_one_issue(request, response, "query"),
        );
    }
}

/// Of several issues, at least one in this place, only the first stays.
pub(super) fn keep_one_issue(_: &Request, response: &mut Response, place: &str) {
    if response.issues().iter().any(|issue| issue["in"] == place) {
        response.edit_json(|body| {
            if let Some(Value::Array(issues)) = body.pointer_mut("/error/details/issues") {
                issues.truncate(1);
            }
        });
    }
}

fn headers(maker: &mut Maker, operation: &'static Operation) {
    let id = &operation.id;
    if operation.parameters.iter().any(|parameter| parameter.name == VERSION) {
        maker.rewrite("version.unknown", format!("{id} ignores {VERSION}."), |request| {
            request.headers.remove(VERSION);
        });
        maker.rewrite("version.supported", format!("{id} knows no version."), |request| {
            if request.headers.contains_key(VERSION) {
                request.headers.insert(VERSION, "none".parse().expect("a header's value"));
            }
        });
    }
    maker.edit(
        "request-id.echoed",
        format!("{id} echoes no {REQUEST_ID}."),
        |request, response| {
            if request.headers.contains_key(REQUEST_ID) {
                response
                    .edit_header(REQUEST_ID.parse().expect("a name"), |shown| format!("{shown}0"));
            }
        },
    );
    maker.edit("request-id.unique", format!("{id} counts no request."), |_, response| {
        response.edit_header(REQUEST_ID.parse().expect("a name"), |_| "none".into())
    });
    maker.edit(
        "request-id.replaced",
        format!("{id} gives all requests one {REQUEST_ID}."),
        |_, response| response.edit_header(REQUEST_ID.parse().expect("a name"), |_| "1".into()),
    );
}

fn parameter_faults(maker: &mut Maker, id: &str, name: &'static str, shape: &Shape) {
    let case = |what: &str| format!("query.{}.{what}", kebab(name));
    // What an opaque text, such as a cursor, must be is not the document's to say.
    if shape.is("string") && shape.number("minLength").is_none() && shape.options().is_empty() {
        return;
    }
    maker.rewrite(
        &case("repeated"),
        format!("{id} takes the first of several values of {name}."),
        move |request| {
            let mut seen = HashSet::new();
            request.retain_parameters(|other, _| other != name || seen.insert(other.to_owned()));
        },
    );
    let options: Vec<String> =
        shape.options().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if let Some(first) = options.first().cloned() {
        let known = options.clone();
        maker.rewrite(
            &case("not-in-enum"),
            format!("{id} ignores an unknown {name}."),
            move |request| {
                request.retain_parameters(|other, value| {
                    other != name || known.iter().any(|known| known == value)
                })
            },
        );
        replace(maker, &case("accepted"), id, name, first, "none".to_owned());
    }
    for (what, bound, beyond) in [("too-small", "minimum", -1), ("too-large", "maximum", 1)] {
        let Some(bound) = shape.number(bound) else { continue };
        maker.rewrite(
            &case(what),
            format!("{id} takes a {name} beyond {bound} for {bound}."),
            move |request| {
                let value = request.parameter(name).and_then(|value| value.parse::<i64>().ok());
                if value.is_some_and(|value| (value - bound) * beyond > 0) {
                    *request = request.with_parameter(name, &bound.to_string());
                }
            },
        );
        if beyond > 0 {
            let wrong = (bound + beyond).to_string();
            replace(maker, &case("accepted"), id, name, bound.to_string(), wrong);
        }
    }
    if shape.is("integer") {
        maker.rewrite(
            &case("not-a-number"),
            format!("{id} ignores a {name} that is no number."),
            move |request| {
                request.retain_parameters(|other, value| {
                    other != name || value.parse::<i64>().is_ok_and(|number| number > 0)
                })
            },
        );
    }
    if shape.number("minLength").is_some() {
        for (what, wrong) in [("too-short", ""), ("nul", "%00")] {
            maker.rewrite(
                &case(what),
                format!("{id} ignores a {name} that is {what}."),
                move |request| {
                    request.retain_parameters(|other, value| {
                        let is_wrong = value.is_empty() || value.contains("%00");
                        other != name || !is_wrong || (value.is_empty() != wrong.is_empty())
                    })
                },
            );
        }
    }
}

/// A valid value is taken for an invalid one.
fn replace(
    maker: &mut Maker,
    case: &str,
    id: &str,
    name: &'static str,
    valid: String,
    wrong: String,
) {
    let sentence = format!("{id} rejects the {name} {}.", json!(valid));
    maker.rewrite(case, sentence, move |request| {
        if request.parameter(name).as_deref() == Some(&valid) {
            *request = request.with_parameter(name, &wrong);
        }
    });
}
