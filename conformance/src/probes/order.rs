//! The order of checks (A.order), pair by pair: a request that fails two of them is answered by the
//! earlier one. Each failure alone is answered by its own check, so both of them count.

use openapi_document::Method as DocumentedMethod;
use strum::EnumMessage as _;

use super::{bodies::LARGEST, checks::pairs, prelude::*};
use crate::document::wrong_method;

/// Requests that use up a minute at most, and those that find out whether it is used up.
const USE_UP: usize = 22;
/// Minutes in which requests are sent at most: one of them may end meanwhile.
const MINUTES: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    UnknownPath,
    WrongMethod,
    NoKey,
    AlteredKey,
    RevokedKey,
    UsedUpMinute,
    OtherScope,
    OtherMediaType,
    LargeBody,
    UnknownVersion,
    BrokenJson,
    BrokenCursor,
    UnknownParameter,
    UnknownMember,
    NoCredits,
    UnknownId,
    Refused,
}

use Failure::*;

/// The ways to fail each check, and their errors; the code of a rejection depends on the operation.
const FAILURES: [(Failure, Check, Error); 17] = [
    (UnknownPath, Check::Route, NOT_FOUND),
    (WrongMethod, Check::Route, METHOD_NOT_ALLOWED),
    (NoKey, Check::Key, UNAUTHORIZED),
    (AlteredKey, Check::Key, UNAUTHORIZED),
    (RevokedKey, Check::Key, UNAUTHORIZED),
    (UsedUpMinute, Check::Minute, RATE_LIMITED),
    (OtherScope, Check::Scope, INSUFFICIENT_SCOPE),
    (OtherMediaType, Check::MediaType, UNSUPPORTED_MEDIA_TYPE),
    (LargeBody, Check::Size, PAYLOAD_TOO_LARGE),
    (UnknownVersion, Check::Syntax, UNSUPPORTED_API_VERSION),
    (BrokenJson, Check::Syntax, INVALID_JSON),
    (BrokenCursor, Check::Syntax, INVALID_CURSOR),
    (UnknownParameter, Check::Rule, VALIDATION_FAILED),
    (UnknownMember, Check::Rule, VALIDATION_FAILED),
    (NoCredits, Check::Credits, API_CREDITS_EXHAUSTED),
    (UnknownId, Check::Resource, NOT_FOUND),
    (Refused, Check::State, INVALID_REFERENCE),
];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for pair in pairs(subject.operation) {
        let of_minute = pair.contains(&Check::Minute);
        let name = format!("order.{}.{}", pair[0].name(), pair[1].name());
        let case = subject.case(&name, "A.order", async move |subject, context| {
            let both = both(subject, context, pair)?;
            for check in pair.into_iter().filter(|check| *check != Check::Minute) {
                alone(subject, context, check, &both).await?;
            }
            if of_minute {
                return in_used_up_minute(context, &both).await;
            }
            for (request, error) in both {
                context.expect(request, error).await?;
            }
            Ok(())
        });
        let [first, second] = pair.map(|check| subject.failures(check).len());
        let sent = first + second + first * second;
        let sent = if of_minute { USE_UP + MINUTES * (sent + 2) } else { sent };
        let changes = if of_minute { Changes::Allowance } else { Changes::Nothing };
        let [first, second] = pair.map(|check| check.get_message().unwrap_or_default());
        let case = case
            .says(&format!("{{operation}} with {first} and {second} is answered for the former."))
            .keys(subject.keys_for(pair))
            .changes(changes)
            .fixtures(subject.fixture_for(pair))
            .requests(u32::try_from(sent).expect("a case sends few requests"));
        let sentence =
            format!("{{operation}} with {first} and {second} is answered for the latter.");
        probes.push(case.fault(&sentence, subject.swaps(pair)));
    }
}

impl Subject {
    /// The ways in which a request of this operation can fail a check, with their errors.
    fn failures(&self, check: Check) -> Vec<(Failure, Error)> {
        let is_possible = |failure: Failure, (status, code): Error| match failure {
            UnknownMember => self.body().is_some_and(|shape| shape.is_closed()),
            UnknownVersion | BrokenJson | BrokenCursor => {
                let documented = self.operation.response(status);
                documented.is_some_and(|known| known.error_codes.iter().any(|own| own == code))
            }
            _ => true,
        };
        let of_check = FAILURES
            .iter()
            .filter(|(failure, of, error)| *of == check && is_possible(*failure, *error));
        of_check.map(|(failure, _, error)| (*failure, *error)).collect()
    }

    fn keys_for(&self, pair: [Check; 2]) -> Vec<Role> {
        let failures = pair.into_iter().flat_map(|check| self.failures(check));
        let roles = failures.filter_map(|(failure, _)| self.role_of(failure));
        // A target may lack a revoked key: there are other ways to have no valid one.
        let roles = roles.filter(|role| *role != Role::Revoked);
        // A valid request of an operation that makes something each time has no credits.
        let is_consuming = self.recipe.effect == Effect::Consuming;
        let own = [Some(Role::All), is_consuming.then_some(Role::Exhausted)];
        own.into_iter().flatten().chain(roles).collect()
    }

    fn fixture_for(&self, pair: [Check; 2]) -> Option<Fixture> {
        let rejection = self.recipe.own_rejection.as_ref();
        let places = rejection.map_or(&self.ours, |rejection| &rejection.places);
        self.id_fixture(places).filter(|_| pair.contains(&Check::State))
    }

    /// Returns true if no request can fail in both ways.
    fn exclude(&self, one: Failure, other: Failure) -> bool {
        let is_invalid = |failure| matches!(failure, NoKey | RevokedKey);
        let needs_valid = |failure| matches!(failure, UsedUpMinute | OtherScope | NoCredits);
        let in_body = match &self.recipe.own_rejection {
            None => reference(self.operation).is_some(),
            Some(rejection) => rejection.body.is_some(),
        };
        let needs_json = |failure| failure == UnknownMember || failure == Refused && in_body;
        is_invalid(one) && needs_valid(other) || one == BrokenJson && needs_json(other)
    }

    /// A request that fails in these ways, and in no other.
    fn failing(&self, context: &CaseContext<'_>, failures: &[Failure]) -> CaseResult<Request> {
        let has = |failure| failures.contains(&failure);
        let (harmless, key) = self.harmless(context)?;
        let mut request = match &self.recipe.own_rejection {
            _ if has(UnknownId) => self.unknown(context),
            Some(rejection) if has(Refused) => self.with_ids(context, &rejection.places),
            None if has(Refused) => self.own(context),
            _ => harmless,
        };
        let body = self.body_failing(context, failures);
        if body.is_some() || has(LargeBody) {
            let body = body.unwrap_or_else(|| json!({})).to_string();
            let mut text = if has(BrokenJson) { "{".to_owned() } else { body };
            if has(LargeBody) {
                text += &" ".repeat(LARGEST);
            }
            request.headers.clear();
            request = request.body(if has(OtherMediaType) { "text/plain" } else { JSON }, text);
        }
        if has(UnknownVersion) {
            request = with_unknown_version(request);
        }
        if has(BrokenCursor) {
            request = request.query(CURSOR, "!");
        }
        if has(UnknownParameter) {
            request = with_unknown_parameter(request);
        }
        if has(UnknownPath) {
            let (path, rest) = request.target.split_at(request.path().len());
            request.target = format!("{path}/{UNKNOWN_ID}/{UNKNOWN_ID}{rest}");
        }
        if has(WrongMethod) {
            let method = wrong_method(&self.operation.path).unwrap_or_default();
            request.method = Method::from_bytes(method.as_bytes()).expect("a method");
        }
        let role = failures.iter().find_map(|failure| self.role_of(*failure));
        let key = role.map_or(Ok(key), |role| context.key(role))?;
        Ok(request.with_key(if has(NoKey) {
            Key::None
        } else if has(AlteredKey) {
            Key::Altered(key.altered(|key| format!("{key}0")))
        } else {
            Key::Secret(key)
        }))
    }

    fn body_failing(&self, context: &CaseContext<'_>, failures: &[Failure]) -> Option<Value> {
        let mut body = self.valid_body(context);
        if failures.contains(&Refused) {
            match (&self.recipe.own_rejection, reference(self.operation)) {
                (Some(rejection), _) => body = rejection.body.clone().or(body),
                // The own request of a POST is refused already: a success would have an effect.
                (None, Some(member)) if self.operation.method == DocumentedMethod::Patch => {
                    body = Some(body_with(self, context, member, Some(&UNKNOWN_ID.into())));
                }
                _ => {}
            }
        }
        if let Some(body) = body.as_mut().filter(|_| failures.contains(&UnknownMember)) {
            body[UNKNOWN_NAME] = 1.into();
        }
        body
    }

    fn role_of(&self, failure: Failure) -> Option<Role> {
        match failure {
            RevokedKey => Some(Role::Revoked),
            UsedUpMinute => Some(Role::Tight),
            OtherScope => other_role(self),
            NoCredits => Some(Role::Exhausted),
            _ => None,
        }
    }
}

/// The first member of the body that names a resource, where an unknown one is an error.
fn reference(operation: &'static Operation) -> Option<&'static str> {
    let codes = &operation.response(422)?.error_codes;
    codes.iter().find(|code| **code == INVALID_REFERENCE.1)?;
    operation.references.iter().find_map(|reference| reference.member.strip_prefix('/'))
}

/// Requests that fail both checks, and the error of the earlier one.
fn both(
    subject: &Subject,
    context: &CaseContext<'_>,
    pair: [Check; 2],
) -> CaseResult<Vec<(Request, Error)>> {
    let [first, second] = pair.map(|check| subject.failures(check));
    let mut requests = Vec::new();
    for (one, error) in first {
        for (other, _) in &second {
            if !is_untried(context, one) && !subject.exclude(one, *other) {
                requests.push((subject.failing(context, &[one, *other])?, error));
            }
        }
    }
    Ok(requests)
}

/// Returns true if the target lacks a revoked key: the other ways to have no valid one remain.
fn is_untried(context: &CaseContext<'_>, failure: Failure) -> bool {
    failure == RevokedKey && context.key(Role::Revoked).is_err()
}

/// Sends a request for each way to fail a check alone: it is answered by that check. A request that
/// fails the later check, too, because a valid one would have an effect, is among `both`.
async fn alone(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    check: Check,
    both: &[(Request, Error)],
) -> CaseResult {
    for (failure, error) in subject.failures(check) {
        if is_untried(context, failure) {
            continue;
        }
        let request = subject.failing(context, &[failure])?;
        if both.iter().any(|(both, _)| *both == request) {
            continue;
        }
        let response = match context.deployment().controls.get(&request) {
            Some(known) => known,
            None => context.send_control(request.clone()).await?,
        };
        let is_own = match failure {
            Refused => Check::reached(&response) == Some(Check::State),
            _ => response.status == error.0 && response.text("/error/code") == error.1,
        };
        if !is_own {
            return Err(CaseOutcome::inconclusive(
                "A request that fails one check alone is not answered by that check.",
                format!("{} {}", error.0, error.1),
                response.status_and_body(),
                Some(response.exchange),
            ));
        }
        context.deployment().controls.keep(&request, &response);
    }
    Ok(())
}

/// Requires these errors in a minute that is used up before and after the requests.
async fn in_used_up_minute(context: &mut CaseContext<'_>, both: &[(Request, Error)]) -> CaseResult {
    let mut left = USE_UP;
    for _ in 0..MINUTES {
        let mut responses: Vec<(Response, Error)> = Vec::new();
        for (request, error) in both {
            responses.push((context.send_at_once(request.clone()).await?, *error));
        }
        if is_used_up(context).await? {
            let mut responses = responses.iter();
            return responses.try_for_each(|(response, error)| context.is_error(response, *error));
        }
        while !is_used_up(context).await? {
            left -= 1;
            let what = "an organisation with at most 20 requests a minute for the role tight";
            CaseOutcome::missing_if(left == 0, what)?;
        }
    }
    Err(CaseOutcome::missing("a minute of tight that lasts for some requests (none is left)"))
}

async fn is_used_up(context: &mut CaseContext<'_>) -> CaseResult<bool> {
    let request = Request::get(LIST).with(&context.key(Role::Tight)?);
    Ok(context.send_at_once(request).await?.status == RATE_LIMITED.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::SUBJECTS;

    #[test]
    fn some_request_fails_both_checks_of_each_pair() {
        for subject in SUBJECTS.iter() {
            for pair in pairs(subject.operation) {
                let [first, second] = pair.map(|check| subject.failures(check));
                let is_possible = first.iter().any(|(one, _)| {
                    let is_certain = *one != RevokedKey;
                    is_certain && second.iter().any(|(other, _)| !subject.exclude(*one, *other))
                });
                assert!(is_possible, "{}: {pair:?}", subject.operation.id);
            }
        }
    }
}
