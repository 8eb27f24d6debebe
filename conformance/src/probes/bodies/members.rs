//! Members of a body (R2, R4): their values, unknown and missing ones, and several violations.

use crate::probes::{fields, prelude::*};

/// `valid` is the document's example of the body.
pub(super) fn derive(
    subject: &'static Subject,
    shape: &Shape,
    valid: &Value,
    probes: &mut Vec<Probe>,
) {
    if shape.is_closed() {
        let known: Vec<String> = shape.properties.iter().map(|(name, _)| name.clone()).collect();
        let case = subject.case("body.unknown-member", "R2.unknown", unknown_member).requests(16);
        let case = case.says("{operation} rejects a member that the document does not name.");
        probes.push(case.fault(
            "{operation} ignores unknown members.",
            subject.rewrites_members(move |members| members.retain(|name, _| known.contains(name))),
        ));
    }
    let mut several = Vec::new();
    for (name, pointer) in &shape.properties {
        let Ok(member) = DOCUMENT.shape(pointer) else { continue };
        let (field, wrong) = (Field::member(name.clone().leak()), values::wrong(&member));
        let required = shape.requires(name).then(|| {
            let own = valid.get(name).or_else(|| member.keyword("example"));
            own.cloned().unwrap_or_default()
        });
        let accepted = values::accepted(&member);
        fields::derive(subject, field, &wrong, accepted, required.clone(), probes);
        probes.extend(required.map(|value| missing(subject, field, value)));
        if let Some(other) = member.keyword("x-later-than").and_then(Value::as_str) {
            probes.push(not_later(subject, field, other.to_owned().leak(), valid));
        }
        if let Some(other) = member.keyword("x-required-when").and_then(Value::as_str) {
            probes.push(without_its_other(subject, field, other.to_owned().leak(), valid));
        }
        // One violation of each kind, as far as there are members.
        let of_new_kind = |wrong: &&Wrong| {
            several.iter().all(|(_, other): &(Field, Wrong)| other.code != wrong.code)
        };
        let chosen = wrong.iter().rev().find(of_new_kind).or(wrong.first()).cloned();
        several.extend(chosen.map(|wrong| (field, wrong)));
    }
    let case = subject.case("body.several", "R4.422", async move |subject, context| {
        all_at_once(subject, context, &several).await
    });
    let case = case.says("{operation} reports all violations of a body and its query at once.");
    probes.push(case.fault(
        "{operation} reports only the first violation.",
        subject.edits(|_, response| response.keep_first_issue("body")),
    ));
}

/// The probe of a member that is later than another one.
fn not_later(subject: &'static Subject, field: Field, other: &'static str, valid: &Value) -> Probe {
    let (name, own) = (field.name, subject.clause_of(field.name, "R4.422"));
    let case = subject.case(&field.case_name("not-later"), own, async move |subject, context| {
        let mut body = subject.valid_body(context).unwrap_or_default();
        let issue = format!("body /{name} TOO_SMALL");
        let (earlier, later) = (body[other].clone(), body[name].clone());
        body[name] = earlier;
        rejects_body(subject, context, &body, &issue).await?;
        body[other] = later;
        rejects_body(subject, context, &body, &issue).await
    });
    let case =
        case.says(&format!("{{operation}} rejects a {name} that is not later than {other}."));
    let sound = [name, other].map(|name| (name.to_owned(), valid[name].clone()));
    let fault = subject.rewrites_members(move |members| {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if text(name).zip(text(other)).is_some_and(|(later, earlier)| later <= earlier) {
            members.extend(sound.clone());
        }
    });
    let sentence = format!("{{operation}} accepts a {name} that is not later than {other}.");
    case.by_decision().fault(&sentence, fault)
}

/// The probe of a member that is required with another one.
fn without_its_other(
    subject: &'static Subject,
    field: Field,
    other: &'static str,
    valid: &Value,
) -> Probe {
    let (name, own) = (field.name, subject.clause_of(field.name, "R4.422"));
    let (value, given) = (valid[name].clone(), valid[other].clone());
    let sent = given.clone();
    let what = format!("missing-with-{}", kebab(other));
    let case = subject.case(&field.case_name(&what), own, async move |subject, context| {
        let mut body = body_with(subject, context, other, Some(&sent));
        body.as_object_mut().map(|members| members.shift_remove(name));
        rejects_body(subject, context, &body, &format!("body /{name} REQUIRED")).await
    });
    let case = case.says(&format!("{{operation}} requires {name} with {other}."));
    let fault = subject.rewrites_members(move |members| {
        if members.contains_key(other) {
            members.entry(name).or_insert_with(|| value.clone());
        }
    });
    let sentence = format!("{{operation}} accepts {other} without {name}.");
    case.by_decision().fault(&sentence, fault)
}

/// The probe without a required member, which a faulty deployment takes to have this value.
fn missing(subject: &'static Subject, field: Field, value: Value) -> Probe {
    let name = field.name;
    let clause = subject.clause_of(name, "R4.422");
    let case = subject.case(&field.case_name("missing"), clause, async move |subject, context| {
        let body = body_with(subject, context, name, None);
        rejects_body(subject, context, &body, &format!("body /{name} REQUIRED")).await
    });
    let case = case.says(&format!("{{operation}} requires {name}.")).by_decision();
    let fault = subject.rewrites_members(move |members| {
        members.entry(name).or_insert_with(|| value.clone());
    });
    case.fault(&format!("{{operation}} does not require {name}."), fault)
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
