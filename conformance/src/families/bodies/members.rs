//! Members of a body (R2, R4): their values, unknown and missing ones, and several violations.

use openapi_document::Shape;
use serde_json::{Value, json};

use super::bare;
use crate::{
    case::{Case, CaseContext, CaseResult},
    document::DOCUMENT,
    families::{
        fields::{self, Field, body_with},
        subject::{Subject, with_unknown_parameter},
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
        let (field, wrong) = (Field::member(name.clone().leak()), values::wrong(&member));
        fields::derive(subject, field, &wrong, values::accepted(&member), cases);
        cases.extend(shape.requires(name).then(|| missing(subject, field)));
        if let Some(other) = member.keyword("x-later-than").and_then(Value::as_str) {
            cases.push(not_later(subject, field, other.to_owned().leak()));
        }
        // One violation of each kind, as far as there are members.
        let of_new_kind = |wrong: &&Wrong| {
            several.iter().all(|(_, other): &(Field, Wrong)| other.code != wrong.code)
        };
        let chosen = wrong.iter().rev().find(of_new_kind).or(wrong.first()).cloned();
        several.extend(chosen.map(|wrong| (field, wrong)));
    }
    cases.push(
        subject
            .case("body.several", "R4.422", async move |subject, context| {
                all_at_once(subject, context, &several).await
            })
            .says("{operation} reports all violations of a body and its query at once."),
    );
}

/// The case of a member that is later than another one.
fn not_later(subject: &'static Subject, field: Field, other: &'static str) -> Case {
    let own = subject.clause_of(field.name, "R4.422");
    let case = subject.case(&field.case_name("not-later"), own, async move |subject, context| {
        let mut body = subject.valid_body(context).unwrap_or_default();
        let issue = format!("body /{} TOO_SMALL", field.name);
        let (earlier, later) = (body[other].clone(), body[field.name].clone());
        body[field.name] = earlier;
        rejects_body(subject, context, &body, &issue).await?;
        body[other] = later;
        rejects_body(subject, context, &body, &issue).await
    });
    let sentence =
        format!("{{operation}} rejects a {} that is not later than {other}.", field.name);
    case.says(&sentence).by_decision()
}

/// The case without a required member.
fn missing(subject: &'static Subject, field: Field) -> Case {
    let name = field.name;
    let clause = subject.clause_of(name, "R4.422");
    let case = subject.case(&field.case_name("missing"), clause, async move |subject, context| {
        let body = body_with(subject, context, name, None);
        rejects_body(subject, context, &body, &format!("body /{name} REQUIRED")).await
    });
    case.says(&format!("{{operation}} requires {name}.")).by_decision()
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
    several: &[(Field, Wrong)],
) -> CaseResult {
    let control = subject.varied(context)?;
    let mut body = subject.valid_body(context).unwrap_or_default();
    let mut issues = vec!["query /surprise UNKNOWN_PARAMETER".to_owned()];
    for (field, wrong) in several {
        body[field.name] = wrong.value.clone();
        issues.push(field.issue(wrong));
    }
    let request = with_unknown_parameter(bare(&control).json(&body));
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    subject.rejects_form(context, &control, request, &issues).await.map(drop)
}
