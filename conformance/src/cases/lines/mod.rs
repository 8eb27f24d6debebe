//! Detached lines (§3.1, §4.5): which lines can be detached, and what becomes of line and payout. A
//! detach has no inverse, so rejected detaches are tried on lines in no payout.

mod concurrent;
mod detached;
mod last;
mod race;
mod rejected;

use crate::cases::prelude::*;
pub(super) use detached::detach_one;
use rejected::{body_ignored, body_too_large, stays, unknown};

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("detachCommissionLine");
    { "lines.detach-pending" "§3.1.unattached" run(stays, Fixture::LineUnattached, "PENDING")
      "Detaching a pending line is rejected, and the line stays unchanged."
      .fixtures(&[Fixture::LineUnattached]).requests(60) }
    { "lines.detach-expected" "§3.1.unattached" run(stays, Fixture::LineExpected, "EXPECTED")
      "Detaching an expected line is rejected, and the line stays unchanged."
      .fixtures(&[Fixture::LineExpected]).requests(60) }
    { "lines.detach-voided" "§3.1.unattached" run(stays, Fixture::LineVoided, "VOIDED")
      "Detaching a voided line is rejected, and the line stays unchanged."
      .fixtures(&[Fixture::LineVoided]).requests(60) }
    { "lines.detach-unknown" "A.order" run(unknown)
      "Detaching an unknown line is 404." .fixtures(&[Fixture::LineUnattached, Fixture::Payout]) }
    { "lines.detach-body-ignored" "R11" run(body_ignored)
      "A body on a detach is ignored, whatever it is."
      .fixtures(&[Fixture::LineUnattached]).requests(12) }
    { "lines.detach-body-too-large" "R4.413" run(body_too_large)
      "A body above 64 KiB on a detach is 413." .fixtures(&[Fixture::LineUnattached]) }
};

fn detaching(context: &CaseContext<'_>, line: &str) -> CaseResult<Request> {
    let path = format!("/api/v1/commission-lines/{line}/detach");
    Ok(Request::post(path).with(&context.all()?))
}

/// A detach with a header that elsewhere repeats the first response. This API does not know it: a
/// line is detached once.
fn detaching_with_key(context: &CaseContext<'_>, line: &str) -> CaseResult<Request> {
    Ok(detaching(context, line)?.header("idempotency-key", line))
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}
