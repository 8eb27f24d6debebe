//! Filters of lines (§4.4, R10): several together, compared with the list without filters. Derived
//! cases try each alone.

use crate::cases::prelude::*;

type Filters<'a> = &'a [(&'a str, &'a str)];

fn satisfies(item: &Value, filters: Filters<'_>) -> bool {
    filters.iter().all(|(name, value)| item[*name] == *value)
}

fn written(filters: Filters<'_>) -> String {
    let filters: Vec<String> = filters.iter().map(|(n, v)| format!("{n}={v}")).collect();
    filters.join("&")
}

/// Requires that the list with these filters is the part of the whole list that satisfies them.
async fn selects(context: &mut CaseContext<'_>, known: &Walk, filters: Filters<'_>) -> CaseResult {
    let request = LINES.filtered(&context.all()?, filters);
    let page = context.send(request.query("limit", "100")).await?;
    let is_last = next_cursor(&page)?.is_none();
    let others = page.items().iter();
    let other = others.filter(|item| !satisfies(item, filters)).map(Value::to_string).next();
    page.that(
        other.is_none(),
        &format!("{} lists a line that does not satisfy it.", written(filters)),
        &written(filters),
        &other.clone().unwrap_or_default(),
    )?;
    let expected = known.chosen(|item| satisfies(item, filters));
    let listed = ids(page.items());
    let is_whole = !known.is_whole || is_last == (expected.len() <= LARGEST);
    page.that(
        known.has_selection(context, &expected, &listed, is_last) && is_whole,
        &format!("{} does not list the lines of the whole list that satisfy it.", written(filters)),
        &format!("{} lines: {}", expected.len(), expected.join(" ")),
        &format!("{} lines: {}", listed.len(), listed.join(" ")),
    )
}

/// Several filters list the lines that satisfy all of them.
#[case("§4.4.partnerId", on = listCommissionLines, requests = 12)]
async fn several(context: &mut CaseContext<'_>) -> CaseResult {
    let known = known(context, LINES).await?;
    // A payout of a partner that also has lines outside of it.
    let mut payouts = known.items.iter().filter(|item| {
        let others = known.items.iter();
        let mut others = others.filter(|other| other["partnerId"] == item["partnerId"]);
        item["payoutId"].is_string() && others.any(|other| other["payoutId"] != item["payoutId"])
    });
    let missing = || CaseOutcome::missing("a partner with lines in a payout, and others");
    let line = payouts.next().ok_or_else(missing)?;
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    let (partner, payout) = (text("partnerId"), text("payoutId"));
    let attached = "IN_PAYOUT";
    for filters in [
        &[("partnerId", partner), ("payoutId", payout)][..],
        &[("payoutId", payout), ("status", attached)],
        &[("partnerId", partner), ("payoutId", payout), ("status", attached)],
        &[("status", attached), ("partnerId", partner)],
    ] {
        selects(context, &known, filters).await?;
    }
    Ok(())
}

/// partnerId takes the service id, not the externalId.
#[case("R10", on = listCommissionLines, fixtures(ExternalId))]
async fn by_external_id(context: &mut CaseContext<'_>) -> CaseResult {
    let external = context.fixture(Fixture::ExternalId)?;
    let request = Request::get(partner_path(&external)).with(&context.all()?);
    let is_service_id = context.given(request).await?.text("/data/id") == external;
    CaseOutcome::missing_if(is_service_id, "an external_id that is no partner's id")?;
    let list = LINES.filtered(&context.all()?, &[("partnerId", &external)]);
    context.ok(list).await?.has("/data", json!([])).map(drop)
}

/// A cursor continues with its own filters, in any order, and with another key.
#[case("§4.4.cursor", on = listCommissionLines, fixtures(PayoutOfManyLines))]
async fn with_its_filters(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = context.fixture(Fixture::PayoutOfManyLines)?;
    let key = context.all()?;
    let one = [("payoutId", payout.as_str()), ("status", "IN_PAYOUT")];
    let other = [("status", "IN_PAYOUT"), ("payoutId", payout.as_str())];
    let whole = context.given(LINES.filtered(&key, &one).query("limit", "4")).await?;
    context.snapshot(&whole);
    let first = LINES.request(&key).query("limit", "2");
    let first = one.iter().fold(first, |request, (name, value)| request.query(name, value));
    let (_, cursor) = first_cursor(context, first.clone(), "lines of a payout").await?;
    let next = first.query("cursor", &cursor);
    // A cursor belongs to the organisation, not to a key.
    let by_other_key = context.key(Role::CommissionsRead).ok().filter(|_| context.judges("R8"));
    let by_other_key = by_other_key.map(|key| next.clone().with(&key));
    let reversed = LINES.filtered(&key, &other).query("cursor", &cursor).query("limit", "2");
    for request in [next, reversed].into_iter().chain(by_other_key) {
        let second = context.ok(request).await?;
        second.same(
            "A cursor with its filters does not continue where its page ended.",
            &ids(&whole.items()[2.min(whole.items().len())..]).join(" "),
            &ids(second.items()).join(" "),
        )?;
    }
    Ok(())
}
