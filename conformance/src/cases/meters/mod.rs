//! Minutes and credits (§7, §8, A4–A9): what is counted, and what is told of it. [`ends`] is about the end of either.

mod ends;

use chrono::Utc;

use super::{keys::every_call, money::lease::calm};
use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    exchange::{Answer, Call},
    target::{Fixture, Role},
};
use ends::{exhausted, exhausted_before_resource, exhausted_form_first, minute_ends};

const LIST: &str = "/api/v1/partners?limit=1";
const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDIT_LIMIT: &str = "x-service-credits-limit-month";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
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
    .requests(52),
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
    if scene.with_decisions() {
        none_twice(scene).await?;
    }
    Ok(())
}

/// Of requests at once, too, each tells another number: there is an order in which they were counted (A8).
async fn none_twice(scene: &mut Scene<'_>) -> Result<(), Stop> {
    const AT_ONCE: usize = 12;
    let call = Call::get(LIST).with(&scene.all()?);
    let answers = scene.send_all(vec![call; AT_ONCE]).await?;
    let told = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .map(|answer| remaining(answer, CREDITS_REMAINING));
    let mut told = told.collect::<Result<Vec<u64>, Stop>>()?;
    told.sort_unstable();
    if told.windows(2).all(|pair| pair[0] != pair[1]) {
        return Ok(());
    }
    Err(Stop::failed(
        format!("Of {AT_ONCE} requests at once several tell that the same is left."),
        "another number in each answer",
        format!("{told:?}"),
        None,
    ))
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

async fn minute_counts_down(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = Call::get(LIST);
    let ours = call.clone().with(&scene.all()?);
    counts_down(scene, [ours.clone(), ours], 200).await?;
    // For the key that is refused, too.
    match scene.key(Role::AffiliateWrite) {
        Ok(key) if scene.with_decisions() => {
            counts_down(scene, [call.clone().with(&key), call.with(&key)], 403).await
        }
        _ => Ok(()),
    }
}

async fn address_counts_down(scene: &mut Scene<'_>) -> Result<(), Stop> {
    counts_down(scene, [Call::get(LIST), Call::get(LIST)], 401).await?;
    // A path that nobody has is nobody's key's either.
    let unknown = Call::get("/api/v1/unknown");
    let with_key = unknown.clone().with(&scene.all()?);
    counts_down(scene, [unknown, with_key], 404).await
}

/// Two requests in one minute: the second tells less. The deployment's minute may end between them, and its clock may not be
/// ours; but not every time.
async fn counts_down(
    scene: &mut Scene<'_>,
    [first, second]: [Call; 2],
    status: u16,
) -> Result<(), Stop> {
    let mut told = Vec::new();
    for _ in 0..TRIES {
        let before = scene.send(first.clone()).await?;
        let after = scene.send(second.clone()).await?;
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
