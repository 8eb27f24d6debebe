//! The faults of a request's form, as another query or another body in place of the one that came.
//!
//! It refuses to know the framework: texts in, texts out.

use std::collections::HashSet;

use serde_json::Value;

use super::{Mutant, is};
use crate::contract::{
    Decoded, Issue, IssueCode, Operation, Problem,
    decode::form,
    types::{CommissionLineStatus, ErrorCode, PortalAccess},
};

/// The names by which a client might send its key in a query.
const KEY_PARAMETERS: [&str; 5] = ["x-api-key", "api_key", "apiKey", "api-key", "key"];
/// Characters of a name that may be stored.
const NAME_LIMIT: usize = 200;
/// Characters of a domain that may be stored.
const DOMAIN_LIMIT: usize = 255;

/// A query in place of another.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// The query, without the question mark.
    pub(crate) text: String,
    /// How many rows are meant, where `limit` cannot say it.
    pub(crate) rows: Option<usize>,
    /// The key that stood in it.
    pub(crate) key: Option<String>,
}

/// The query as the active mutant reads it.
pub(crate) fn query(operation: Operation, query: &str) -> Query {
    let mut read = Query::default();
    let mut seen = HashSet::new();
    let mut parts: Vec<String> = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if is(Mutant::KeyFromQuery) && KEY_PARAMETERS.contains(&name) {
            read.key = Some(value.to_owned());
        } else if !is_ignored(operation, name, value, !seen.insert(name)) {
            parts.push(rewritten(name, value, &mut read.rows).unwrap_or_else(|| part.to_owned()));
        }
    }
    let has_limit = parts.iter().any(|part| part.starts_with("limit="));
    if is(Mutant::DefaultLimit20) && operation.info().is_list && !has_limit {
        parts.push("limit=20".to_owned());
    }
    read.text = parts.join("&");
    read
}

fn is_ignored(operation: Operation, name: &str, value: &str, is_repeated: bool) -> bool {
    let known = form(operation).query;
    let is_known = known.iter().any(|parameter| parameter.name == name);
    let is_status = CommissionLineStatus::parse(value).is_ok();
    is(Mutant::PayoutFilterIgnored) && name == "payoutId"
        || is(Mutant::UnknownStatusIgnored) && name == "status" && !is_status
        || is(Mutant::RepeatedParameterIgnored) && is_repeated
        || is(Mutant::UnknownParameterIgnored) && !is_known
}

/// A `limit` that the form would refuse; `rows` is what it means.
fn rewritten(name: &str, value: &str, rows: &mut Option<usize>) -> Option<String> {
    let meant = match (name, value) {
        ("limit", "101") if is(Mutant::Limit101Accepted) => 101,
        ("limit", "0") if is(Mutant::LimitZeroIsAll) => 100_000,
        ("limit", "100") if is(Mutant::Limit100Refused) => return Some("limit=101".to_owned()),
        ("limit", _) if is(Mutant::LimitCapped) => {
            let is_above = value.parse().is_ok_and(|limit: u64| limit > 100);
            return is_above.then(|| "limit=100".to_owned());
        }
        ("limit", _) if is(Mutant::LimitWithLeadingZero) => {
            let digits = value.trim_start_matches('0');
            return (!digits.is_empty()).then(|| format!("limit={digits}"));
        }
        _ => return None,
    };
    *rows = Some(meant);
    Some("limit=100".to_owned())
}

/// The body of a PATCH as the active mutant reads it; `None` where it reads it as it came.
pub(crate) fn patch_body(body: &[u8]) -> Option<Vec<u8>> {
    // Of a key that stands twice this reader takes the last one.
    let came: Value = serde_json::from_slice(body).ok()?;
    let mut read = came.clone();
    let fields = read.as_object_mut()?;
    fields.retain(|name, value| !is_field_ignored(name, value));
    for (name, value) in fields.iter_mut() {
        read_field(name, value);
    }
    (is(Mutant::DuplicateKeyAccepted) || read != came).then(|| read.to_string().into_bytes())
}

fn is_field_ignored(name: &str, value: &Value) -> bool {
    let is_access = value
        .as_str()
        .is_some_and(|access| PortalAccess::parse(access).is_ok());
    is(Mutant::UnknownFieldIgnored) && !PATCH_FIELDS.contains(&name)
        || is(Mutant::NullTakenForAbsent) && value.is_null() && name != "domain"
        || is(Mutant::PortalAccessUnchecked) && name == "portalAccess" && !is_access
}

fn read_field(name: &str, value: &mut Value) {
    if is(Mutant::EmptyDomainAccepted) && name == "domain" && *value == "" {
        *value = Value::Null;
    }
    if is(Mutant::NumberTakenForText) && (value.is_number() || value.is_boolean()) {
        *value = Value::String(value.to_string());
    }
    let cut = match name {
        "name" if is(Mutant::Name201Accepted) => NAME_LIMIT,
        "domain" if is(Mutant::Domain256Accepted) => DOMAIN_LIMIT,
        _ => return,
    };
    if let Value::String(text) = value
        && text.chars().count() == cut + 1
    {
        text.pop();
    }
}

const PATCH_FIELDS: [&str; 7] = [
    "name",
    "domain",
    "portalAccess",
    "tierId",
    "experienceTemplateId",
    "phaseId",
    "partnerOwnerId",
];

/// What the active mutant says of a form that the server has judged.
pub(crate) fn judged(
    operation: Operation,
    body: &[u8],
    judged: Result<Decoded, Problem>,
) -> Result<Decoded, Problem> {
    let decoded = judged.map_err(|problem| refusal(problem, body))?;
    if is(Mutant::DetachBodyRefused) && !operation.info().has_body && !body.is_empty() {
        let message = "This operation takes no body.";
        return Err(Problem::new(ErrorCode::InvalidJson, message));
    }
    let name = decoded.body.as_ref().and_then(|body| body["name"].as_str());
    let is_too_long = |name: &str| {
        is(Mutant::NameLimitInBytes) && name.len() > NAME_LIMIT
            || is(Mutant::NameOf200Refused) && name.chars().count() == NAME_LIMIT
    };
    if name.is_some_and(is_too_long) {
        let message = "must have at most 200 characters";
        return Err(Problem::invalid(&[Issue::body(
            "/name",
            IssueCode::TooLong,
            message,
        )]));
    }
    Ok(decoded)
}

/// The answer to a form that the server refuses with `problem`.
fn refusal(mut problem: Problem, body: &[u8]) -> Problem {
    let has_nul = body.windows(6).any(|text| text == b"\\u0000");
    if is(Mutant::NulBreaks) && has_nul && problem.code == ErrorCode::ValidationFailed {
        return Problem::internal();
    }
    if is(Mutant::BrokenJson422) && problem.code == ErrorCode::InvalidJson {
        problem.code = ErrorCode::ValidationFailed;
    }
    let issues = problem
        .details
        .as_mut()
        .and_then(|details| details.get_mut("issues")?.as_array_mut());
    if is(Mutant::FirstViolationOnly)
        && let Some(issues) = issues
    {
        issues.truncate(1);
    }
    problem
}
