//! Resources of another organisation in a state that the operation rejects (§5.3, A10): they are
//! answered like unknown ones, never by their state. Their own organisation gets the rejection of
//! the state, which proves it.

use std::collections::HashMap;

use bytes::Bytes;
use hyper::HeaderMap;
use serde_json::Value;

use super::{
    ids::is_alike,
    probe::{Behaviour, Probe, edits_every},
    recipes::Rejection,
    subject::Subject,
};
use crate::{
    case::{
        CaseContext, CaseOutcome, CaseResult,
        errors::{INVALID_REFERENCE, NOT_FOUND},
    },
    cases::UNKNOWN_ID,
    document::{code_name, state_codes},
    exchange::{Request, Response, request::escaped},
    target::{Fixture, Role},
};

/// Rejections of states, by target and body.
#[derive(Default)]
struct Rejected(HashMap<(String, Option<Bytes>), Response>);

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for code in state_codes(subject.operation) {
        let Some(rejection) = subject.rejection(code) else { continue };
        let clause = subject.clause_of("organisation", "§5.3");
        let name = format!("foreign.{}", code_name(code));
        let case = subject.case(&name, clause, async move |subject, context| {
            foreign(subject, context, rejection).await
        });
        let case = case.by_decision().says(&format!(
            "{{operation}} answers another organisation's resource like an unknown one where its \
             own organisation gets {code}."
        ));
        let fixtures: Vec<Fixture> = rejection.places.iter().map(|(_, fixture)| *fixture).collect();
        let keys: &'static [Role] = vec![Role::All, owner(rejection)].leak();
        let sentence =
            format!("{{operation}} answers {code} for a resource of another organisation.");
        let case = case.keys(keys).fixtures(fixtures.leak());
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

    pub(super) fn rejection(&self, code: &str) -> Option<&'static Rejection> {
        self.recipe.foreign_rejections.iter().find(|rejection| rejection.code == code)
    }
}

/// The key of the organisation that has the resource.
fn owner(rejection: &Rejection) -> Role {
    let is_without_billing =
        rejection.places.iter().any(|(_, fixture)| *fixture == Fixture::PayoutNoBilling);
    if is_without_billing { Role::NoBilling } else { Role::OtherOrganization }
}

async fn foreign(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    rejection: &Rejection,
) -> CaseResult {
    let mut places = Vec::new();
    for (place, fixture) in rejection.places {
        places.push((*place, context.fixture(*fixture)?));
    }
    let unknown: Vec<_> = places.iter().map(|(place, _)| (*place, UNKNOWN_ID.to_owned())).collect();
    let own = about(subject, context, rejection, &places).with(&context.key(owner(rejection))?);
    let control = context.send(own).await?;
    if control.status != 422 || control.text("/error/code") != rejection.code {
        return Err(CaseOutcome::inconclusive(
            "The resource's own organisation can do it, so another one proves nothing.",
            rejection.code,
            control.status_and_body(),
            Some(control.exchange),
        ));
    }
    let error = if subject.has_id() { NOT_FOUND } else { INVALID_REFERENCE };
    let all = context.all()?;
    let request = about(subject, context, rejection, &places).with(&all);
    let foreign = context.expect(request, error).await?;
    let request = about(subject, context, rejection, &unknown).with(&all);
    let unknown = context.expect(request, error).await?;
    is_alike(&foreign, &unknown, &places[0].1)
}

/// The rejected request about these ids.
fn about(
    subject: &Subject,
    context: &CaseContext<'_>,
    rejection: &Rejection,
    ids: &[(&str, String)],
) -> Request {
    let id = |name: &str| {
        let found = ids.iter().find(|(place, _)| *place == name);
        escaped(found.map_or(UNKNOWN_ID, |(_, id)| id))
    };
    let request = subject.to(context, subject.path(id));
    let Some(body) = rejection.body else { return request };
    let mut body: Value = serde_json::from_str(body).expect("a test parses each recipe's bodies");
    for (place, id) in ids {
        if let Some(member) = place.strip_prefix('/') {
            body[member] = id.as_str().into();
        }
    }
    Request { headers: HeaderMap::new(), body: None, ..request }.json(&body)
}
