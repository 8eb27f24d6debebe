//! Clicks on affiliate links, the conversions that they become, and their reversal (X18–X20).

use super::{PAYOUTS, attaching, is_worth, line, made, move_along, posting};
use crate::cases::prelude::*;
use chrono::{DateTime, Months, SecondsFormat, TimeDelta, Utc};
use url::Url;

const CONVERSIONS: &str = "/api/v1/affiliate/conversions";
/// Requests for one conversion that come at once.
const CONCURRENT: usize = 6;
const RANDOM: [&str; 3] = ["/data/createdAt", "/data/occurredAt", "/data/externalId"];

/// A visit of the link of `sandbox`: the click, and where it leads.
async fn visit(context: &mut CaseContext<'_>) -> CaseResult<(String, Response)> {
    let link = context.fixture(Fixture::SandboxLink)?;
    let visited = context.follow(&link, Request::get("")).await?;
    visited.is(302)?;
    let target = Url::parse(visited.header("location").unwrap_or_default()).ok();
    let click = target.and_then(|target| {
        let mut query = target.query_pairs();
        query.find_map(|(name, value)| (name == "clickId").then(|| value.into_owned()))
    });
    visited.must(click.is_some(), "The target has no click.", "clickId=… in the query")?;
    Ok((click.unwrap_or_default(), visited))
}

/// An order after a click, with an id of its own.
async fn order(context: &mut CaseContext<'_>, amount: &str) -> CaseResult<Value> {
    let (click, _) = visit(context).await?;
    Ok(json!({
        "clickId": click, "externalId": marked_name(), "amount": amount, "currency": "EUR",
    }))
}

fn reversing(context: &CaseContext<'_>, conversion: &Response) -> CaseResult<Request> {
    let path = format!("{CONVERSIONS}/{}/reverse", conversion.text("/data/id"));
    posting(context, &path, &json!({ "reason": "Conformance" }))
}

/// The last millisecond of the month in which the conversion occurred.
fn end_of_month(conversion: &Response) -> CaseResult<String> {
    let occurred: DateTime<Utc> = instant(conversion, "/data/occurredAt")?;
    let first = format!("{}-01T00:00:00Z", occurred.format("%Y-%m")).parse::<DateTime<Utc>>();
    let first = first.expect("the first day of a month");
    let end = first + Months::new(1) - TimeDelta::milliseconds(1);
    Ok(end.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// A link leads each visitor to its target, with a click of its own.
#[case(
    "X18.click",
    on = createConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible
)]
async fn click(context: &mut CaseContext<'_>) -> CaseResult {
    let (first, visited) = visit(context).await?;
    let cached = visited.header("cache-control").unwrap_or_default();
    visited.must(cached.contains("no-store"), "A cache may keep the redirect.", "no-store")?;
    visited.must(visited.header("set-cookie").is_none(), "It sets a cookie.", "no cookie")?;
    let (second, visited) = visit(context).await?;
    visited.must(first != second, "Two visits are one click.", "another clickId")?;
    let link = context.fixture(Fixture::SandboxLink)?;
    let head = Request::new(Method::HEAD, "");
    context.follow(&link, head).await?.is(302)?;
    let unknown = format!("{}/conformance-none", link.rsplit_once('/').unwrap_or_default().0);
    context.follow(&unknown, Request::get("")).await?.is(404).map(drop)
}

/// A conversion makes the line of its commission, which is only expected.
#[case(
    "X19.line",
    on = createConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible,
    requests = 12
)]
async fn recorded(context: &mut CaseContext<'_>) -> CaseResult {
    for (amount, commission) in [("0.25", "0.03"), ("1234.50", "123.45")] {
        let order = order(context, amount).await?;
        let conversion = made(context, CONVERSIONS, &order).await?;
        conversion.has("/data/status", "RECORDED")?.has("/data/reason", Value::Null)?;
        for member in ["clickId", "externalId", "amount", "currency"] {
            conversion.has(&format!("/data/{member}"), order[member].clone())?;
        }
        let line = line(context, conversion.text("/data/commissionLineId")).await?;
        line.has("/data/status", "EXPECTED")?.has("/data/payoutId", Value::Null)?;
        line.has("/data/amount", commission)?.has("/data/sourceAmount", amount)?;
        line.has("/data/currency", "EUR")?;
        line.has("/data/partnerId", conversion.at("/data/partnerId").clone())?;
        let description = format!("Conversion {}", conversion.text("/data/externalId"));
        line.has("/data/description", description)?;
        line.has("/data/periodEnd", end_of_month(&conversion)?)?;
        context.snapshot_of_random(&conversion, &RANDOM);
    }
    let none = order(context, "0.04").await?;
    let none = made(context, CONVERSIONS, &none).await?;
    none.has("/data/commissionLineId", Value::Null).map(drop)
}

/// The list begins with the newest conversion, as it was recorded.
#[case(
    "X19",
    on = listConversions,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible
)]
async fn listed(context: &mut CaseContext<'_>) -> CaseResult {
    let order = order(context, "9.99").await?;
    let conversion = made(context, CONVERSIONS, &order).await?;
    let request = Request::get(CONVERSIONS).query("limit", "100").with(&context.all()?);
    let list = context.ok(request).await?;
    let is_listed = list.items().contains(conversion.at("/data"));
    list.must(is_listed, "The list lacks the new conversion.", "the conversion")
}

/// An order is one conversion, whatever a later request says; without an order a click is.
#[case(
    "X19.once",
    on = createConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible,
    requests = 12
)]
async fn duplicate(context: &mut CaseContext<'_>) -> CaseResult {
    let order = order(context, "10.00").await?;
    let first = made(context, CONVERSIONS, &order).await?;
    let (other_click, _) = visit(context).await?;
    let key = &order["externalId"];
    let others = [
        order.clone(),
        json!({ "clickId": other_click, "externalId": key, "amount": "1.00", "currency": "USD" }),
        json!({ "clickId": "nobody-has-this-id", "externalId": key }),
        json!({ "clickId": order["clickId"] }),
    ];
    for body in others {
        is_duplicate_of(context, &first, &body).await?;
    }
    let lone = made(context, CONVERSIONS, &json!({ "clickId": other_click })).await?;
    lone.has("/data/externalId", Value::Null)?.has("/data/amount", Value::Null)?;
    is_duplicate_of(context, &lone, &json!({ "clickId": other_click })).await
}

async fn is_duplicate_of(
    context: &mut CaseContext<'_>,
    first: &Response,
    body: &Value,
) -> CaseResult {
    let known = context.ok(posting(context, CONVERSIONS, body)?).await?;
    let mut expected = first.at("/data").clone();
    expected["status"] = json!("DUPLICATE");
    known.has("/data", expected)?;
    context.snapshot_of_random(&known, &RANDOM);
    Ok(())
}

/// Requests for one order that come at once record one conversion.
#[case(
    "X19.once",
    on = createConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible,
    requests = 10
)]
async fn at_once(context: &mut CaseContext<'_>) -> CaseResult {
    let order = order(context, "10.00").await?;
    let requests = vec![posting(context, CONVERSIONS, &order)?; CONCURRENT];
    let responses = context.send_all(requests).await?;
    super::one_is_made(&responses)
}

/// A conversion that cannot be is answered with the reason, and makes nothing.
#[case(
    "X19.ignored",
    on = createConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible
)]
async fn ignored(context: &mut CaseContext<'_>) -> CaseResult {
    let mut order = order(context, "10.00").await?;
    let hour = TimeDelta::hours(1);
    let before = (Utc::now() - hour).to_rfc3339_opts(SecondsFormat::Millis, true);
    order["occurredAt"] = json!(before);
    let unknown = json!({ "clickId": "nobody-has-this-id", "amount": "1.00", "currency": "EUR" });
    for (body, reason) in [(order, "BEFORE_CLICK"), (unknown, "UNKNOWN_CLICK")] {
        let ignored = context.ok(posting(context, CONVERSIONS, &body)?).await?;
        ignored.has("/data/status", "IGNORED")?.has("/data/reason", reason)?;
        for absent in ["id", "commissionLineId", "createdAt"] {
            ignored.has(&format!("/data/{absent}"), Value::Null)?;
        }
        ignored.has("/data/clickId", body["clickId"].clone())?;
        context.snapshot_of_random(&ignored, &RANDOM[1..]);
    }
    Ok(())
}

/// The line of a reversed conversion is voided, and a second reversal changes nothing.
#[case(
    "X20.line",
    on = reverseConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    changes = Irreversible
)]
async fn reversed(context: &mut CaseContext<'_>) -> CaseResult {
    let order = order(context, "10.00").await?;
    let conversion = made(context, CONVERSIONS, &order).await?;
    let reversed = context.ok(reversing(context, &conversion)?).await?;
    let mut expected = conversion.at("/data").clone();
    expected["reversedAt"] = reversed.at("/data/reversedAt").clone();
    reversed.has("/data", expected)?;
    let created = instant(&conversion, "/data/createdAt")?;
    let is_later = instant(&reversed, "/data/reversedAt")? >= created;
    reversed.must(is_later, "It was reversed before it was recorded.", "a later time")?;
    let line = line(context, conversion.text("/data/commissionLineId")).await?;
    line.has("/data/status", "VOIDED")?.has("/data/amount", "1.00")?;
    let again = context.ok(reversing(context, &conversion)?).await?;
    again.has("/data", reversed.at("/data").clone())?;
    context.snapshot_of_random(&again, &[&RANDOM[..], &["/data/reversedAt"]].concat());
    Ok(())
}

/// A conversion whose line, of 1.00, is in a payout of its own.
async fn in_payout(context: &mut CaseContext<'_>) -> CaseResult<(Response, String)> {
    let order = order(context, "10.00").await?;
    let conversion = made(context, CONVERSIONS, &order).await?;
    let line = conversion.text("/data/commissionLineId");
    context.operate(Hook::MatureLine, &[("line", line)]).await?;
    let body = json!({
        "partnerId": conversion.text("/data/partnerId"),
        "currency": "EUR",
        "periodStart": "1990-01-01T00:00:00.000Z",
        "periodEnd": "1990-01-31T00:00:00.000Z",
    });
    let payout = made(context, PAYOUTS, &body).await?.text("/data/id").to_owned();
    context.ok(attaching(context, line, &payout)?).await?;
    is_worth(context, &payout, "1.00", 1).await?;
    Ok((conversion, payout))
}

/// A payout that is not being paid loses the line of a reversed conversion, and is DECLINED where
/// it was the last one.
#[case(
    "X20.payout",
    on = reverseConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    hooks(MatureLine),
    changes = Irreversible,
    requests = 20
)]
async fn taken_out(context: &mut CaseContext<'_>) -> CaseResult {
    let (conversion, payout) = in_payout(context).await?;
    context.ok(reversing(context, &conversion)?).await?;
    is_worth(context, &payout, "0.00", 0).await?.has("/data/stage", "DECLINED")?;
    let line = line(context, conversion.text("/data/commissionLineId")).await?;
    line.has("/data/status", "VOIDED")?.has("/data/payoutId", Value::Null).map(drop)
}

/// A payout that is paid keeps the line of a reversed conversion, and another line claws it back.
#[case(
    "X20.payout",
    on = reverseConversion,
    keys(Sandbox),
    fixtures(SandboxLink),
    hooks(MatureLine),
    changes = Irreversible,
    requests = 20
)]
async fn clawed_back(context: &mut CaseContext<'_>) -> CaseResult {
    let (conversion, payout) = in_payout(context).await?;
    move_along(context, &payout, &["APPROVED", "PAID"]).await?;
    context.ok(reversing(context, &conversion)?).await?;
    is_worth(context, &payout, "1.00", 1).await?.has("/data/stage", "PAID")?;
    let partner = conversion.text("/data/partnerId");
    let request = Request::get(LINES.path).query("partnerId", partner).query("status", "PENDING");
    let lines = context.ok(request.query("limit", "100").with(&context.all()?)).await?;
    let of_order = conversion.text("/data/externalId");
    let is_clawed_back = lines.items().iter().any(|line| {
        let description = line["description"].as_str().unwrap_or_default();
        line["amount"] == "-1.00" && line["currency"] == "EUR" && description.contains(of_order)
    });
    lines.must(is_clawed_back, "Nothing claws the commission back.", "a pending line of -1.00")
}
