//! Payouts (§2.3, §4.6): their fields, their partners and lines, and the data set's exact values.

mod hooked;
mod seeded;

use std::collections::BTreeSet;

use crate::cases::prelude::*;

/// Payouts that are checked, of those that lines refer to.
const CHECKED: usize = 15;
/// Pages of attached lines that are searched for them.
const PAGES: usize = 20;

async fn reachable(context: &mut CaseContext<'_>) -> CaseResult<Vec<String>> {
    let list = LINES.filtered(&context.all()?, &[("status", "IN_PAYOUT")]);
    let lines = first_pages(context, &list, &[LARGEST; PAGES]).await?;
    let ids = lines.items.iter().filter_map(|line| line["payoutId"].as_str().map(str::to_owned));
    let ids: BTreeSet<String> = ids.collect();
    CaseOutcome::missing_if(ids.is_empty(), "a line that is in a payout")?;
    Ok(ids.into_iter().take(CHECKED).collect())
}

/// Every payout that lines refer to can be read and has all its fields.
#[case("§2.3", on = getPayout, requests = 40)]
async fn shape(context: &mut CaseContext<'_>) -> CaseResult {
    for id in reachable(context).await? {
        let response = context.ok(payout(context, &id)?).await?;
        response.has("/data/id", id)?;
        for name in ["partner/id", "partner/name", "batchId", "stage"] {
            let pointer = format!("/data/{name}");
            response.that(
                !response.text(&pointer).is_empty() || !context.with_decisions(),
                &format!("The payout has no text at {pointer}."),
                "a string that is not empty",
                &response.at(&pointer).to_string(),
            )?;
        }
        for (first, second) in [("periodStart", "periodEnd"), ("createdAt", "updatedAt")] {
            let at = |name| instant(&response, &format!("/data/{name}"));
            response.must(
                at(first)? <= at(second)?,
                &format!("{first} is after {second}."),
                &format!("{first} first"),
            )?;
        }
    }
    Ok(())
}

/// A payout's partner can be read, and has the same name there.
#[case("§2.3.partner", on = getPayout, requests = 80)]
async fn partner(context: &mut CaseContext<'_>) -> CaseResult {
    for id in reachable(context).await? {
        let of_payout = context.ok(payout(context, &id)?).await?;
        let partner = Request::get(partner_path(of_payout.text("/data/partner/id")));
        let read = context.ok(partner.with(&context.all()?)).await?;
        read.has("/data/id", of_payout.text("/data/partner/id"))?;
        // Elsewhere a payout may show the name that its partner had when it was made.
        if context.with_decisions() {
            of_payout.has("/data/partner/name", read.text("/data/name"))?;
        }
    }
    Ok(())
}

/// A payout's amount is the exact sum of its lines, in their currency.
#[case("V4", on = getPayout, requests = 120)]
async fn amount(context: &mut CaseContext<'_>) -> CaseResult {
    let mut is_proved = false;
    // Many lines first, and none.
    let named = [Fixture::PayoutOfManyLines, Fixture::PayoutWithoutLines];
    let named = named.into_iter().filter_map(|name| context.fixture(name).ok());
    let named: Vec<String> = named.collect();
    for id in named.into_iter().chain(reachable(context).await?) {
        // The first payout is read whatever it costs, the others within the case's own requests.
        if is_proved && context.requests_left() == 0 {
            break;
        }
        Account::of(context, &id).await?.adds_up()?;
        is_proved = true;
    }
    Ok(())
}

/// Concurrent requests each get their own payout, and their own x-request-id (R13).
#[case("§4.6", on = getPayout, fixtures(Payout, PayoutOfManyLines))]
async fn read_at_once(context: &mut CaseContext<'_>) -> CaseResult {
    let one = context.fixture(Fixture::Payout)?;
    let other = context.fixture(Fixture::PayoutOfManyLines)?;
    let ids = [&one, &other, &one, &other];
    let request_id = |at: usize| format!("conformance-concurrent-{at}");
    let mut requests = Vec::new();
    for (at, id) in ids.into_iter().enumerate() {
        requests.push(payout(context, id)?.header("x-request-id", &request_id(at)));
    }
    let requests: [Request; 4] = requests.try_into().expect("there are four ids");
    let responses = each_concurrently(context, requests).await?;
    for (at, (response, id)) in responses.iter().zip(ids).enumerate() {
        response.is(200)?.has("/data/id", id.as_str())?;
        let echoed = response.header("x-request-id").unwrap_or("none");
        if context.judges("R13") {
            let what = "A response has the x-request-id of another request.";
            response.same(what, request_id(at).as_str(), echoed)?;
        }
    }
    Ok(())
}

fn has_metadata(response: &Response, expected: &Value) -> CaseResult {
    // Setting and clearing a note may leave an empty object in place of null.
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
    response.that(
        members(response.at("/data/metadata")) == members(expected),
        "The payout has other metadata.",
        &expected.to_string(),
        &response.at("/data/metadata").to_string(),
    )
}
