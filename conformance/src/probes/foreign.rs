//! Resources of another organisation in a state that the operation rejects (§5.3, A10): they are
//! answered like unknown ones, never by their state. Their own organisation gets the rejection of
//! the state, which proves it.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use super::{ids::is_alike, prelude::*, recipes::Rejection};
use crate::document::code_name;

/// Rejections of states, by target and body.
#[derive(Default)]
struct Rejected(HashMap<(String, Option<Bytes>), Response>);

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for rejection in &subject.recipe.foreign_rejections {
        let (code, fixtures) = (&rejection.code, rejection.places.values().copied());
        let is_without_billing = fixtures.clone().any(|it| it == Fixture::PayoutNoBilling);
        let owner = if is_without_billing { Role::NoBilling } else { Role::OtherOrganization };
        let name = format!("foreign.{}", code_name(code));
        let clause = subject.clause_of("organisation", "§5.3");
        let case = subject.case(&name, clause, async move |subject, context| {
            let mut ids = BTreeMap::new();
            for (place, fixture) in &rejection.places {
                ids.insert(place.as_str(), context.fixture(*fixture)?);
            }
            let request = about(subject, context, rejection, |place| ids[place].clone());
            let control = context.send(request.clone().with(&context.key(owner)?)).await?;
            if control.status != 422 || control.text("/error/code") != code {
                return Err(CaseOutcome::inconclusive(
                    "The resource's own organisation can do it, so another one proves nothing.",
                    code,
                    control.status_and_body(),
                    Some(control.exchange),
                ));
            }
            let (error, all) = (subject.absence(), context.all()?);
            let foreign = context.expect(request.with(&all), error).await?;
            let request = about(subject, context, rejection, |_| UNKNOWN_ID.to_owned());
            let unknown = context.expect(request.with(&all), error).await?;
            is_alike(&foreign, &unknown, ids.values())
        });
        let case = case.by_decision().keys([Role::All, owner]).fixtures(fixtures).says(&format!(
            "{{operation}} answers another organisation's resource like an unknown one where its \
             own organisation gets {code}."
        ));
        let sentence =
            format!("{{operation}} answers {code} for a resource of another organisation.");
        probes.push(case.fault(&sentence, subject.looks_at_state_first(code)));
    }
}

impl Subject {
    /// Looks at the state before the organisation, so that the rejection shows that the resource
    /// exists.
    fn looks_at_state_first(&'static self, code: &'static str) -> Behaviour {
        edits_every(move |request, response, upstream| {
            if !request.is(&self.operation.id) {
                return;
            }
            let about = (request.target.clone(), request.body.clone());
            let is_unknown = response.has_status(404)
                || response.has_error(INVALID_REFERENCE.0, INVALID_REFERENCE.1);
            let known = upstream.remember(|Rejected(rejected)| {
                if response.has_error(422, code) {
                    rejected.insert(about.clone(), response.clone());
                }
                rejected.get(&about).cloned()
            });
            if let Some(known) = known.filter(|_| is_unknown) {
                response.take_content(known);
            }
        })
    }

    /// The error of a request that names nothing known.
    fn absence(&self) -> (u16, &'static str) {
        if self.has_id() { NOT_FOUND } else { INVALID_REFERENCE }
    }
}

/// The rejected request about these ids.
fn about(
    subject: &Subject,
    context: &CaseContext<'_>,
    rejection: &Rejection,
    id: impl Fn(&str) -> String,
) -> Request {
    let request = subject.to(context, subject.path(|name| escaped(&id(name))));
    let body = rejection.body.clone().or_else(|| subject.valid_body(context));
    let Some(mut body) = body else { return request };
    for place in rejection.places.keys() {
        if let Some(member) = place.strip_prefix('/') {
            body[member] = id(place).into();
        }
    }
    Request { headers: HeaderMap::new(), body: None, ..request }.json(&body)
}
