//! Validates the parameters of a request: path, query, headers. Unknown query parameters and
//! repeated parameters are violations, not ignored (R9).

use std::collections::HashSet;

use payout_openapi::pointer::{join, percent_decoded};
use poem::http::HeaderMap;

use super::{
    rules::{Parameter, Rule, Violation},
    value::{enum_violation, format_violation},
};
use crate::contract::{
    Money, PathValues, Timestamp,
    problem::{Issue, IssueCode, Location},
};

pub(super) fn check_path(parameters: &[Parameter], values: &PathValues, issues: &mut Vec<Issue>) {
    for parameter in parameters {
        let given: Vec<&str> = values.get(parameter.name).into_iter().collect();
        check_one(parameter, &given, Location::Path, issues);
    }
}

pub(super) fn check_query(parameters: &[Parameter], query: &str, issues: &mut Vec<Issue>) {
    let pairs = split_query(query, issues);
    for parameter in parameters {
        let given = pairs.iter().filter(|(name, _)| name == parameter.name);
        let given: Vec<&str> = given.map(|(_, value)| value.as_str()).collect();
        check_one(parameter, &given, Location::Query, issues);
    }
    // A set, because a request without a key can name thousands of parameters.
    let mut seen = HashSet::new();
    let unknown = pairs.iter().map(|(name, _)| name.as_str()).filter(|name| {
        let known = parameters.iter().any(|parameter| parameter.name == *name);
        !known && seen.insert(*name)
    });
    issues.extend(unknown.map(|name| {
        let message = match parameters {
            [] => "is not a parameter of this operation, which has none".to_owned(),
            known => format!("is not a parameter of this operation, which has {}", names(known)),
        };
        issue(Location::Query, name, (IssueCode::UnknownParameter, message))
    }));
}

pub(super) fn check_headers(
    parameters: &[Parameter],
    headers: &HeaderMap,
    issues: &mut Vec<Issue>,
) {
    for parameter in parameters {
        let values = headers.get_all(parameter.name).iter();
        let texts: Result<Vec<&str>, _> = values.map(|value| value.to_str()).collect();
        match texts {
            Ok(given) => check_one(parameter, &given, Location::Header, issues),
            Err(_) => {
                let message = "must consist of visible ASCII characters".to_owned();
                issues.push(issue(
                    Location::Header,
                    parameter.name,
                    (IssueCode::BadFormat, message),
                ));
            }
        }
    }
}

fn check_one(parameter: &Parameter, given: &[&str], location: Location, issues: &mut Vec<Issue>) {
    let violation = match given {
        [] if parameter.required => Some((IssueCode::Required, "is missing".to_owned())),
        [] => None,
        [value] => violation(parameter.rule, value),
        _ => {
            let message = format!("must be given once, is given {} times", given.len());
            Some((IssueCode::RepeatedParameter, message))
        }
    };
    issues.extend(violation.map(|found| issue(location, parameter.name, found)));
}

/// Splits `a=1&b=2` and decodes both sides; a part that cannot be decoded becomes an issue.
fn split_query(query: &str, issues: &mut Vec<Issue>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let decode = |text: &str| percent_decoded(&text.replace('+', " "));
        match (decode(name), decode(value)) {
            (Some(name), Some(value)) => pairs.push((name, value)),
            (decoded, _) => {
                let message = "is not percent-encoded UTF-8; write % as %25".to_owned();
                let name = decoded.unwrap_or_else(|| name.to_owned());
                issues.push(issue(Location::Query, &name, (IssueCode::BadFormat, message)));
            }
        }
    }
    pairs
}

fn violation(rule: Rule, value: &str) -> Option<Violation> {
    match rule {
        Rule::Text(text) => text.violation(value),
        Rule::Enum(known) => enum_violation(known, value),
        Rule::Integer(integer) => integer.parse(value).err(),
        Rule::Money => format_violation(Money::parse(value)),
        Rule::Timestamp => format_violation(Timestamp::parse(value)),
        Rule::Boolean => {
            let message = || (IssueCode::WrongType, "must be true or false".to_owned());
            (value != "true" && value != "false").then(message)
        }
        Rule::Any | Rule::List(_) | Rule::Map(_) | Rule::Object(_) | Rule::Nullable(_) => {
            unreachable!("the generator gives parameters scalar rules only")
        }
    }
}

fn names(parameters: &[Parameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    names.join(", ")
}

fn issue(location: Location, name: &str, (code, message): Violation) -> Issue {
    Issue { location, path: join("", name), code, message }
}
