//! What each request costs (A4, A6, A7, A8): the headers of two responses of one organisation,
//! compared with the requests between them. Concurrent traffic may mask a bug but cannot cause a
//! false failure; what the end of a minute disturbs is measured again. [`used_up`] is about used-up
//! allowances.

mod used_up;

use super::money::document::statement;
use crate::cases::prelude::*;
use crate::isolation::HOOKS;
use used_up::{last_credits, refused_minute};

const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
/// A correct deployment needs a second try where a minute or a month ended in the first.
const TRIES: usize = 3;
/// How often each request is sent between two readings.
const REPEATS: u64 = 3;

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.changes(Changes::Allowance).requests(24);
    { "costs.refusals-are-free" "A7" run(refusals_are_free)
      "A 403 and form errors of every kind cost no credit."
      .keys(&[Role::All, Role::AffiliateWrite]).exclusive().requests(72) }
    { "costs.refusals-count" "A4" run(refusals_count)
      "A 403 and form errors of every kind count in the minute as any request with a valid key \
       does."
      .keys(&[Role::All, Role::AffiliateWrite]).exclusive().requests(72) }
    { "costs.exhausted-count" "A4" retry_locked(exhausted_count)
      "A 402 counts in the minute." .keys(&[Role::Exhausted]).exclusive().requests(6) }
    { "costs.success" "A6" lock_partner(success)
      "Lists and reads cost one credit each, and so do a PATCH that changes nothing and a \
       repeated statement."
      .fixtures(&[Fixture::Partner, Fixture::Payout]).changes(Changes::Restored).exclusive()
      .requests(80) }
    { "costs.new-statement" "A6" lock(new_statement)
      "A statement that has to be rendered costs one credit, as one that exists already."
      .fixtures(&[Fixture::PayoutNoted]).hooks(&HOOKS).changes(Changes::Restored).exclusive() }
    { "costs.not-found" "A7" run(not_found) "A 404 of a resource costs a credit." .exclusive() }
    { "costs.refused-state" "A7" run(refused_state)
      "A 422 of a line's or a payout's state costs a credit and shows what remains."
      .fixtures(&[Fixture::LineUnattached]).exclusive() }
    { "costs.refused-minute" "A7" run(refused_minute)
      "A 429 costs no credit: the next minute begins with the credits that the last one left."
      .keys(&[Role::Tight]).waits_for_minute().requests(130) }
    { "costs.last-credits" "A8" lock(last_credits)
      "Of many concurrent requests no more succeed than there are credits."
      .keys(&[Role::All, Role::Exhausted]).fixtures(&[Fixture::PayoutNoted])
      .hooks(&[HOOKS[0], HOOKS[1], Hook::SetCredits]).changes(Changes::Restored).requests(40) }
};

struct Left {
    requests: u64,
    credits: u64,
}

/// What was spent between two readings, by other clients too.
struct Spent {
    requests: u64,
    credits: u64,
}

impl Spent {
    fn message(&self) -> String {
        format!(
            "{} fewer requests left in the minute, {} fewer credits",
            self.requests, self.credits
        )
    }
}

impl Left {
    fn of(response: &Response) -> CaseResult<Self> {
        let (requests, credits) =
            (response.number(RATE_REMAINING), response.number(CREDITS_REMAINING));
        let missing = || CaseOutcome::missing("an allowance of credits for the organisation");
        Ok(Self { requests: requests.ok_or_else(missing)?, credits: credits.ok_or_else(missing)? })
    }

    fn less(&self, after: &Self) -> Spent {
        Spent {
            requests: self.requests.saturating_sub(after.requests),
            credits: self.credits.saturating_sub(after.credits),
        }
    }
}

/// Sends the requests some times between two readings, until what was spent satisfies the claim; a
/// few times at most.
async fn costs(
    context: &mut CaseContext<'_>,
    between: &[(Request, u16)],
    claim: &str,
    satisfies: fn(&Spent, u64) -> bool,
) -> CaseResult {
    let reading = Request::get(LIST).with(&context.all()?);
    let made = REPEATS * between.len() as u64;
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        let before = Left::of(&context.given(reading.clone()).await?)?;
        for _ in 0..REPEATS {
            for (request, status) in between {
                context.send(request.clone()).await?.is(*status)?;
            }
        }
        let after = Left::of(&context.given(reading.clone()).await?)?;
        let spent = before.less(&after);
        if satisfies(&spent, made) {
            return Ok(());
        }
        messages.push(format!("{made} such requests and one that is metered: {}", spent.message()));
    }
    Err(CaseOutcome::failed(
        "What remains of minute and month does not fit the requests.",
        claim,
        messages.join("\n"),
        None,
    ))
}

/// Requests that are rejected before their work begins, one for each reason that costs no credit.
fn rejected(context: &CaseContext<'_>) -> CaseResult<[(Request, u16); 7]> {
    let key = context.all()?;
    let patch = || Request::new(Method::PATCH, partner_path(UNKNOWN_ID)).with(&key);
    let wrong_scope = Request::get(LIST).with(&context.key(Role::AffiliateWrite)?);
    let wrong_form = Request::get("/api/v1/partners?limit=0").with(&key);
    let wrong_cursor = Request::get("/api/v1/partners?cursor=none").with(&key);
    let wrong_version = Request::get(LIST).with(&key);
    Ok([
        (wrong_scope, 403),
        (wrong_form, 422),
        (wrong_cursor, 400),
        (wrong_version.header("api-version", "1999-01-01"), 400),
        (patch().body("application/json", "{"), 400),
        (patch().body("text/plain", "{}"), 415),
        (patch().json(&json!({ "name": "" })), 422),
    ])
}

async fn refusals_are_free(context: &mut CaseContext<'_>) -> CaseResult {
    let between = rejected(context)?;
    // Other clients spend a request with each credit, so the difference is at least our rejected
    // requests.
    costs(context, &between, "each rejected request counts in the minute only", |spent, made| {
        spent.requests >= spent.credits + made
    })
    .await
}

async fn refusals_count(context: &mut CaseContext<'_>) -> CaseResult {
    let between = rejected(context)?;
    costs(
        context,
        &between,
        "each request counts in the minute, rejected ones too",
        |spent, made| spent.requests > made,
    )
    .await
}

async fn exhausted_count(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.key(Role::Exhausted)?);
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        let before = context.send(request.clone()).await?;
        let after = context.send(request.clone()).await?;
        before.is(402)?;
        after.is(402)?;
        let left = [&before, &after].map(|response| response.number(RATE_REMAINING));
        if left[1] < left[0] {
            return Ok(());
        }
        messages.push(format!("{left:?}"));
    }
    Err(CaseOutcome::failed(
        "A 402 does not count in the minute.",
        "less after each request",
        messages.join("\n"),
        None,
    ))
}

async fn success(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let key = context.all()?;
    let payout = format!("/api/v1/payouts/{}", context.fixture(Fixture::Payout)?);
    let statement = Request::post(format!("{payout}/statement")).with(&key);
    // The measured ones repeat it.
    context.ok(statement.clone()).await?;
    let requests = [
        Request::get("/api/v1/partners?limit=100").with(&key),
        Request::get("/api/v1/commission-lines?limit=100").with(&key),
        Request::get(&payout).with(&key),
        statement,
        partner.get(),
        partner.patch(&json!({})),
    ]
    .map(|request| (request, 200));
    // One by one, so that none hides another. Other clients spend at most one credit with each
    // request.
    for request in requests {
        costs(context, &[request], "each of these requests costs one credit", |spent, made| {
            spent.credits > made && spent.credits <= spent.requests
        })
        .await?;
    }
    Ok(())
}

async fn new_statement(context: &mut CaseContext<'_>, locked: &mut LockedPayout) -> CaseResult {
    let reading = Request::get(LIST).with(&context.all()?);
    let statement = statement(context, locked.id())?;
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        // A new PO number has no document yet.
        locked.mark(context).await?;
        let before = Left::of(&context.given(reading.clone()).await?)?;
        context.given(statement.clone()).await?;
        let after = Left::of(&context.given(reading.clone()).await?)?;
        let spent = before.less(&after);
        // Who else asks spends at most a credit with each request.
        if spent.credits > 1 && spent.credits <= spent.requests {
            return Ok(());
        }
        messages.push(spent.message());
    }
    Err(CaseOutcome::failed(
        "A new statement costs another number of credits than one.",
        "one credit for it, and one for the request behind it",
        messages.join("\n"),
        None,
    ))
}

async fn not_found(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let request = Request::get(format!("/api/v1/payouts/{UNKNOWN_ID}")).with(&key);
    costs_each(context, &[(request, 404)]).await
}

async fn refused_state(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::LineUnattached)?;
    let request =
        Request::post(format!("/api/v1/commission-lines/{line}/detach")).with(&context.all()?);
    let response = context.send(request.clone()).await?;
    response.is(422)?;
    Left::of(&response).map_err(|_| {
        CaseOutcome::failed(
            "A metered response has no credit header.",
            format!("{CREDITS_REMAINING}, a number"),
            "none",
            Some(response.exchange),
        )
    })?;
    costs_each(context, &[(request, 422)]).await?;
    // And a statement that cannot be made, where such a payout is known.
    let Ok(empty) = context.fixture(Fixture::PayoutWithoutLines) else {
        return Ok(());
    };
    let request = statement(context, &empty)?;
    costs_each(context, &[(request, 422)]).await
}

async fn costs_each(context: &mut CaseContext<'_>, between: &[(Request, u16)]) -> CaseResult {
    costs(context, between, "each of these requests costs a credit", |spent, made| {
        spent.credits > made
    })
    .await?;
    for (request, status) in between {
        shows_what_it_left(context, request, *status).await?;
    }
    Ok(())
}

/// That what remains is the value after the request, its own credit charged.
async fn shows_what_it_left(
    context: &mut CaseContext<'_>,
    request: &Request,
    status: u16,
) -> CaseResult {
    let reading = Request::get(LIST).with(&context.all()?);
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        let before = Left::of(&context.given(reading.clone()).await?)?.credits;
        let response = context.send(request.clone()).await?;
        response.is(status)?;
        let after = Left::of(&response)?.credits;
        if after < before {
            return Ok(());
        }
        // A month may have ended in between; but not every time.
        messages.push(format!("{before}, then {after}"));
    }
    Err(CaseOutcome::failed(
        format!("A {status} shows the credits that remained before it."),
        format!("fewer in {CREDITS_REMAINING} than in the response before it"),
        messages.join("\n"),
        None,
    ))
}
