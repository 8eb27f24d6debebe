//! Parameters of the query (R9, R4, R3): the documented ones with valid values, each once.

use payout_faults::kebab;
use payout_openapi::{Location, Parameter, Shape};
use serde_json::Value;

use super::{
    stage::Stage,
    subject::{Keyed, Subject},
    values,
};
use crate::{
    case::{
        Case, CaseContext, CaseResult,
        errors::{INVALID_CURSOR, VALIDATION_FAILED},
    },
    document::DOCUMENT,
    exchange::Response,
};

/// What a lenient parser takes for a whole number, and what none does.
const NOT_NUMBERS: [&str; 13] = [
    "-1",
    "01",
    "1e1",
    "+1",
    " 1",
    "1 ",
    "",
    "text",
    "1.0",
    "0x1",
    "١",
    "1;limit=1",
    "99999999999999999999999999",
];

/// Parameters that no operation has; without names, the known ones in other letters.
const UNKNOWN: [(&str, &str, &[&str]); 4] = [
    ("query.unknown", "an unknown parameter", &["surprise"]),
    ("query.unknown.page", "parameters of other pagings", &["page", "offset", "per_page"]),
    ("query.unknown.header", "the names of headers", &["x-api-key", "api-version"]),
    ("query.unknown.letters", "known parameters in other letters", &[]),
];

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    let id = &subject.operation.id;
    let has_parameters = subject.parameters(Location::Query).next().is_some();
    let unknown_names =
        UNKNOWN.into_iter().filter(|(.., names)| has_parameters || !names.is_empty());
    for (name, what, names) in unknown_names {
        let sentence = format!("{id} rejects {what} in the query.");
        let unknown = subject.case(name, "R9", sentence, async move |context| {
            unknown(subject, context, names).await
        });
        cases.push(unknown.requests(12));
    }
    let mut several = Vec::new();
    for parameter in subject.parameters(Location::Query) {
        let Some(shape) = shape(parameter) else { continue };
        derive_parameter(subject, parameter, &shape, cases);
        let beyond = values::beyond(&shape).into_iter();
        let mut wrong = beyond.map(|(_, number, code)| (number.to_string(), code));
        let mut texts = values::wrong_texts(&shape).into_iter();
        let text =
            || texts.next().filter(|_| !is_opaque(&shape)).map(|(_, text, code)| (text, code));
        if let Some((value, code)) = wrong.next().or_else(text) {
            several.push((parameter.name.as_str(), value, code));
        }
    }
    if !several.is_empty() {
        let sentence = format!("{id} reports all parameters that break a rule at once.");
        cases.push(subject.case("query.several", "R4.422", sentence, async move |context| {
            all_at_once(subject, context, &several).await
        }));
    }
}

fn shape(parameter: &Parameter) -> Option<Shape> {
    DOCUMENT.shape(parameter.schema_pointer.as_ref()?).ok()
}

/// Whether any text may be valid, such as a cursor: what it must be is not the document's to say.
pub(super) fn is_opaque(shape: &Shape) -> bool {
    shape.is("string") && shape.number("minLength").is_none() && shape.options().is_empty()
}

fn derive_parameter(
    subject: &'static Subject,
    parameter: &'static Parameter,
    shape: &Shape,
    cases: &mut Vec<Case>,
) {
    let (id, name) = (&subject.operation.id, parameter.name.as_str());
    let case_name = |what: &str| format!("query.{}.{what}", kebab(name));
    let clause = subject.clause_of(name, "R4.422");
    // The value of an opaque parameter is rejected before its number.
    if !is_opaque(shape) {
        let sentence = format!("{id} rejects {name} twice, also with the same value.");
        cases.push(subject.case(&case_name("repeated"), "R9", sentence, async move |context| {
            repeated(subject, context, name).await
        }));
    }
    let mut wrong: Vec<(&'static str, String, &'static str)> = values::beyond(shape)
        .into_iter()
        .map(|(what, number, code)| (what, number.to_string(), code))
        .collect();
    if !is_opaque(shape) {
        wrong.extend(values::wrong_texts(shape));
    }
    let mut kinds: Vec<&'static str> = wrong.iter().map(|(what, ..)| *what).collect();
    kinds.dedup();
    for what in kinds {
        let of_kind = wrong.iter().filter(|(kind, ..)| *kind == what);
        let values: Vec<(String, &'static str)> =
            of_kind.map(|(_, value, code)| (value.clone(), *code)).collect();
        let clause = if what == "nul" { "R3" } else { clause };
        let sentence = format!("{id} rejects a {name} that is {}.", what.replace('-', " "));
        cases.push(
            subject
                .case(&case_name(what), clause, sentence, async move |context| {
                    rejected(subject, context, name, &values).await
                })
                .by_decision(),
        );
    }
    if shape.is("integer") {
        let sentence = format!("{id} rejects a {name} that is not written as a whole number.");
        cases.push(
            subject
                .case(&case_name("not-a-number"), "R6", sentence, async move |context| {
                    not_numbers(subject, context, name).await
                })
                .requests(16),
        );
    }
    let accepted: Vec<String> = values::accepted(shape)
        .into_iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    if !accepted.is_empty() && (!shape.options().is_empty() || shape.is("integer")) {
        let sentence = format!("{id} accepts a {name} at its bounds.");
        cases.push(
            subject
                .case(&case_name("accepted"), clause, sentence, async move |context| {
                    is_accepted(subject, context, name, &accepted).await
                })
                .by_decision(),
        );
    }
}

async fn unknown(subject: &Subject, context: &mut CaseContext<'_>, names: &[&str]) -> CaseResult {
    let control = subject.varied(context)?;
    let letters = subject.parameters(Location::Query).map(|known| known.name.to_uppercase());
    let other_letters: Vec<String> = letters.filter(|_| names.is_empty()).collect();
    let names = names.iter().copied().chain(other_letters.iter().map(String::as_str));
    for (index, name) in names.enumerate() {
        // The key itself is known to deployments that accept keys in the query (§5.2).
        let value = if name == "x-api-key" { control.1.expose() } else { "1" };
        let request = control.0.clone().with(&control.1).query(name, value);
        let response = subject.rejects(context, &control, request, VALIDATION_FAILED).await?;
        context.has_issues(&response, &[&format!("query /{name} UNKNOWN_PARAMETER")])?;
        if index == 0 && name == "surprise" {
            context.snapshot(&response);
        }
    }
    Ok(())
}

/// A value of the parameter that is valid by itself.
fn valid(name: &str, subject: &Subject) -> String {
    let mut parameters = subject.parameters(Location::Query);
    let shape = parameters.find(|parameter| parameter.name == name).and_then(shape);
    let value = shape.and_then(|shape| values::accepted(&shape).into_iter().next());
    value.map_or_else(
        || "x".to_owned(),
        |value| value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    )
}

async fn repeated(subject: &Subject, context: &mut CaseContext<'_>, name: &str) -> CaseResult {
    let control = subject.varied(context)?;
    let value = valid(name, subject);
    let once = control.0.clone().with(&control.1).query(name, &value);
    for second in [value.clone(), format!("{value}1")] {
        let request = once.clone().query(name, &second);
        let response = subject.rejects(context, &control, request, VALIDATION_FAILED).await?;
        context.has_issues(&response, &[&format!("query /{name} REPEATED_PARAMETER")])?;
    }
    Ok(())
}

async fn rejected(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    name: &str,
    values: &[(String, &str)],
) -> CaseResult {
    let control = subject.varied(context)?;
    for (value, code) in values {
        let request = control.0.clone().with(&control.1).query(name, value);
        let response = subject.rejects(context, &control, request, VALIDATION_FAILED).await?;
        context.has_issues(&response, &[&format!("query /{name} {code}")])?;
    }
    Ok(())
}

async fn not_numbers(subject: &Subject, context: &mut CaseContext<'_>, name: &str) -> CaseResult {
    let control = subject.varied(context)?;
    for text in NOT_NUMBERS {
        let request = control.0.clone().with(&control.1).query(name, text);
        let response = subject.rejects(context, &control, request, VALIDATION_FAILED).await?;
        // The code depends on how the value is read; the parameter does not.
        let issues = response.at("/error/details/issues").as_array();
        let is_one = issues.is_some_and(|issues| {
            let [issue] = issues.as_slice() else { return false };
            issue["in"] == "query" && issue["path"] == format!("/{name}")
        });
        response.that(
            is_one,
            &format!("details.issues does not report {name} {text:?}."),
            &format!("one issue in query at /{name}"),
            &response.at("/error/details/issues").to_string(),
        )?;
    }
    Ok(())
}

async fn is_accepted(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    name: &str,
    values: &[String],
) -> CaseResult {
    let (request, key) = subject.varied(context)?;
    for value in values {
        let request = request.clone().with(&key).query(name, value);
        let response = context.send(request).await?;
        passes_the_form(&response, &format!("{name}={value}"))?;
    }
    Ok(())
}

/// That a response shows that the request's form was accepted.
pub(super) fn passes_the_form(response: &Response, what: &str) -> CaseResult {
    response.that(
        Stage::reached(response).is_some_and(|stage| stage > Stage::Form),
        &format!("{what} is valid, and was not accepted."),
        "a response of a later check",
        &response.status_and_body(),
    )
}

async fn all_at_once(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    wrong: &[(&str, String, &str)],
) -> CaseResult {
    let control: Keyed = subject.varied(context)?;
    let mut request = control.0.clone().with(&control.1).query("surprise", "1");
    let mut issues = vec!["query /surprise UNKNOWN_PARAMETER".to_owned()];
    for (name, value, code) in wrong {
        request = request.query(name, value);
        issues.push(format!("query /{name} {code}"));
    }
    let response = subject.rejects(context, &control, request.clone(), VALIDATION_FAILED).await?;
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    context.has_issues(&response, &issues)?;
    // What cannot be parsed comes before what breaks a rule (R4).
    let codes = subject.operation.response(INVALID_CURSOR.0).map(|known| &known.error_codes);
    if codes.is_some_and(|codes| codes.iter().any(|code| code == INVALID_CURSOR.1)) {
        let response = context.send(request.query("cursor", "!")).await?;
        response.is(INVALID_CURSOR.0)?.has("/error/code", Value::from(INVALID_CURSOR.1))?;
    }
    Ok(())
}
