//! Which scope an operation requires (§5.5): the one of `x-required-scope`, and no other.

use super::{
    probe::Probe,
    recipes::Effect,
    stage::Stage,
    subject::{Subject, with_unknown_parameter},
};
use crate::{
    case::{CaseContext, CaseResult, errors::INSUFFICIENT_SCOPE},
    document::{kebab, scopes},
    target::Role,
};

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let Some(required) = subject.operation.scope.as_deref() else {
        return;
    };
    let clause = subject.clause_or("§5.5");
    let mut is_first = true;
    for (scope, role) in scopes() {
        let name = format!("scope.{}", kebab(scope));
        let keys: &'static [Role] = vec![Role::All, role].leak();
        if scope == required {
            let case = subject.case(&name, clause, async move |subject, context| {
                is_enough(subject, context, role).await
            });
            let case = case.says(&format!("{{operation}} requires no other scope than {scope}."));
            probes.push(case.keys(keys).fault_by_hand("list-lines-needs-write"));
            continue;
        }
        let is_example = std::mem::take(&mut is_first);
        let case = subject.case(&name, clause, async move |subject, context| {
            is_not_enough(subject, context, role, required, is_example).await
        });
        let case = case.says(&format!("{{operation}} rejects a key that has only {scope}."));
        let fault = format!("{{operation}} is content with {scope}.");
        probes.push(case.keys(keys).fault(&fault, subject.accepts_role(role)));
    }
}

/// A key of the organisation under test that lacks the required scope.
pub(super) fn other_role(subject: &Subject) -> Option<Role> {
    let required = subject.operation.scope.as_deref();
    scopes().find(|(scope, _)| Some(*scope) != required).map(|(_, role)| role)
}

async fn is_enough(subject: &Subject, context: &mut CaseContext<'_>, role: Role) -> CaseResult {
    let (request, all) = subject.harmless(context)?;
    let request = match subject.recipe.effect {
        // The role's organisation has credits: the form, which is checked later, stops the request.
        Effect::Consuming => with_unknown_parameter(request),
        _ => request,
    };
    let expected = context.send(request.clone().with(&all)).await?;
    let response = context.send(request.with(&context.key(role)?)).await?;
    // Without credits the key of the same scope belongs to another organisation.
    let is_enough = response.status == expected.status
        || Stage::reached(&response).is_some_and(|stage| stage > Stage::Scope);
    response.that(
        is_enough,
        "A key with the required scope is refused.",
        &expected.status_line(),
        &response.status_and_body(),
    )
}

async fn is_not_enough(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    role: Role,
    required: &str,
    is_example: bool,
) -> CaseResult {
    let control = subject.harmless(context)?;
    let key = context.key(role)?;
    let request = control.0.clone().with(&key);
    let response = subject.rejects(context, &control, request, INSUFFICIENT_SCOPE).await?;
    if context.with_decisions() {
        response.has("/error/details/requiredScope", required)?;
    }
    if is_example {
        context.snapshot(&response);
    }
    // Another key is not needed for a part of the data.
    for (place, fixture) in subject.recipe.own {
        if let (Some(name), Ok(id)) = (place.strip_prefix('?'), context.fixture(*fixture)) {
            let filtered = control.0.clone().query(name, &id).with(&key);
            let response = context.send(filtered).await?;
            context.is_error(&response, INSUFFICIENT_SCOPE)?;
        }
    }
    Ok(())
}
