//! Members of a body (R2, R3, R4): each value that its schema rejects is reported, and those at its
//! bounds are accepted.

use payout_faults::kebab;
use payout_openapi::Shape;
use serde_json::{Map, Value, json};

use super::bare;
use crate::{
    case::{Case, CaseContext, CaseResult},
    document::DOCUMENT,
    families::{
        subject::{Subject, passes_the_form, with_unknown_parameter},
        values::{self, Wrong},
    },
};

pub(super) fn derive(subject: &'static Subject, shape: &Shape, cases: &mut Vec<Case>) {
    if shape.is_closed() {
        let unknown = subject
            .case("body.unknown-member", "R2.unknown", unknown_member)
            .says("{operation} rejects a member that the document does not name.");
        cases.push(unknown.requests(16));
    }
    let mut several = Vec::new();
    for (name, pointer) in &shape.properties {
        let Ok(member) = DOCUMENT.shape(pointer) else { continue };
        derive_member(subject, name.clone().leak(), &member, shape.requires(name), cases);
        let wrong = values::wrong(&member);
        // One violation of each kind, as far as there are members.
        let of_new_kind = |wrong: &&Wrong| {
            several.iter().all(|(_, other): &(String, Wrong)| other.code != wrong.code)
        };
        let chosen = wrong.iter().rev().find(of_new_kind).or(wrong.first()).cloned();
        several.extend(chosen.map(|wrong| (name.clone(), wrong)));
    }
    cases.push(
        subject
            .case("body.several", "R4.422", async move |subject, context| {
                all_at_once(subject, context, &several).await
            })
            .says("{operation} reports all violations of a body and its query at once."),
    );
}

fn derive_member(
    subject: &'static Subject,
    name: &'static str,
    shape: &Shape,
    is_required: bool,
    cases: &mut Vec<Case>,
) {
    let case_name = |what: &str| format!("body.{}.{what}", kebab(name));
    let clause = subject.clause_of(name, "R4.422");
    for (what, wrong) in values::by_kind(&values::wrong(shape)) {
        let clause = match what {
            "wrong-type" | "nul" => "R3",
            "null" => "R2.null",
            _ => clause,
        };
        let case = subject
            .case(&case_name(what), clause, async move |subject, context| {
                rejected(subject, context, name, &wrong).await
            })
            .says(&format!("{{operation}} rejects a {name} that is {}.", what.replace('-', " ")));
        cases.push(case.by_decision().requests(16));
    }
    if is_required {
        let case = subject
            .case(&case_name("missing"), clause, async move |subject, context| {
                let body = body_with(subject, context, name, None);
                rejects_body(subject, context, &body, &format!("body /{name} REQUIRED")).await
            })
            .says(&format!("{{operation}} requires {name}."));
        cases.push(case.by_decision());
    }
    let accepted = values::accepted(shape);
    if !accepted.is_empty() {
        let case = subject
            .case(&case_name("accepted"), clause, async move |subject, context| {
                is_accepted(subject, context, name, &accepted).await
            })
            .says(&format!("{{operation}} accepts a {name} at its bounds."));
        cases.push(case.by_decision());
    }
}

/// The valid body with another value for one member; without a value, without the member.
fn body_with(
    subject: &Subject,
    context: &CaseContext<'_>,
    name: &str,
    value: Option<&Value>,
) -> Value {
    let valid = subject.valid_body(context).unwrap_or_default();
    let mut members: Map<String, Value> = valid.as_object().cloned().unwrap_or_default();
    members.shift_remove(name);
    members.extend(value.map(|value| (name.to_owned(), value.clone())));
    members.into()
}

pub(super) async fn rejects_body(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    body: &Value,
    issue: &str,
) -> CaseResult {
    let control = subject.varied(context)?;
    let request = bare(&control).json(body);
    subject.rejects_form(context, &control, request, &[issue]).await.map(drop)
}

async fn rejected(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    name: &str,
    wrong: &[Wrong],
) -> CaseResult {
    for Wrong { at, value, code, .. } in wrong {
        let body = body_with(subject, context, name, Some(value));
        rejects_body(subject, context, &body, &format!("body /{name}{at} {code}")).await?;
    }
    Ok(())
}

async fn is_accepted(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    name: &str,
    accepted: &[Value],
) -> CaseResult {
    let control = subject.varied(context)?;
    for value in accepted {
        let body = body_with(subject, context, name, Some(value));
        let response = context.send(bare(&control).json(&body)).await?;
        passes_the_form(&response, &format!("{name} = {value}"))?;
    }
    Ok(())
}

async fn unknown_member(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let known = subject.body().map(|shape| shape.properties).unwrap_or_default();
    let mut names = vec!["surprise".to_owned(), "organizationId".to_owned()];
    // Members that the resource shows, and known ones in other letters.
    names.extend(["id", "createdAt", "updatedAt", "status"].map(str::to_owned));
    names.extend(known.first().map(|(name, _)| name.to_uppercase()));
    names.retain(|name| known.iter().all(|(other, _)| other != name));
    for name in &names {
        for value in [json!("x"), json!(null)] {
            let body = body_with(subject, context, name, Some(&value));
            let issue = format!("body /{name} UNKNOWN_FIELD");
            rejects_body(subject, context, &body, &issue).await?;
        }
    }
    Ok(())
}

async fn all_at_once(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    several: &[(String, Wrong)],
) -> CaseResult {
    let control = subject.varied(context)?;
    let mut body: Map<String, Value> = Map::new();
    let mut issues = vec!["query /surprise UNKNOWN_PARAMETER".to_owned()];
    let required = subject.valid_body(context).unwrap_or_default();
    body.extend(required.as_object().cloned().unwrap_or_default());
    for (name, wrong) in several {
        body.insert(name.clone(), wrong.value.clone());
        issues.push(format!("body /{name}{} {}", wrong.at, wrong.code));
    }
    let request = with_unknown_parameter(bare(&control).json(&body.into()));
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    subject.rejects_form(context, &control, request, &issues).await.map(drop)
}
