//! Parameters of the query (R9, R4, R3): the documented ones with valid values, each once.

use super::{fields, prelude::*};

/// Texts that are no whole number, of which a lenient parser takes some for one.
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
    ("query.unknown", "an unknown parameter", &[UNKNOWN_NAME]),
    ("query.unknown.page", "parameters of other pagings", &["page", "offset", "per_page"]),
    ("query.unknown.header", "the names of headers", &["x-api-key", VERSION]),
    ("query.unknown.letters", "known parameters in other letters", &[]),
];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    unknown_parameters(subject, probes);
    let mut several = Vec::new();
    for parameter in subject.parameters(Location::Query) {
        let name = parameter.name.as_str();
        let Some(shape) = subject.shape(name) else { continue };
        derive_parameter(subject, name, &shape, probes);
        let first = values::wrong_in_query(&shape).into_iter().next();
        several.extend(first.map(|wrong| (Field::parameter(name), wrong)));
    }
    if !several.is_empty() {
        let case = subject.case("query.several", "R4.422", async move |subject, context| {
            all_at_once(subject, context, &several).await
        });
        let case = case.says("{operation} reports all parameters that break a rule at once.");
        probes.push(case.fault(
            "{operation} reports only the first violation.",
            subject.edits(|_, response| response.keep_first_issue("query")),
        ));
    }
}

fn unknown_parameters(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let known: Vec<&str> =
        subject.parameters(Location::Query).map(|parameter| parameter.name.as_str()).collect();
    let is_tried = |names: &[&str]| !names.is_empty() || !known.is_empty();
    for (name, what, names) in UNKNOWN.into_iter().filter(|(.., names)| is_tried(names)) {
        let case = subject.case(name, "R9", async move |subject, context| {
            let control = subject.varied(context)?;
            let letters = subject.parameters(Location::Query).filter(|_| names.is_empty());
            let letters: Vec<String> = letters.map(|known| known.name.to_uppercase()).collect();
            for name in names.iter().copied().chain(letters.iter().map(String::as_str)) {
                // The key itself is known to deployments that accept keys in the query (§5.2).
                let value = if name == "x-api-key" { control.1.expose() } else { "1" };
                let request = with_key(&control).query(name, value);
                let issue = format!("query /{name} UNKNOWN_PARAMETER");
                let response = subject.rejects_form(context, &control, request, &[&issue]).await?;
                if name == UNKNOWN_NAME {
                    context.snapshot(&response);
                }
            }
            Ok(())
        });
        let case = case.says(&format!("{{operation}} rejects {what} in the query.")).requests(12);
        let known = known.clone();
        probes.push(if name == "query.unknown" {
            case.fault(
                "{operation} ignores unknown query parameters.",
                subject.keeps_parameters(move |name, _| known.contains(&name)),
            )
        } else {
            case.shares_fault_of("query.unknown")
        });
    }
}

fn derive_parameter(
    subject: &'static Subject,
    name: &'static str,
    shape: &Shape,
    probes: &mut Vec<Probe>,
) {
    let field = Field::parameter(name);
    // The value of an opaque parameter is rejected before its number.
    if !is_opaque(shape) {
        // Valid by itself.
        let value = values::accepted(shape).into_iter().next();
        let value = value.map_or_else(|| "x".to_owned(), |value| as_text(&value));
        let case = field.case_name("repeated");
        let case = subject.case(&case, "R9", async move |subject, context| {
            let control = subject.varied(context)?;
            let once = with_key(&control).query(name, &value);
            for second in [value.clone(), format!("{value}1")] {
                let issue = format!("query /{name} REPEATED_PARAMETER");
                let request = once.clone().query(name, &second);
                subject.rejects_form(context, &control, request, &[&issue]).await?;
            }
            Ok(())
        });
        let case =
            case.says(&format!("{{operation}} rejects {name} twice, also with the same value."));
        let takes_first = subject.rewrites(move |request| {
            let mut is_first = true;
            request.retain_parameters(|other, _| other != name || std::mem::take(&mut is_first));
        });
        let sentence = format!("{{operation}} takes the first of several values of {name}.");
        probes.push(case.fault(&sentence, takes_first));
    }
    if shape.is("integer") {
        let case = field.case_name("not-a-number");
        let case = subject.case(&case, "R6", async move |subject, context| {
            not_numbers(subject, context, name).await
        });
        let case = case.requests(16).says(&format!(
            "{{operation}} rejects a {name} that is not written as a whole number."
        ));
        let is_number = |value: &str| value.parse().is_ok_and(|number: i64| number > 0);
        probes.push(case.fault(
            &format!("{{operation}} ignores a {name} that is not a number."),
            subject.keeps_parameters(move |other, value| other != name || is_number(value)),
        ));
    }
    let is_bounded = ["enum", "pattern"].iter().any(|name| shape.keyword(name).is_some());
    let accepted = (is_bounded || shape.is("integer")).then(|| values::accepted(shape));
    let wrong = values::wrong_in_query(shape);
    fields::derive(subject, field, &wrong, accepted.unwrap_or_default(), None, probes);
}

async fn not_numbers(subject: &Subject, context: &mut CaseContext<'_>, name: &str) -> CaseResult {
    let control = subject.varied(context)?;
    for text in NOT_NUMBERS {
        let request = with_key(&control).query(name, text);
        let response = subject.rejects(context, &control, request, VALIDATION_FAILED).await?;
        // The code depends on how the value is read; the parameter does not.
        let issues = response.at("/error/details/issues");
        let is_one = matches!(issues.as_array().map(Vec::as_slice), Some([issue])
            if issue["in"] == "query" && issue["path"] == format!("/{name}"));
        response.that(
            is_one,
            &format!("details.issues does not report {name} {text:?}."),
            &format!("one issue in query at /{name}"),
            &issues.to_string(),
        )?;
    }
    Ok(())
}

async fn all_at_once(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    several: &[(Field, Wrong)],
) -> CaseResult {
    let control = subject.varied(context)?;
    let mut request = with_unknown_parameter(with_key(&control));
    let mut issues = vec![format!("query /{UNKNOWN_NAME} UNKNOWN_PARAMETER")];
    for (field, wrong) in several {
        request = request.query(field.name, &as_text(&wrong.value));
        issues.push(field.issue(wrong));
    }
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    subject.rejects_form(context, &control, request.clone(), &issues).await?;
    // What cannot be parsed comes before what breaks a rule (R4).
    let codes = subject.operation.response(INVALID_CURSOR.0).map(|known| &known.error_codes);
    if codes.is_some_and(|codes| codes.iter().any(|code| code == INVALID_CURSOR.1)) {
        let response = context.send(request.query(CURSOR, "!")).await?;
        response.is(INVALID_CURSOR.0)?.has("/error/code", Value::from(INVALID_CURSOR.1))?;
    }
    Ok(())
}
