//! What each outcome of an operation costs (A4, A6, A7): the headers of two readings of one
//! organisation, compared with the requests between them. Concurrent traffic may mask a bug but
//! cannot cause a false failure; what the end of a minute disturbs is measured again.

use std::time::Duration;

use hyper::HeaderMap;

use super::{
    idempotency::{self, REPLAYED},
    probe::Probe,
    recipes::Effect,
    scopes::other_role,
    stage::Stage,
    subject::{Subject, with_unknown_parameter, with_unknown_version},
};
use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult, Changes},
    cases::{LIST, costs::Left},
    exchange::{Request, Response},
    target::{Fixture, Role},
};

/// How often each request is sent between two readings, and the pause before the second of them. A
/// correct deployment needs a second try where a minute or a month ended in the first. Other
/// clients spend credits too, but not in each try exactly as many as there are requests, however
/// long it takes.
const TRIES: [(u64, Duration); 4] = [
    (2, Duration::ZERO),
    (1, Duration::from_millis(40)),
    (3, Duration::from_millis(80)),
    (2, Duration::from_millis(160)),
];

/// An outcome whose cost is measured.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// The scope is missing.
    Scope(Role),
    /// 400: the version is unknown.
    Version,
    /// 400: the body is broken.
    Body,
    /// 422: a parameter is unknown.
    Parameter,
    /// 404: no resource has the id.
    NotFound,
    /// The own request: a success, or the refusal of a state.
    Own,
    /// The own request with an `idempotency-key` that was used for it before.
    Replay,
}

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    refusals(subject, probes);
    let own =
        subject.costs("cost.answer", "A6", Outcome::Own).says("{operation} costs one credit.");
    probes.push(own.fault(
        "{operation} costs two credits and does not say so.",
        subject.charges(|response| response.is_success() || response.rejects_state()),
    ));
    if subject.has_id() {
        let case = subject.costs("cost.not-found", "A7", Outcome::NotFound);
        let case = case.says("A 404 of {operation} costs a credit.");
        probes.push(case.fault_by_hand("not-found-given-back"));
    }
    if subject.is_keyed() {
        let case = subject.costs("cost.replay", "X9", Outcome::Replay);
        probes.push(case.says("A replay of {operation} costs a credit like any request.").fault(
            "A replay of {operation} costs two credits and does not say so.",
            subject.charges(|response| response.headers.contains_key(REPLAYED)),
        ));
    }
}

/// Refusals before the credits are checked.
fn refusals(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let mut outcomes = vec![
        ("cost.version", 400, Outcome::Version, "A 400 of {operation} costs no credit."),
        ("cost.parameter", 422, Outcome::Parameter, "A 422 of {operation}'s form costs no credit."),
    ];
    outcomes.extend(other_role(subject).map(|other| {
        ("cost.scope", 403, Outcome::Scope(other), "A 403 of {operation} costs no credit.")
    }));
    outcomes.extend(
        subject.operation.body.as_ref().map(|_| {
            ("cost.body", 400, Outcome::Body, "A broken body of {operation} costs nothing.")
        }),
    );
    for (name, status, outcome, sentence) in outcomes {
        let case = subject.costs(name, "A7", outcome).says(sentence);
        probes.push(case.fault(
            &format!("A {status} of {{operation}} costs a credit and does not say so."),
            subject.charges(move |response| response.has_status(status)),
        ));
    }
}

impl Subject {
    fn costs(&'static self, name: &str, clause: &'static str, outcome: Outcome) -> Case {
        let case = self.case(name, clause, async move |subject, context| {
            costs(subject, context, outcome).await
        });
        let (keys, fixtures): (&[Role], &[Fixture]) = match outcome {
            Outcome::Scope(other) => (vec![Role::All, other].leak(), &[]),
            Outcome::Own | Outcome::Replay => (vec![self.own_role()].leak(), self.own_fixtures()),
            _ => (&[Role::All], &[]),
        };
        let is_own = matches!(outcome, Outcome::Own | Outcome::Replay);
        let makes = is_own && self.recipe.effect != Effect::Nothing;
        let changes = if makes { self.recipe.effect.changes() } else { Changes::Allowance };
        let case = case.keys(keys).fixtures(fixtures).changes(changes).requests(20);
        Case { exclusive: true, ..case }
    }
}

fn request(
    subject: &Subject,
    context: &CaseContext<'_>,
    outcome: Outcome,
) -> CaseResult<(Request, Stage)> {
    // With the key whose organisation is measured: a refused form has no effect.
    let (request, _) = subject.varied(context)?;
    let request = match outcome {
        Outcome::Scope(other) => return Ok((request.with(&context.key(other)?), Stage::Scope)),
        Outcome::Version => with_unknown_version(request),
        Outcome::Parameter => with_unknown_parameter(request),
        Outcome::Body => {
            Request { headers: HeaderMap::new(), ..request }.body("application/json", "{")
        }
        Outcome::NotFound => {
            return Ok((subject.unknown(context).with(&context.all()?), Stage::Resource));
        }
        Outcome::Own => return Ok((subject.own(context).with(&context.all()?), Stage::Done)),
        Outcome::Replay => return Ok((idempotency::keyed(subject, context)?, Stage::Done)),
    };
    Ok((request.with(&context.all()?), Stage::Form))
}

/// Requires that what remains of minute and month fits the requests between two readings.
async fn costs(subject: &Subject, context: &mut CaseContext<'_>, outcome: Outcome) -> CaseResult {
    let reading = Request::get(LIST).with(&context.all()?);
    let (request, expected) = request(subject, context, outcome)?;
    let is_repeated = subject.recipe.effect == Effect::Repeatable;
    if matches!(outcome, Outcome::Own) && is_repeated || matches!(outcome, Outcome::Replay) {
        // The measured ones repeat it.
        context.send(request.clone()).await?;
    }
    let is_free = expected < Stage::Resource;
    let mut messages = Vec::new();
    for (repeats, pause) in TRIES {
        let before = Left::of(&context.given(reading.clone()).await?)?;
        for _ in 0..repeats {
            let response = context.send(request.clone()).await?;
            let reached = Stage::reached(&response);
            let is_expected = reached == Some(expected)
                || (expected == Stage::Done && reached == Some(Stage::State));
            response.that(
                is_expected,
                "The request ended at another check.",
                &format!("{expected:?}"),
                &response.status_and_body(),
            )?;
            if !is_free {
                shows_what_is_left(&response, &before)?;
            }
        }
        tokio::time::sleep(pause).await;
        let after = Left::of(&context.given(reading.clone()).await?)?;
        let spent = before.less(&after);
        // Other clients spend at most one credit with each request, and so does the reading.
        let fits = if is_free {
            spent.requests >= spent.credits + repeats && spent.credits != 1 + repeats
        } else {
            spent.credits > repeats && spent.credits <= spent.requests
        };
        if fits {
            return Ok(());
        }
        messages.push(format!("{repeats} of them and one reading: {}", spent.message()));
    }
    let claim = if is_free { "no credit" } else { "one credit" };
    Err(CaseOutcome::failed(
        "What remains of minute and month does not fit the requests.",
        format!("each of these requests counts in the minute and costs {claim}"),
        messages.join("\n"),
        None,
    ))
}

/// Requires that a metered response shows the credits after it.
fn shows_what_is_left(response: &Response, before: &Left) -> CaseResult {
    let left = Left::of(response).map(|left| left.credits).ok();
    // A month that ends meanwhile begins with more.
    let is_shown = left.is_some_and(|left| left < before.credits || left > before.credits + 1_000);
    response.that(
        is_shown,
        "A metered response does not show the credits that remain after it.",
        &format!("fewer than {}", before.credits),
        &left.map_or_else(|| "no such header".to_owned(), |left| left.to_string()),
    )
}
