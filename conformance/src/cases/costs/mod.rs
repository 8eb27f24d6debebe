//! What each request costs (A4, A6, A7, A8), read from two responses of one organisation and what was asked between them.
//!
//! It refuses to need an organisation for itself: others' requests only widen what is looked for, so they can hide a fault and
//! never make one up; what a minute's end disturbs is looked at again; and other cases of the run are waited for. [`used_up`] is about
//! the end of what is allowed.

mod used_up;

use hyper::Method;
use serde_json::json;
use used_up::{last_credits, refused_minute};

use super::{
    borrowed::{Borrowed, borrows},
    money::{
        document::statement,
        lease::{HOOKS, Lease, calm, hold, leased},
    },
};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::{Request, Response},
    target::{Fixture, Hook, Role},
};

const LIST: &str = "/api/v1/partners?limit=1";
const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
/// A correct deployment needs a second one where a minute or a month ended in the first.
const TRIES: usize = 3;
/// How often each request is made between two readings.
const REPEATS: u64 = 3;

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "costs.refusals-are-free",
        "A 403 and errors of the form, of whatever kind, cost no credit.",
        "A7",
        runs!(refusals_are_free),
    )
    .keys(&[Role::All, Role::AffiliateWrite])
    .changes(Changes::Allowance)
    .counts()
    .requests(72),
    Case::new(
        "costs.refusals-count",
        "A 403 and errors of the form, of whatever kind, count in the minute as any request with a valid key does.",
        "A4",
        runs!(refusals_count),
    )
    .keys(&[Role::All, Role::AffiliateWrite])
    .changes(Changes::Allowance)
    .counts()
    .requests(72),
    Case::new(
        "costs.exhausted-count",
        "A 402 counts in the minute.",
        "A4",
        calm!(exhausted_count),
    )
    .keys(&[Role::Exhausted])
    .changes(Changes::Allowance)
    .counts()
    .requests(6),
    Case::new(
        "costs.success",
        "Lists and reads cost one credit each, and so do a PATCH that changes nothing and a repeated statement.",
        "A6",
        borrows!(success),
    )
    .fixtures(&[Fixture::Partner, Fixture::Payout])
    .changes(Changes::Restored)
    .counts()
    .requests(80),
    Case::new(
        "costs.new-statement",
        "A statement that has to be made costs one credit, as one that is there.",
        "A6",
        |context| Box::pin(hold(context, leased!(new_statement))),
    )
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&HOOKS)
    .changes(Changes::Restored)
    .counts()
    .requests(24),
    Case::new(
        "costs.not-found",
        "A 404 of a resource costs a credit.",
        "A7",
        runs!(not_found),
    )
    .changes(Changes::Allowance)
    .counts()
    .requests(24),
    Case::new(
        "costs.refused-state",
        "A 422 of a line's or a payout's state costs a credit, and says what is left.",
        "A7",
        runs!(refused_state),
    )
    .fixtures(&[Fixture::LineUnattached])
    .changes(Changes::Allowance)
    .counts()
    .requests(24),
    Case::new(
        "costs.refused-minute",
        "A 429 costs no credit: the next minute begins with the credits that the last one left.",
        "A7",
        runs!(refused_minute),
    )
    .keys(&[Role::Tight])
    .changes(Changes::Allowance)
    .waits_for_minute()
    .requests(130),
    Case::new(
        "costs.last-credits",
        "Of many requests at once no more are answered than credits are left.",
        "A8",
        |context| Box::pin(hold(context, leased!(last_credits))),
    )
    .keys(&[Role::All, Role::Exhausted])
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&[HOOKS[0], HOOKS[1], Hook::SetCredits])
    .changes(Changes::Restored)
    .requests(40),
];

/// What an response says is left.
struct Left {
    requests: u64,
    credits: u64,
}

/// What went between two readings, others' requests included.
struct Spent {
    requests: u64,
    credits: u64,
}

impl Spent {
    fn told(&self) -> String {
        format!(
            "{} fewer requests left in the minute, {} fewer credits",
            self.requests, self.credits
        )
    }
}

impl Left {
    fn of(response: &Response) -> Result<Self, CaseOutcome> {
        let (requests, credits) = (
            response.number(RATE_REMAINING),
            response.number(CREDITS_REMAINING),
        );
        let missing = || CaseOutcome::missing("an allowance of credits for the organisation");
        Ok(Self {
            requests: requests.ok_or_else(missing)?,
            credits: credits.ok_or_else(missing)?,
        })
    }

    fn less(&self, after: &Self) -> Spent {
        Spent {
            requests: self.requests.saturating_sub(after.requests),
            credits: self.credits.saturating_sub(after.credits),
        }
    }
}

/// Makes the requests some times between two readings, until what was spent satisfies; a few times at most.
async fn costs(
    context: &mut CaseContext<'_>,
    between: &[(Request, u16)],
    claim: &str,
    satisfies: fn(&Spent, u64) -> bool,
) -> Result<(), CaseOutcome> {
    let reading = Request::get(LIST).with(&context.all()?);
    let made = REPEATS * between.len() as u64;
    let mut told = Vec::new();
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
        told.push(format!(
            "{made} such requests and one that is metered: {}",
            spent.told()
        ));
    }
    Err(CaseOutcome::failed(
        "What is left of minute and month does not fit what was asked.",
        claim,
        told.join("\n"),
        None,
    ))
}

/// Requests that are refused before their work begins, one for each reason that takes no credit.
fn refusals(context: &CaseContext<'_>) -> Result<[(Request, u16); 7], CaseOutcome> {
    let key = context.all()?;
    let patch = || Request::new(Method::PATCH, "/api/v1/partners/nobody-has-this-id").with(&key);
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

async fn refusals_are_free(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let between = refusals(context)?;
    // Whoever else asks spends a request with each credit, so that the difference stays at least what was refused to us.
    costs(
        context,
        &between,
        "each refused request counts in the minute alone",
        |spent, made| spent.requests >= spent.credits + made,
    )
    .await
}

async fn refusals_count(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let between = refusals(context)?;
    costs(
        context,
        &between,
        "each request counts in the minute, the refused ones too",
        |spent, made| spent.requests > made,
    )
    .await
}

async fn exhausted_count(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(LIST).with(&context.key(Role::Exhausted)?);
    let mut told = Vec::new();
    for _ in 0..TRIES {
        let before = context.send(request.clone()).await?;
        let after = context.send(request.clone()).await?;
        before.is(402)?;
        after.is(402)?;
        let left = [&before, &after].map(|response| response.number(RATE_REMAINING));
        if left[1] < left[0] {
            return Ok(());
        }
        told.push(format!("{left:?}"));
    }
    Err(CaseOutcome::failed(
        "A 402 does not count in the minute.",
        "less after each request",
        told.join("\n"),
        None,
    ))
}

async fn success(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let payout = format!("/api/v1/payouts/{}", context.fixture(Fixture::Payout)?);
    let statement = Request::post(format!("{payout}/statement")).with(&key);
    // Those that are counted repeat it.
    context.send(statement.clone()).await?.is(200)?;
    let requests = [
        Request::get("/api/v1/partners?limit=100").with(&key),
        Request::get("/api/v1/commission-lines?limit=100").with(&key),
        Request::get(&payout).with(&key),
        statement,
        partner.get(),
        partner.patch(&json!({})),
    ]
    .map(|request| (request, 200));
    // Each by itself, so that none hides behind another. Who else asks spends at most a credit with each request.
    for request in requests {
        costs(
            context,
            &[request],
            "each of these requests costs one credit",
            |spent, made| spent.credits > made && spent.credits <= spent.requests,
        )
        .await?;
    }
    Ok(())
}

async fn new_statement(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let reading = Request::get(LIST).with(&context.all()?);
    let statement = statement(context, lease.payout())?;
    let mut told = Vec::new();
    for _ in 0..TRIES {
        // Of a PO number that is drawn anew there is no document yet.
        lease.mark(context).await?;
        let before = Left::of(&context.given(reading.clone()).await?)?;
        context.given(statement.clone()).await?;
        let after = Left::of(&context.given(reading.clone()).await?)?;
        let spent = before.less(&after);
        // Who else asks spends at most a credit with each request.
        if spent.credits > 1 && spent.credits <= spent.requests {
            return Ok(());
        }
        told.push(spent.told());
    }
    Err(CaseOutcome::failed(
        "A new statement takes another number of credits than one.",
        "one credit for it, and one for the request behind it",
        told.join("\n"),
        None,
    ))
}

async fn not_found(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let request = Request::get("/api/v1/payouts/nobody-has-this-id").with(&key);
    costs_each(context, &[(request, 404)]).await
}

async fn refused_state(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
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
    // And a statement that cannot be made, where there is such a payout.
    let Ok(empty) = context.fixture(Fixture::PayoutWithoutLines) else {
        return Ok(());
    };
    let request = statement(context, &empty)?;
    costs_each(context, &[(request, 422)]).await
}

async fn costs_each(
    context: &mut CaseContext<'_>,
    between: &[(Request, u16)],
) -> Result<(), CaseOutcome> {
    costs(
        context,
        between,
        "each of these requests costs a credit",
        |spent, made| spent.credits > made,
    )
    .await?;
    for (request, status) in between {
        tells_what_it_left(context, request, *status).await?;
    }
    Ok(())
}

/// What remains is told as it is after the request, its own credit taken.
async fn tells_what_it_left(
    context: &mut CaseContext<'_>,
    request: &Request,
    status: u16,
) -> Result<(), CaseOutcome> {
    let reading = Request::get(LIST).with(&context.all()?);
    let mut told = Vec::new();
    for _ in 0..TRIES {
        let before = Left::of(&context.given(reading.clone()).await?)?.credits;
        let response = context.send(request.clone()).await?;
        response.is(status)?;
        let after = Left::of(&response)?.credits;
        if after < before {
            return Ok(());
        }
        // A month may have ended in between; but not every time.
        told.push(format!("{before}, then {after}"));
    }
    Err(CaseOutcome::failed(
        format!("A {status} tells the credits that were left before it."),
        format!("fewer in {CREDITS_REMAINING} than the response before it told"),
        told.join("\n"),
        None,
    ))
}
