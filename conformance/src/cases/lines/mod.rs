//! Detached lines (§3.1, §4.5): which lines can be detached, and what becomes of line and payout. A
//! detach has no inverse, so rejected detaches are tried on lines in no payout.

mod concurrent;
mod detached;
pub(super) mod faults;
mod last;
mod race;
mod rejected;

use crate::cases::prelude::*;
pub(super) use detached::detach_one;

pub(super) fn detaching(context: &CaseContext<'_>, line: &str) -> CaseResult<Request> {
    let path = format!("/api/v1/commission-lines/{line}/detach");
    Ok(Request::post(path).with(&context.all()?))
}

/// A detach with an idempotency key, which names the request and not the line.
fn detaching_with_key(context: &CaseContext<'_>, line: &str) -> CaseResult<Request> {
    Ok(detaching(context, line)?.header("idempotency-key", line))
}

/// Requires that a list shows a line like this, or none if `expected` is `None`.
async fn is_listed_as(
    context: &mut CaseContext<'_>,
    filters: &[(&str, &str)],
    id: &str,
    expected: Option<&Value>,
    what: &str,
) -> CaseResult {
    let (found, lines) = find_line(context, filters, id).await?;
    let shown =
        |line: Option<&Value>| line.map_or_else(|| format!("no line {id}"), Value::to_string);
    lines.that(found.as_ref() == expected, what, &shown(expected), &shown(found.as_ref()))
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}
