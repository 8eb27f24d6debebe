//! A PATCH keeps other partners and the order of the list, and is exact beside concurrent requests.

use super::shows;
use crate::cases::prelude::*;

/// A changed partner keeps its place in the list: the order is that of createdAt.
#[case("R7", requests = 20)]
async fn keeps_place(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let before = known(context, PARTNERS).await?;
    let request = PARTNERS.request(&context.all()?);
    let (page, cursor) =
        first_cursor(context, request.clone().query("limit", "2"), "partners").await?;
    let body = json!({ "name": marked_name() });
    context.ok(partner.patch(&body)).await?;
    known(context, PARTNERS).await?.is_in_order()?;
    // It also stays in the pages that a client is reading.
    let rest = context.send(request.query("limit", "100").query("cursor", &cursor)).await?;
    let last = ids(page.items()).last().copied().unwrap_or_default();
    let expected = before.ids().into_iter().skip_while(|id| *id != last);
    let expected: Vec<&str> = expected.skip(1).take(100).collect();
    let what = "After a change the next page does not continue the page before it.";
    rest.is(200)?.same(what, &expected.join(" "), &ids(rest.items()).join(" "))
}

/// A PATCH changes its partner and no other.
#[case("§4.3", requests = 20)]
async fn others_kept(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let before = known(context, PARTNERS).await?;
    let body = json!({ "domain": "one-alone.example" });
    context.ok(partner.patch(&body)).await?;
    let after = known(context, PARTNERS).await?;
    for (before, now) in before.items.iter().zip(&after.items) {
        if before["id"] != *partner.id && before != now {
            return Err(after.failed(
                "A PATCH also changed another partner.",
                before.to_string(),
                now.to_string(),
            ));
        }
    }
    Ok(())
}

/// Each of several concurrent PATCHes returns what it set, and none undoes another.
#[case("R2.absent", requests = 12)]
async fn at_once(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let names = [marked_name(), marked_name()];
    let domain = "at-once.example";
    let sent = [("name", names[0].as_str()), ("domain", domain), ("name", &names[1])];
    let requests = sent.map(|(field, value)| partner.patch(&json!({ field: value })));
    let responses = context.send_all(requests.to_vec()).await?;
    for (response, (field, value)) in responses.iter().zip(sent) {
        if response.status == 429 {
            return Err(CaseOutcome::inconclusive(
                "The minute was used up.",
                "200",
                response.status_line(),
                Some(response.exchange),
            ));
        }
        response.is(200)?.has(&format!("/data/{field}"), value)?;
    }
    let read = context.ok(partner.get()).await?;
    read.has("/data/domain", domain)?.that(
        names.iter().any(|name| name == read.text("/data/name")),
        "The partner has neither of two names that were set concurrently.",
        &names.join(", or "),
        read.text("/data/name"),
    )
}

/// A read during a PATCH shows the partner before it or after it, never a mixture.
#[case("§4.2", on = getPartner, requests = 16)]
async fn read_beside_patch(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let before = context.given(partner.get()).await?;
    let name = marked_name();
    let requests =
        [partner.get(), partner.patch(&json!({ "name": name })), partner.get(), partner.get()];
    let [first, changed, second, third] = each_concurrently(context, requests).await?;
    changed.is(200)?.has("/data/name", name)?;
    for read in [first, second, third] {
        read.is(200)?;
        let is_before = read.at("/data/name") == before.at("/data/name");
        let whole = if is_before { &before } else { &changed };
        shows(&read, whole.at("/data"), &[])?;
    }
    Ok(())
}
