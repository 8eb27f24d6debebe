//! What an operation makes anew each time: the answer shows what the body says, and the document's
//! default of what it leaves out.

use payout_faults::DOCUMENT;
use serde_json::{Map, Value};

use super::{bodies::bare, stage::Stage, subject::Subject, values};
use crate::case::{Case, CaseContext, CaseResult};

type Members = Map<String, Value>;

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    if subject.operation.response(201).is_none() || subject.body().is_none() {
        return;
    }
    let members = subject
        .case("answer.members", subject.clause_or("§2.5.single"), shows_members)
        .says("{operation} answers what the body says, and the defaults of what it leaves out.");
    let members = members.fixtures(subject.own_fixtures()).requests(12).by_decision();
    cases.push(members.changes(subject.recipe.effect.changes()));
}

/// Bodies that together have every value that is known to be valid, and one without what may be
/// left out.
fn bodies(subject: &Subject, valid: &Members) -> Vec<Members> {
    let shape = subject.body().unwrap_or_default();
    let members: Vec<(&String, Vec<Value>)> = shape
        .properties
        .iter()
        .filter_map(|(name, pointer)| {
            let accepted = values::accepted(&DOCUMENT.shape(pointer).ok()?);
            (!accepted.is_empty()).then_some((name, accepted))
        })
        .collect();
    let rounds = members.iter().map(|(_, values)| values.len()).max().unwrap_or_default();
    let round = |number: usize| {
        let mut body = valid.clone();
        for (name, values) in &members {
            body.insert((*name).clone(), values[number % values.len()].clone());
        }
        body
    };
    let mut required = valid.clone();
    required.retain(|name, _| shape.requires(name));
    (0..rounds).map(round).chain([required]).collect()
}

async fn shows_members(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let shape = subject.body().unwrap_or_default();
    let valid = subject.valid_body(context).unwrap_or_default();
    for body in bodies(subject, &valid.as_object().cloned().unwrap_or_default()) {
        let request = bare(&(subject.own(context), context.all()?)).json(&body.clone().into());
        let response = context.send(request).await?;
        response.that(
            Stage::reached(&response) == Some(Stage::Done),
            "The valid request was refused.",
            "a success",
            &response.status_and_body(),
        )?;
        for (name, pointer) in &shape.properties {
            let default = || DOCUMENT.shape(pointer).ok()?.keyword("default").cloned();
            let expected = body.get(name).cloned().or_else(default);
            // Not every resource shows what it was made from.
            let is_shown = response.at("/data").get(name).is_some();
            if let Some(expected) = expected.filter(|_| is_shown) {
                response.has(&format!("/data/{name}"), expected)?;
            }
        }
    }
    Ok(())
}
