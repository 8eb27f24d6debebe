//! Values of one field of a request, a parameter of the query or a member of the body (R2–R4): each
//! value that its schema rejects is reported, and those at its bounds are accepted.

use super::prelude::*;
use crate::exchange::request::decoded;

const QUERY: &str = "query";

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// `query` or `body`, as issues name it.
    place: &'static str,
    pub(super) name: &'static str,
}

impl Field {
    pub(super) fn parameter(name: &'static str) -> Self {
        Self { place: QUERY, name }
    }

    pub(super) fn member(name: &'static str) -> Self {
        Self { place: "body", name }
    }

    /// The name of one of its cases, such as `query.limit.too-large`.
    pub(super) fn case_name(self, what: &str) -> String {
        format!("{}.{}.{what}", self.place, kebab(self.name))
    }

    pub(super) fn issue(self, wrong: &Wrong) -> String {
        format!("{} /{}{} {}", self.place, self.name, wrong.at, wrong.code)
    }

    /// Replaces the values that are chosen, or leaves them out.
    fn replaces(
        self,
        subject: &'static Subject,
        is_chosen: impl Fn(&Value) -> bool + Send + Sync + 'static,
        other: Option<Value>,
    ) -> Behaviour {
        let name = self.name;
        if self.place != QUERY {
            return subject.rewrites_members(move |members| {
                if members.get(name).is_some_and(&is_chosen) {
                    members.shift_remove(name);
                    members.extend(other.clone().map(|other| (name.to_owned(), other)));
                }
            });
        }
        subject.rewrites(move |request| {
            let is_sent = |value: &str| {
                let text = decoded(value);
                let number = serde_json::from_str(&text).ok();
                is_chosen(&text.into()) || number.is_some_and(|number| is_chosen(&number))
            };
            let is_meant = request.parameter(name).is_some_and(|value| is_sent(&value));
            request.retain_parameters(|other, value| other != name || !is_sent(value));
            if let Some(other) = other.as_ref().filter(|_| is_meant) {
                *request = request.with_parameter(name, &escaped(&as_text(other)));
            }
        })
    }

    fn request(
        self,
        subject: &Subject,
        context: &CaseContext<'_>,
        control: &Keyed,
        value: &Value,
    ) -> Request {
        if self.place == QUERY {
            return with_key(control).query(self.name, &as_text(value));
        }
        bare(control).json(&body_with(subject, context, self.name, Some(value)))
    }
}

/// The probes about values that are wrong, one for each way, and about those that are accepted. A
/// faulty deployment leaves a wrong value out, or takes `required` in its place.
pub(super) fn derive(
    subject: &'static Subject,
    field: Field,
    wrong: &[Wrong],
    accepted: Vec<Value>,
    required: Option<Value>,
    probes: &mut Vec<Probe>,
) {
    let name = field.name;
    for (what, wrong) in values::by_kind(wrong) {
        let clause = match what {
            "wrong-type" | "nul" => "R3",
            "null" => "R2.null",
            _ => subject.clause_of(name, "R4.422"),
        };
        let values: Vec<Value> = wrong.iter().map(|wrong| wrong.value.clone()).collect();
        let case = subject.case(&field.case_name(what), clause, async move |subject, context| {
            let control = subject.varied(context)?;
            for wrong in &wrong {
                let request = field.request(subject, context, &control, &wrong.value);
                subject.rejects_form(context, &control, request, &[&field.issue(wrong)]).await?;
            }
            Ok(())
        });
        let what = what.replace('-', " ");
        let case = case.says(&format!("{{operation}} rejects a {name} that is {what}."));
        let fault = field.replaces(subject, move |value| values.contains(value), required.clone());
        let sentence = format!("{{operation}} accepts a {name} that is {what}.");
        probes.push(case.by_decision().requests(16).fault(&sentence, fault));
    }
    let Some(last) = accepted.last().cloned() else { return };
    let own = subject.clause_of(name, "R4.422");
    let case = subject.case(&field.case_name("accepted"), own, async move |subject, context| {
        let control = subject.varied(context)?;
        for value in &accepted {
            let request = field.request(subject, context, &control, value);
            let response = context.send(request).await?;
            passes_the_form(&response, &format!("{name} = {value}"))?;
        }
        Ok(())
    });
    let case = case.says(&format!("{{operation}} accepts a {name} at its bounds.")).by_decision();
    let sentence = format!("{{operation}} rejects the {name} {}.", shortened(&last));
    // No text of the API may contain U+0000 (R3).
    let invalid = Some(Value::from("a\0b"));
    let fault = field.replaces(subject, move |value| *value == last, invalid);
    probes.push(case.fault(&sentence, fault));
}

/// The beginning of a value, for a sentence.
fn shortened(value: &Value) -> String {
    let text = as_text(value).replace(char::is_control, " ");
    text.chars().take(24).collect()
}

/// The valid body with another value for one member; without a value, without the member.
pub(super) fn body_with(
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
