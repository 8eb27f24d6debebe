//! Values of one field of a request, a parameter of the query or a member of the body (R2–R4): each
//! value that its schema rejects is reported, and those at its bounds are accepted.

use serde_json::{Map, Value};

use super::{
    bodies::bare,
    subject::{Keyed, Subject, passes_the_form, with_key},
    values::{self, Wrong, as_text},
};
use crate::{
    case::{Case, CaseContext},
    document::kebab,
    exchange::Request,
};

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

/// The cases about values that are wrong, one for each way, and about those that are accepted.
pub(super) fn derive(
    subject: &'static Subject,
    field: Field,
    wrong: &[Wrong],
    accepted: Vec<Value>,
    cases: &mut Vec<Case>,
) {
    let name = field.name;
    let own = subject.clause_of(name, "R4.422");
    for (what, wrong) in values::by_kind(wrong) {
        let clause = match what {
            "wrong-type" | "nul" => "R3",
            "null" => "R2.null",
            _ => own,
        };
        let rejected =
            subject.case(&field.case_name(what), clause, async move |subject, context| {
                let control = subject.varied(context)?;
                for wrong in &wrong {
                    let request = field.request(subject, context, &control, &wrong.value);
                    subject
                        .rejects_form(context, &control, request, &[&field.issue(wrong)])
                        .await?;
                }
                Ok(())
            });
        let sentence =
            format!("{{operation}} rejects a {name} that is {}.", what.replace('-', " "));
        cases.push(rejected.says(&sentence).by_decision().requests(16));
    }
    if accepted.is_empty() {
        return;
    }
    let accepted =
        subject.case(&field.case_name("accepted"), own, async move |subject, context| {
            let control = subject.varied(context)?;
            for value in &accepted {
                let request = field.request(subject, context, &control, value);
                let response = context.send(request).await?;
                passes_the_form(&response, &format!("{name} = {value}"))?;
            }
            Ok(())
        });
    let sentence = format!("{{operation}} accepts a {name} at its bounds.");
    cases.push(accepted.says(&sentence).by_decision());
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
