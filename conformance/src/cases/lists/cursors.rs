//! Cursors that are malformed, or belong to another list or other filters (R8). A cursor is opaque
//! here.

use crate::cases::prelude::*;
use crate::cases::walk::{LINES, List, PARTNERS, first_cursor, ids};

pub(crate) const CASES: &[Case] = cases! {
    Case::ANY.on("listCommissionLines");
    { "lists.partners-malformed-cursor" "R8" run(malformed, PARTNERS)
      "A malformed cursor of partners is rejected." .on("listPartners").requests(16) }
    { "lists.lines-malformed-cursor" "R8" run(malformed, LINES)
      "A malformed cursor of lines is rejected." .requests(16) }
    { "lists.partners-cursor-of-lines" "R8" run(of_other_list, LINES, PARTNERS)
      "The list of partners rejects a cursor of lines." .on("listPartners") }
    { "lists.lines-cursor-of-partners" "R8" run(of_other_list, PARTNERS, LINES)
      "The list of lines rejects a cursor of partners." }
    { "lists.lines-cursor-with-other-filters" "R8" run(with_other_filters)
      "A cursor is rejected with other filters than its own: one more, one less, another value."
      .fixtures(&[Fixture::PayoutOfManyLines]).requests(20) }
    { "lists.lines-cursor-with-its-filters" "§4.4.cursor" run(with_its_filters)
      "A cursor continues with its own filters, in any order."
      .fixtures(&[Fixture::PayoutOfManyLines]) }
};

fn is_rejected(context: &CaseContext<'_>, response: &Response) -> CaseResult {
    context.is_error(response, INVALID_CURSOR)
}

async fn malformed(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let request = list.request(&context.all()?).query("limit", "1");
    let (_, cursor) = first_cursor(context, request.clone(), list.what).await?;
    context.given(request.clone().query("cursor", &cursor)).await?;
    let half = cursor.len() / 2;
    let is_edge = cursor.is_char_boundary(half);
    let (head, tail) = cursor.split_at(if is_edge { half } else { 0 });
    let broken = [
        String::new(),
        "x".to_owned(),
        "!".to_owned(),
        "null".to_owned(),
        "0".to_owned(),
        head.to_owned(),
        tail.to_owned(),
        format!("{tail}{head}"),
        cursor.chars().rev().collect(),
        format!("{cursor}!"),
        format!(" {cursor}"),
        format!("{cursor}\0"),
    ];
    for broken in broken {
        let response = context.send(request.clone().query("cursor", &broken)).await?;
        is_rejected(context, &response)?;
    }
    // A 400 takes precedence over a 422 (R4).
    let both = list.request(&context.all()?).query("limit", "0");
    let response = context.send(both.query("cursor", "!")).await?;
    is_rejected(context, &response)
}

async fn of_other_list(context: &mut CaseContext<'_>, from: List, to: List) -> CaseResult {
    let key = context.all()?;
    let first = |list: List| list.request(&key).query("limit", "1");
    let (_, own) = first_cursor(context, first(to), to.what).await?;
    let (_, other) = first_cursor(context, first(from), from.what).await?;
    let response =
        context.refused(first(to).query("cursor", &other), first(to).query("cursor", &own)).await?;
    is_rejected(context, &response)
}

fn filtered(request: Request, filters: &[(&str, &str)]) -> Request {
    let filters = filters.iter();
    filters.fold(request, |request, (name, value)| request.query(name, value))
}

async fn with_other_filters(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = context.fixture(Fixture::PayoutOfManyLines)?;
    let first = LINES.request(&context.all()?).query("limit", "1");
    let by_payout: &[(&str, &str)] = &[("payoutId", &payout)];
    let (page, _) = first_cursor(context, filtered(first.clone(), by_payout), "lines").await?;
    let partner = page.text("/data/0/partnerId").to_owned();
    let both: &[(&str, &str)] = &[("payoutId", &payout), ("status", "IN_PAYOUT")];
    let by_partner: &[(&str, &str)] = &[("partnerId", &partner)];
    let attached: &[(&str, &str)] = &[("status", "IN_PAYOUT")];
    let pending: &[(&str, &str)] = &[("status", "PENDING")];
    for (own, others) in [
        (by_payout, vec![&[][..], both, by_partner]),
        (&[], vec![by_payout, attached]),
        (attached, vec![&[][..], pending]),
        (both, vec![attached]),
    ] {
        let (_, cursor) = first_cursor(context, filtered(first.clone(), own), "lines").await?;
        let next = |filters| filtered(first.clone(), filters).query("cursor", &cursor);
        // The control: the cursor works with its own filters.
        context.given(next(own)).await?;
        for other in others {
            let response = context.send(next(other)).await?;
            is_rejected(context, &response)?;
        }
    }
    Ok(())
}

async fn with_its_filters(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = context.fixture(Fixture::PayoutOfManyLines)?;
    let list = LINES.request(&context.all()?);
    let one = [("payoutId", payout.as_str()), ("status", "IN_PAYOUT")];
    let other = [("status", "IN_PAYOUT"), ("payoutId", payout.as_str())];
    let request = filtered(list.clone(), &one).query("limit", "4");
    let whole = context.given(request).await?;
    context.snapshot(&whole);
    let request = filtered(list.clone().query("limit", "2"), &one);
    let (_, cursor) = first_cursor(context, request, "lines of a payout").await?;
    let next = filtered(list.clone().query("limit", "2"), &one).query("cursor", &cursor);
    // A cursor belongs to the organisation, not to a key.
    let by_other_key = context.key(Role::CommissionsRead).ok().filter(|_| context.judges("R8"));
    let by_other_key = by_other_key.map(|key| next.clone().with(&key));
    let orders =
        [next, filtered(list.clone().query("cursor", &cursor), &other).query("limit", "2")];
    for request in orders.into_iter().chain(by_other_key) {
        let second = context.ok(request).await?;
        second.that(
            ids(second.items()) == ids(&whole.items()[2.min(whole.items().len())..]),
            "A cursor with its filters does not continue where its page ended.",
            &ids(whole.items()).join(" "),
            &ids(second.items()).join(" "),
        )?;
    }
    Ok(())
}
