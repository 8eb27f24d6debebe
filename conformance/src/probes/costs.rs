//! An organisation without credits or requests left (§7, A6), and what each outcome of an operation
//! costs (A4, A6, A7): the headers of two readings of one organisation, compared with the requests
//! between them. Concurrent traffic may mask a bug but
//! cannot cause a false failure; what the end of a minute disturbs is measured again.

use std::time::Duration;

use super::{
    idempotency::{self, REPLAYED},
    prelude::*,
};
use crate::cases::costs::Left;

/// Requests that are sent at most to use up a minute.
const MAX_REQUESTS: u32 = 40;
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
    Scope(Role),
    Version,
    Body,
    Parameter,
    NotFound,
    /// The own request: a success, or the refusal of a state.
    Own,
    /// The own request with an `idempotency-key` that was used for it before.
    Replay,
}

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    used_up(subject, probes);
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

fn used_up(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let exhausted = subject
        .case("credits.exhausted", "§7.402", exhausted)
        .says("{operation} without credits is 402, with retry-after and 0 remaining.")
        .keys([Role::Exhausted])
        .changes(Changes::Allowance);
    let minute = subject
        .case("minute.exhausted", "§8.minute", minute_ends)
        .says("{operation} beyond the minute's allowance is 429.")
        .keys([Role::Tight])
        .changes(Changes::Allowance)
        .requests(MAX_REQUESTS);
    probes.extend([
        exhausted
            .fault("{operation} without credits is 403.", subject.answers(402, INSUFFICIENT_SCOPE)),
        minute.fault(
            "{operation} beyond the minute's allowance is 403.",
            subject.answers(429, INSUFFICIENT_SCOPE),
        ),
    ]);
}

async fn exhausted(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    // The id is another organisation's: where no order of checks is decided, it may come first.
    CaseOutcome::missing_if(
        subject.has_id() && !context.judges("A.order"),
        "an id of the organisation without credits",
    )?;
    let request = subject.own(context).with(&context.key(Role::Exhausted)?);
    let response = context.expect(request, API_CREDITS_EXHAUSTED).await?;
    context.snapshot(&response);
    let remaining = response.header(CREDITS_REMAINING).unwrap_or("none");
    response.that(
        remaining == "0" && response.header(CREDIT_LIMIT).is_some(),
        "A 402 does not show the allowance, and that nothing remains of it.",
        &format!("{CREDIT_LIMIT}, and {CREDITS_REMAINING}: 0"),
        remaining,
    )?;
    if !context.with_decisions() {
        return Ok(());
    }
    let seconds = response.at("/error/details/retryAfterSeconds").as_u64();
    response.that(
        seconds == response.number(RETRY_AFTER) && seconds.is_some(),
        "details.retryAfterSeconds and retry-after differ.",
        response.header(RETRY_AFTER).unwrap_or("a number"),
        &format!("{seconds:?}"),
    )
}

/// The requests have a form error: before the minute is used up they do nothing.
async fn minute_ends(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    CaseOutcome::missing_if(!context.judges("A.order"), "a request that may be repeated")?;
    let request = with_unknown_parameter(subject.own(context).with(&context.key(Role::Tight)?));
    for _ in 0..MAX_REQUESTS {
        let response = context.send_at_once(request.clone()).await?;
        if response.status == 429 {
            context.snapshot(&response);
            return context.is_error(&response, RATE_LIMITED);
        }
        context.is_error(&response, VALIDATION_FAILED)?;
    }
    let what = format!("an organisation with fewer than {MAX_REQUESTS} requests a minute");
    Err(CaseOutcome::missing(what))
}

fn refusals(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let body = subject.operation.body.as_ref().map(|_| Outcome::Body);
    let outcomes = [
        ("version", 400, Some(Outcome::Version), "A 400 of {operation} costs no credit."),
        (
            "parameter",
            422,
            Some(Outcome::Parameter),
            "A 422 of {operation}'s form costs no credit.",
        ),
        (
            "scope",
            403,
            other_role(subject).map(Outcome::Scope),
            "A 403 of {operation} costs no credit.",
        ),
        ("body", 400, body, "A broken body of {operation} costs nothing."),
    ];
    for (name, status, outcome, sentence) in outcomes {
        let Some(outcome) = outcome else { continue };
        let case = subject.costs(&format!("cost.{name}"), "A7", outcome).says(sentence);
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
        let other = match outcome {
            Outcome::Scope(other) => Some(other),
            _ => None,
        };
        let is_own = matches!(outcome, Outcome::Own | Outcome::Replay);
        let makes = is_own && self.recipe.effect != Effect::Nothing;
        let changes = if makes { self.recipe.effect.changes() } else { Changes::Allowance };
        let key = if is_own { self.own_role() } else { Role::All };
        let case = case.keys([key].into_iter().chain(other)).changes(changes).requests(20);
        Case { exclusive: true, ..case.fixtures(self.own_fixture().filter(|_| is_own)) }
    }
}

/// The request of an outcome, and the check that ends it.
fn request(
    subject: &Subject,
    context: &CaseContext<'_>,
    outcome: Outcome,
) -> CaseResult<(Request, Check)> {
    // With the key whose organisation is measured: a refused form has no effect.
    let (key, (form, _)) = (context.all()?, subject.varied(context)?);
    Ok(match outcome {
        Outcome::Scope(other) => (form.with(&context.key(other)?), Check::Scope),
        Outcome::Version => (with_unknown_version(form).with(&key), Check::Syntax),
        Outcome::Parameter => (with_unknown_parameter(form).with(&key), Check::Rule),
        Outcome::Body => (bare(&(form, key)).body(JSON, "{"), Check::Syntax),
        Outcome::NotFound => (subject.unknown(context).with(&key), Check::Resource),
        Outcome::Own => (subject.own(context).with(&key), Check::Done),
        Outcome::Replay => (idempotency::keyed(subject, context)?, Check::Done),
    })
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
    let is_free = expected < Check::Resource;
    let mut messages = Vec::new();
    for (repeats, pause) in TRIES {
        let before = Left::of(&context.given(reading.clone()).await?)?;
        for _ in 0..repeats {
            let response = context.send(request.clone()).await?;
            let reached = Check::reached(&response);
            let is_expected = reached == Some(expected)
                || (expected == Check::Done && reached == Some(Check::State));
            response.must(
                is_expected,
                "The request ended at another check.",
                &format!("{expected:?}"),
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
