//! Faults of parameters and headers of requests: a value beyond its rule is accepted, or one within
//! it rejected.

use std::collections::HashSet;

use openapi_document::{Direction, Location, Operation, Shape};
use serde_json::Value;

use super::maker::Maker;
use crate::{
    document::DOCUMENT,
    document::{is_opaque, kebab},
    exchange::headers::{REQUEST_ID, VERSION},
};

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    headers(maker, operation);
    let of_query = || {
        let all = operation.parameters.iter();
        all.filter(|parameter| parameter.location == Location::Query)
    };
    let known: Vec<&'static str> = of_query().map(|parameter| parameter.name.as_str()).collect();
    maker.rewrite(
        "query.unknown",
        "{operation} ignores unknown query parameters.",
        move |request| {
            request.retain_parameters(|name, _| known.contains(&name));
        },
    );
    for parameter in of_query() {
        let pointer = parameter.schema_pointer.as_deref().unwrap_or_default();
        if let Ok(shape) = DOCUMENT.shape(pointer) {
            parameter_faults(maker, (&parameter.name, pointer), &shape);
        }
    }
    if of_query().count() > 1 {
        let sentence = "{operation} reports only the first violation.";
        maker.edit("query.several", sentence, |_, response| response.keep_first_issue("query"));
    }
}

fn headers(maker: &mut Maker, operation: &'static Operation) {
    if operation.parameters.iter().any(|parameter| parameter.name == VERSION) {
        maker.rewrite("version.unknown", "{operation} ignores api-version.", |request| {
            request.headers.remove(VERSION);
        });
        maker.rewrite("version.supported", "{operation} knows no version.", |request| {
            if request.headers.contains_key(VERSION) {
                request.set_header(VERSION, "none");
            }
        });
    }
    maker.edit("request-id.echoed", "{operation} echoes no x-request-id.", |request, response| {
        if request.headers.contains_key(REQUEST_ID) {
            response.edit_header(REQUEST_ID, |shown| format!("{shown}0"));
        }
    });
    let sentence = "{operation} gives all requests one x-request-id.";
    for name in ["request-id.unique", "request-id.replaced"] {
        maker.edit(name, sentence, |_, response| {
            response.edit_header(REQUEST_ID, |_| "1".to_owned());
        });
    }
}

/// Which value of a parameter breaks a rule.
type IsWrong = Box<dyn Fn(&str) -> bool + Send + Sync>;

fn parameter_faults(maker: &mut Maker, (name, pointer): (&'static str, &str), shape: &Shape) {
    if is_opaque(shape) {
        return;
    }
    let case = |what: &str| format!("query.{}.{what}", kebab(name));
    let sentence = format!("{{operation}} takes the first of several values of {name}.");
    maker.rewrite(&case("repeated"), &sentence, move |request| {
        let mut seen = HashSet::new();
        request.retain_parameters(|other, _| other != name || seen.insert(other.to_owned()));
    });
    let number = |value: &str| value.parse::<i64>().ok();
    let mut rules: Vec<(&str, IsWrong)> = Vec::new();
    let options: Vec<String> =
        shape.options().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    // A valid value, and one that is not.
    let mut accepted = options.first().map(|first| (first.clone(), "none".to_owned()));
    if !options.is_empty() {
        let is_unknown = move |value: &str| options.iter().all(|known| known != value);
        rules.push(("not-in-enum", Box::new(is_unknown)));
    }
    if let Some(least) = shape.number("minimum") {
        rules.push(("too-small", Box::new(move |value| number(value).is_some_and(|n| n < least))));
    }
    if let Some(most) = shape.number("maximum") {
        rules.push(("too-large", Box::new(move |value| number(value).is_some_and(|n| n > most))));
        accepted = Some((most.to_string(), (most + 1).to_string()));
    }
    if shape.is("integer") {
        let is_none = move |value: &str| number(value).is_none_or(|number| number <= 0);
        rules.push(("not-a-number", Box::new(is_none)));
    }
    let validator = DOCUMENT.validator(pointer, Direction::Request).ok();
    if let Some(validator) = validator.filter(|_| shape.keyword("pattern").is_some()) {
        let is_bad = move |value: &str| !validator.is_valid(&value.replace("%3A", ":").into());
        rules.push(("bad-format", Box::new(is_bad)));
    }
    if shape.number("minLength").is_some() {
        rules.push(("too-short", Box::new(str::is_empty)));
        rules.push(("nul", Box::new(|value| value.contains("%00"))));
    }
    for (what, is_wrong) in rules {
        let sentence =
            format!("{{operation}} ignores a {name} that is {}.", what.replace('-', " "));
        maker.rewrite(&case(what), &sentence, move |request| {
            request.retain_parameters(|other, value| other != name || !is_wrong(value));
        });
    }
    if let Some((valid, wrong)) = accepted {
        let sentence = format!("{{operation}} rejects the {name} {valid}.");
        maker.rewrite(&case("accepted"), &sentence, move |request| {
            if request.parameter(name).as_deref() == Some(&valid) {
                *request = request.with_parameter(name, &wrong);
            }
        });
    }
}
