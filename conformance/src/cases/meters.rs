//! Minutes and credits (§7, §8, A4–A9): what is counted, what it costs, and what happens at the end of either.

use chrono::{DateTime, Timelike as _, Utc};
use hyper::Method;

use super::{keys::every_call, money::lease::calm};
use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    exchange::{Answer, Call},
    secret::Secret,
    target::{Fixture, Role},
};

const LIST: &str = "/api/v1/partners?limit=1";
const WRONG_FORM: &str = "/api/v1/partners?limit=0";
const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDIT_LIMIT: &str = "x-service-credits-limit-month";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
/// Requests that are made to meet a minute's end of an organisation that is there for that.
const MOST_REQUESTS: usize = 40;

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "meters.exhausted",
        "Without credits left every operation is answered 402, with retry-after and 0 remaining.",
        "§7.402",
        calm!(exhausted),
    )
    .keys(&[Role::Exhausted])
    .changes(Changes::Allowance)
    .requests(8),
    Case::new(
        "meters.exhausted-form-first",
        "A request whose form is wrong is told so before its credits are looked at.",
        "A.order",
        calm!(exhausted_form_first),
    )
    .keys(&[Role::All, Role::Exhausted])
    .requests(12),
    Case::new(
        "meters.exhausted-before-resource",
        "Without credits an id of nobody is answered 402, and not 404.",
        "A.order",
        calm!(exhausted_before_resource),
    )
    .keys(&[Role::Exhausted]),
    Case::new(
        "meters.unlimited",
        "An organisation without an allowance has no credit headers.",
        "§8.credit-headers",
        runs!(unlimited),
    )
    .keys(&[Role::Unlimited]),
    Case::new(
        "meters.metered",
        "A metered answer tells the allowance and what remains of it.",
        "A9",
        runs!(metered),
    )
    .fixtures(&[Fixture::Payout]),
    Case::new(
        "meters.each-costs-one",
        "Each metered request lowers what remains, by one where nobody else asks.",
        "A6",
        runs!(each_costs_one),
    )
    .counts()
    .requests(40),
    Case::new(
        "meters.not-found-costs",
        "A 404 of a resource costs its credit, and says so.",
        "A7",
        runs!(not_found_costs),
    ),
    Case::new(
        "meters.minute-ends",
        "Who exceeds the minute's allowance is answered 429, with nothing left and no credit taken.",
        "§8.minute",
        runs!(minute_ends),
    )
    .keys(&[Role::Tight])
    .changes(Changes::Allowance)
    .requests(80),
    Case::new(
        "meters.minute-counts-down",
        "Each request lowers what remains of the minute.",
        "§8.rate-headers",
        runs!(minute_counts_down),
    )
    .counts()
    .requests(60),
    Case::new(
        "meters.rate-headers-everywhere",
        "The rate headers stand on every status of every operation.",
        "§8.rate-headers",
        runs!(rate_headers_everywhere),
    )
    .requests(16),
    Case::new(
        "meters.address-counts-down",
        "Without a valid key, each request lowers what remains for its address.",
        "A5",
        runs!(address_counts_down),
    )
    .counts()
    .requests(24),
];

async fn exhausted(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Exhausted)?;
    for (_, call) in every_call() {
        let answer = scene.send(call.with(&key)).await?;
        scene.is_error(&answer, 402, "API_CREDITS_EXHAUSTED")?;
        let remaining = answer.header(CREDITS_REMAINING).unwrap_or("none");
        answer.that(
            remaining == "0" && answer.header(CREDIT_LIMIT).is_some(),
            "A 402 does not tell the allowance, and that nothing remains of it.",
            &format!("{CREDIT_LIMIT}, and {CREDITS_REMAINING}: 0"),
            remaining,
        )?;
        if scene.with_decisions() {
            let told = answer.at("/error/details/retryAfterSeconds").as_u64();
            answer.that(
                told == answer.number("retry-after") && told.is_some(),
                "details.retryAfterSeconds and retry-after differ.",
                answer.header("retry-after").unwrap_or("a number"),
                &format!("{told:?}"),
            )?;
        }
    }
    Ok(())
}

async fn exhausted_form_first(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Exhausted)?;
    let answer = scene
        .refused(
            Call::get(WRONG_FORM).with(&key),
            Call::get(LIST).with(&scene.all()?),
        )
        .await?;
    scene.is_error(&answer, 422, "VALIDATION_FAILED")?;
    let patch = |media_type: &str, body: &str| {
        let call = Call::new(Method::PATCH, "/api/v1/partners/nobody-has-this-id");
        call.body(media_type, body.to_owned()).with(&key)
    };
    let json = "application/json";
    for (call, status, code) in [
        (patch("text/plain", "{}"), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (patch(json, "{"), 400, "INVALID_JSON"),
        (patch(json, r#"{"name":""}"#), 422, "VALIDATION_FAILED"),
    ] {
        let answer = scene.send(call).await?;
        scene.is_error(&answer, status, code)?;
    }
    Ok(())
}

async fn exhausted_before_resource(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Exhausted)?;
    let answer = scene
        .send(Call::get("/api/v1/payouts/nobody-has-this-id").with(&key))
        .await?;
    scene.is_error(&answer, 402, "API_CREDITS_EXHAUSTED")
}

async fn unlimited(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Unlimited)?;
    let answer = scene.send(Call::get(LIST).with(&key)).await?;
    answer.is(200)?;
    for name in [CREDIT_LIMIT, CREDITS_REMAINING] {
        let told = answer.header(name);
        answer.that(
            told.is_none(),
            "The allowance is unlimited, and there is a credit header.",
            &format!("no {name}"),
            told.unwrap_or_default(),
        )?;
    }
    scene.snapshot(&answer);
    Ok(())
}

async fn metered(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    let payout = scene.fixture(Fixture::Payout)?;
    let calls = [
        Call::get(LIST),
        Call::get("/api/v1/commission-lines?limit=1"),
        Call::get(format!("/api/v1/payouts/{payout}")),
    ];
    for call in calls {
        let answer = scene.send(call.with(&key)).await?;
        answer.is(200)?;
        has_credits(&answer)?;
    }
    Ok(())
}

fn has_credits(answer: &Answer) -> Result<(), Stop> {
    for name in [CREDIT_LIMIT, CREDITS_REMAINING] {
        answer.that(
            answer.number(name).is_some(),
            "A metered answer has no credit header.",
            &format!("{name}, a number"),
            answer.header(name).unwrap_or("none"),
        )?;
    }
    Ok(())
}

fn remaining(answer: &Answer, name: &str) -> Result<u64, Stop> {
    let number = answer.number(name);
    number.ok_or_else(|| {
        Stop::failed(
            format!("The header {name} is missing."),
            "a number",
            "none",
            Some(answer.exchange),
        )
    })
}

/// Others may ask meanwhile, so that more than one is gone; but in one of some tries nobody does.
const TRIES: usize = 12;

async fn each_costs_one(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    let mut least = u64::MAX;
    let mut before = scene.send(Call::get(LIST).with(&key)).await?;
    for _ in 0..TRIES {
        let after = scene.send(Call::get(LIST).with(&key)).await?;
        after.is(200)?;
        let (left, now) = (
            remaining(&before, CREDITS_REMAINING)?,
            remaining(&after, CREDITS_REMAINING)?,
        );
        after.that(
            now < left || is_new_month(&before, &after),
            "What remains did not fall.",
            &format!("less than {left}"),
            &now.to_string(),
        )?;
        least = least.min(left.saturating_sub(now));
        before = after;
    }
    // Beside other clients several credits go at once; never none.
    before.that(
        least >= 1,
        "A request cost no credit.",
        "at least 1",
        &least.to_string(),
    )?;
    Ok(())
}

fn is_new_month(before: &Answer, after: &Answer) -> bool {
    before.number(CREDITS_REMAINING) < after.number(CREDITS_REMAINING)
        && Utc::now().format("%d %H:%M").to_string() == "01 00:00"
}

async fn not_found_costs(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    let answer = scene
        .send(Call::get("/api/v1/payouts/nobody-has-this-id").with(&key))
        .await?;
    answer.is(404)?;
    has_credits(&answer)
}

/// Whether a minute (A4: of UTC) ends so many seconds after this answer, by its own date where it has one.
fn is_rest_of_minute(answer: &Answer, seconds: u64) -> bool {
    /// The date tells whole seconds, the rest of a minute is rounded up, and an answer takes time.
    const ROUNDED_SECONDS: u64 = 2;
    let date = answer.header("date");
    let date = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let is_near = |date: DateTime<_>| {
        let ends = u64::from(date.second()) + seconds;
        ends.abs_diff(60) <= ROUNDED_SECONDS || ends <= ROUNDED_SECONDS
    };
    (1..=60).contains(&seconds) && date.is_none_or(is_near)
}

async fn minute_ends(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Tight)?;
    let first = scene.send_at_once(Call::get(LIST).with(&key)).await?;
    let limit = remaining(&first, RATE_LIMIT)?;
    if usize::try_from(limit).unwrap_or(usize::MAX) > MOST_REQUESTS / 2 {
        return Err(Stop::missing(format!(
            "an organisation with at most {} requests a minute for the role tight",
            MOST_REQUESTS / 2
        )));
    }
    let mut credits = first.number(CREDITS_REMAINING);
    for _ in 0..MOST_REQUESTS {
        let answer = scene.send_at_once(Call::get(LIST).with(&key)).await?;
        if answer.status == 429 {
            scene.is_error(&answer, 429, "RATE_LIMITED")?;
            let told = answer.at("/error/details/retryAfterSeconds").as_u64();
            answer.that(
                !scene.with_decisions()
                    || told.is_some_and(|seconds| is_rest_of_minute(&answer, seconds)),
                "A 429 does not say how long the minute lasts.",
                "details.retryAfterSeconds, from 1 to 60: until the next minute of UTC",
                &format!("{told:?} at {}", answer.header("date").unwrap_or("no date")),
            )?;
            return if scene.with_decisions() {
                minute_before_form(scene, &key).await
            } else {
                Ok(())
            };
        }
        answer.is(200)?;
        let now = answer.number(CREDITS_REMAINING);
        answer.that(
            credits.is_none() || now < credits,
            "A request in the minute cost no credit.",
            &format!("less than {credits:?}"),
            &format!("{now:?}"),
        )?;
        credits = now;
    }
    Err(Stop::failed(
        "The per-minute allowance is not enforced.",
        format!("a 429 after {limit} requests in a minute"),
        format!("{MOST_REQUESTS} requests were answered 200"),
        None,
    ))
}

/// In a minute that is used up, a request whose form is wrong is told of the minute.
async fn minute_before_form(scene: &mut Scene<'_>, key: &Secret) -> Result<(), Stop> {
    let broken = scene.send_at_once(Call::get(WRONG_FORM).with(key)).await?;
    // The minute may have ended before it came; then the next request passes.
    let next = scene.send_at_once(Call::get(LIST).with(key)).await?;
    broken.that(
        broken.status == 429 || next.status != 429,
        "A request whose form is wrong is told so in a minute that is used up.",
        "429, as the request after it",
        &broken.status_line(),
    )?;
    Ok(())
}

async fn minute_counts_down(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = Call::get(LIST);
    counts_down(scene, call.clone().with(&scene.all()?), 200).await?;
    // For the key that is refused, too.
    match scene.key(Role::AffiliateWrite) {
        Ok(key) if scene.with_decisions() => counts_down(scene, call.with(&key), 403).await,
        _ => Ok(()),
    }
}

async fn address_counts_down(scene: &mut Scene<'_>) -> Result<(), Stop> {
    counts_down(scene, Call::get(LIST), 401).await
}

/// Two requests in one minute: the second tells less. The deployment's minute may end between them, and its clock may not be
/// ours; but not every time.
async fn counts_down(scene: &mut Scene<'_>, call: Call, status: u16) -> Result<(), Stop> {
    let mut told = Vec::new();
    for _ in 0..TRIES {
        let before = scene.send(call.clone()).await?;
        let after = scene.send(call.clone()).await?;
        before.is(status)?;
        after.is(status)?;
        let limits = [&before, &after].map(|answer| answer.header(RATE_LIMIT));
        after.that(
            limits[0] == limits[1],
            "The minute's allowance is another from one request to the next.",
            limits[0].unwrap_or("none"),
            limits[1].unwrap_or("none"),
        )?;
        let (left, now) = (
            remaining(&before, RATE_REMAINING)?,
            remaining(&after, RATE_REMAINING)?,
        );
        if now < left {
            return Ok(());
        }
        told.push(format!("{left}, then {now}"));
    }
    Err(Stop::failed(
        "What remains of the minute does not fall from one request to the next.",
        "less after each request",
        told.join("\n"),
        None,
    ))
}

async fn rate_headers_everywhere(scene: &mut Scene<'_>) -> Result<(), Stop> {
    // The laws look at every answer: here each operation is made to answer 401, 404 or 200, and 422.
    let key = scene.all()?;
    for (_, call) in every_call() {
        let answer = scene.send(call.with(&key)).await?;
        for name in [RATE_LIMIT, RATE_REMAINING] {
            answer.that(
                answer.number(name).is_some(),
                "A rate header is missing.",
                name,
                "none",
            )?;
        }
    }
    Ok(())
}
