//! Which lines are listed (§4.4, R10): each filter alone, and all of them at once, held against the list without filters.
//!
//! They refuse an example that every line, or none, would satisfy.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::walk::{LINES, Walk, ids, known, next_cursor, pages_of, walk};
use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    cases::steady::steady,
    target::Fixture,
};

const STATUSES: [&str; 4] = ["EXPECTED", "PENDING", "IN_PAYOUT", "VOIDED"];
const NOBODY: &str = "nobody-has-this-id";
const LARGEST: usize = 100;

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "lists.lines-by-partner",
        "With partnerId, the lines of this partner are listed: all of them, and no other.",
        "§4.4.partnerId",
        steady!(by_partner),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-by-payout",
        "With payoutId, the lines attached to this payout are listed: all of them, and no other.",
        "§4.4.payoutId",
        steady!(by_payout),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-by-status",
        "With status, the lines in this status are listed, and the four statuses together are all lines.",
        "§4.4.status",
        steady!(by_status),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-by-several-filters",
        "Several filters list the lines that satisfy all of them.",
        "§4.4.partnerId",
        steady!(joined),
    )
    .on("listCommissionLines")
    .requests(12),
    Case::new(
        "lists.lines-by-contradicting-filters",
        "Filters that no line satisfies together list none.",
        "§4.4.payoutId",
        steady!(contradicting),
    )
    .on("listCommissionLines")
    .requests(12),
    Case::new(
        "lists.lines-filters-on-every-page",
        "A filter holds on every page.",
        "§4.4.cursor",
        steady!(on_every_page),
    )
    .on("listCommissionLines")
    .requests(40),
    Case::new(
        "lists.lines-by-absent-ids",
        "A filter that names nobody lists nothing, also beside one that names somebody.",
        "R10",
        runs!(absent),
    )
    .on("listCommissionLines")
    .requests(20),
    Case::new(
        "lists.lines-by-external-id",
        "partnerId takes the service id, and not the externalId.",
        "R10",
        runs!(by_external_id),
    )
    .on("listCommissionLines")
    .fixtures(&[Fixture::ExternalId]),
    Case::new(
        "lists.lines-of-payout-without-lines",
        "The lines of a payout without lines are an empty list.",
        "§4.4.payoutId",
        runs!(of_payout_without_lines),
    )
    .on("listCommissionLines")
    .fixtures(&[Fixture::PayoutWithoutLines]),
];

type Filters<'a> = &'a [(&'a str, &'a str)];

fn satisfies(item: &Value, filters: Filters<'_>) -> bool {
    filters.iter().all(|(name, value)| item[*name] == *value)
}

fn told(filters: Filters<'_>) -> String {
    let filters: Vec<String> = filters.iter().map(|(n, v)| format!("{n}={v}")).collect();
    filters.join("&")
}

/// What the list without filters shows of these lines.
fn chosen<'a>(known: &'a Walk, filters: Filters<'_>) -> Vec<&'a str> {
    let items = known.items.iter();
    let items = items.filter(|item| satisfies(item, filters));
    items
        .map(|item| item["id"].as_str().unwrap_or_default())
        .collect()
}

/// The list with these filters is the part of the whole list that satisfies them.
async fn selects(
    context: &mut CaseContext<'_>,
    known: &Walk,
    filters: Filters<'_>,
) -> Result<(), CaseOutcome> {
    let request = LINES.request(&context.all()?);
    let request = filters
        .iter()
        .fold(request, |request, (n, v)| request.query(n, v));
    let page = context.send(request.query("limit", "100")).await?;
    let is_last = next_cursor(&page)?.is_none();
    let others = page.items().iter();
    let other = others
        .filter(|item| !satisfies(item, filters))
        .map(Value::to_string)
        .next();
    page.that(
        other.is_none(),
        &format!("{} lists a line that does not satisfy it.", told(filters)),
        &told(filters),
        &other.clone().unwrap_or_default(),
    )?;
    let expected = chosen(known, filters);
    let listed = ids(page.items());
    let shown = expected.len().min(LARGEST);
    let is_whole =
        !known.is_whole || (listed.len() == shown && is_last == (expected.len() <= LARGEST));
    page.that(
        listed.len() >= shown && listed[..shown] == expected[..shown] && is_whole,
        &format!(
            "{} does not list what the whole list shows of it.",
            told(filters)
        ),
        &format!("{} lines: {}", expected.len(), expected.join(" ")),
        &format!("{} lines: {}", listed.len(), listed.join(" ")),
    )?;
    Ok(())
}

/// Values of a field, those of many lines first; null is none.
fn values(known: &Walk, name: &str) -> Vec<String> {
    let items = known.items.iter();
    let all: Vec<&str> = items.filter_map(|item| item[name].as_str()).collect();
    let distinct: BTreeSet<&str> = all.iter().copied().collect();
    let mut distinct: Vec<String> = distinct.into_iter().map(str::to_owned).collect();
    let count = |value: &str| all.iter().filter(|other| **other == value).count();
    distinct.sort_by_key(|value| std::cmp::Reverse(count(value)));
    distinct
}

/// The values with the most and the fewest lines; there must be two, or each line would satisfy the filter.
fn extremes(known: &Walk, name: &str) -> Result<Vec<String>, CaseOutcome> {
    let values = values(known, name);
    match &values[..] {
        [most, .., fewest] => Ok(vec![most.clone(), fewest.clone()]),
        _ => Err(CaseOutcome::missing(format!(
            "lines of two values of {name}"
        ))),
    }
}

async fn by(context: &mut CaseContext<'_>, name: &str) -> Result<(), CaseOutcome> {
    let known = known(context, LINES).await?;
    for value in extremes(&known, name)? {
        selects(context, &known, &[(name, &value)]).await?;
    }
    Ok(())
}

async fn by_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    by(context, "partnerId").await
}

async fn by_payout(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    by(context, "payoutId").await
}

async fn by_status(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let known = known(context, LINES).await?;
    for status in STATUSES {
        selects(context, &known, &[("status", status)]).await?;
    }
    Ok(())
}

/// Two fields whose filters, joined by OR, would list more than joined by AND, and neither of them alone lists the same.
fn pair<'a>(known: &'a Walk, one: &str, other: &str) -> Option<(&'a str, &'a str)> {
    let items = &known.items;
    let mut pairs = items
        .iter()
        .filter_map(|item| Some((item[one].as_str()?, item[other].as_str()?)));
    pairs.find(|(first, second)| {
        let is_first = |item: &&Value| item[one] == **first;
        let is_second = |item: &&Value| item[other] == **second;
        let has_first_alone = items
            .iter()
            .any(|item| is_first(&item) && !is_second(&item));
        let has_second_alone = items
            .iter()
            .any(|item| is_second(&item) && !is_first(&item));
        has_first_alone && has_second_alone
    })
}

async fn joined(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let known = known(context, LINES).await?;
    let missing = || CaseOutcome::missing("partners with lines in several statuses");
    let (partner, status) = pair(&known, "partnerId", "status").ok_or_else(missing)?;
    let filters = [("partnerId", partner), ("status", status)];
    selects(context, &known, &filters).await?;
    // A payout's lines, of the partner who has more of them elsewhere.
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
        &[
            ("partnerId", partner),
            ("payoutId", payout),
            ("status", attached),
        ],
        &[("status", attached), ("partnerId", partner)],
    ] {
        selects(context, &known, filters).await?;
    }
    Ok(())
}

/// Nothing is listed.
async fn is_empty(context: &mut CaseContext<'_>, filters: Filters<'_>) -> Result<(), CaseOutcome> {
    let request = LINES.request(&context.all()?);
    let request = filters
        .iter()
        .fold(request, |request, (n, v)| request.query(n, v));
    let page = context.send(request).await?;
    page.is(200)?
        .has("/data", json!([]))?
        .has("/pagination", json!({ "nextCursor": null }))?;
    Ok(())
}

async fn contradicting(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let known = known(context, LINES).await?;
    let payouts = values(&known, "payoutId");
    let missing = || CaseOutcome::missing("lines of two partners, in a payout");
    let payout = payouts.first().ok_or_else(missing)?.as_str();
    let of_payout = known.items.iter().find(|item| item["payoutId"] == payout);
    let own = of_payout.and_then(|item| item["partnerId"].as_str());
    let partners = values(&known, "partnerId");
    let other = partners
        .iter()
        .find(|partner| Some(partner.as_str()) != own);
    let other = other.ok_or_else(missing)?.as_str();
    for filters in [
        &[("payoutId", payout), ("partnerId", other)][..],
        &[("partnerId", other), ("payoutId", payout)],
        &[("payoutId", payout), ("status", "PENDING")],
        &[("status", "PENDING"), ("payoutId", payout)],
    ] {
        is_empty(context, filters).await?;
    }
    // And each of them alone lists something.
    for filters in [[("payoutId", payout)], [("partnerId", other)]] {
        selects(context, &known, &filters).await?;
    }
    Ok(())
}

async fn on_every_page(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    const PAGES: usize = 7;
    let known = known(context, LINES).await?;
    for name in ["partnerId", "payoutId", "status"] {
        for value in extremes(&known, name)? {
            let expected = chosen(&known, &[(name, &value)]);
            // So that the second page is not the last, and the last one has room left.
            let limit = (expected.len() * 2 / 5).clamp(1, LARGEST);
            let request = LINES.request(&context.all()?).query(name, &value);
            let walked = walk(context, &request, &pages_of(limit, PAGES)).await?;
            let shown = expected.len().min(walked.items.len());
            let is_whole =
                !known.is_whole || !walked.is_whole || walked.items.len() == expected.len();
            if walked.ids()[..shown] != expected[..shown] || !is_whole {
                return Err(walked.failed(
                    &format!(
                        "Pages with {name}={value} do not list what the whole list shows of it."
                    ),
                    expected.join(" "),
                    walked.ids().join(" "),
                ));
            }
        }
    }
    Ok(())
}

async fn absent(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let known = known(context, LINES).await?;
    let missing = || CaseOutcome::missing("a line in a payout");
    let line = known.items.iter().find(|item| item["payoutId"].is_string());
    let line = line.ok_or_else(missing)?;
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    for filters in [
        &[("partnerId", NOBODY)][..],
        &[("payoutId", NOBODY)],
        &[("partnerId", NOBODY), ("payoutId", text("payoutId"))],
        &[("partnerId", text("partnerId")), ("payoutId", NOBODY)],
        &[("payoutId", NOBODY), ("status", "PENDING")],
        // The one's id is none of the other.
        &[("partnerId", text("payoutId"))],
        &[("payoutId", text("partnerId"))],
        &[("payoutId", "null")],
    ] {
        is_empty(context, filters).await?;
    }
    for name in ["partnerId", "payoutId"] {
        for nearly in crate::cases::nearly(text(name)) {
            is_empty(context, &[(name, &nearly)]).await?;
        }
    }
    Ok(())
}

async fn by_external_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let external = context.fixture(Fixture::ExternalId)?;
    let path = format!(
        "{}/{}",
        super::walk::PARTNERS.path,
        crate::exchange::request::escaped(&external)
    );
    let partner = context
        .given(crate::exchange::Request::get(path).with(&context.all()?))
        .await?;
    if partner.text("/data/id") == external {
        return Err(CaseOutcome::missing(
            "an external_id that is no partner's id",
        ));
    }
    is_empty(context, &[("partnerId", &external)]).await
}

async fn of_payout_without_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let payout = context.fixture(Fixture::PayoutWithoutLines)?;
    is_empty(context, &[("payoutId", &payout)]).await
}
