//! Detached lines (§3.1, §4.5): which lines can be detached, and what becomes of line and payout. A
//! detach has no inverse, so rejected detaches are tried on lines in no payout.

mod concurrent;
mod detached;
mod last;
mod race;
mod rejected;

use crate::cases::prelude::*;
use concurrent::{beside_others, between_pages, two_at_once};
pub(super) use detached::detach_one;
use detached::{amount, detach, stored, without_scope};
use last::last;
use race::{once, once_of_many};
use rejected::{body_ignored, body_too_large, stays, unknown};

const TO_DETACH: &[Fixture] = &[Fixture::LinesToDetach, Fixture::PayoutToDetach];
pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("detachCommissionLine").fixtures(TO_DETACH);
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
    { "lines.detach-without-scope" "§5.5" run(without_scope)
      "A detach that is rejected for its scope leaves the line in its payout."
      .keys(&[Role::All, Role::CommissionsRead]).changes(Changes::Irreversible).requests(40) }
    { "lines.detach" "§4.5" run(detach)
      "A detached line is PENDING and in no payout; its other fields are unchanged."
      .changes(Changes::Irreversible).requests(12) }
    { "lines.detach-stored" "§3.1.detach" run(stored)
      "After a detach lists show the line in the pending pool, and no longer in its payout."
      .changes(Changes::Irreversible).requests(40) }
    { "lines.detach-amount" "V4" run(amount)
      "A detach lowers the payout's amount by exactly the line's, and changes nothing else of it."
      .changes(Changes::Irreversible).requests(40) }
    { "lines.detach-last" "V4" run(last)
      "A payout whose last line was detached has the amount 0.00 and no statement."
      .fixtures(&[Fixture::PayoutToEmpty]).changes(Changes::Irreversible).requests(40) }
    { "lines.detach-once" "§4.5.422" run(once)
      "A line is detached once: of two concurrent detaches one succeeds, and later ones are \
       rejected."
      .changes(Changes::Irreversible).requests(60) }
    { "lines.detach-once-of-many" "V4" run(once_of_many)
      "Of eight concurrent detaches of one line one succeeds, and the payout's amount falls once."
      .changes(Changes::Irreversible).requests(60) }
    { "lines.detach-two-at-once" "V4" run(two_at_once)
      "Concurrent detaches of two lines of one payout lower its amount by both."
      .changes(Changes::Irreversible).requests(120) }
    { "lines.detach-beside-others" "V4" run(beside_others)
      "A detach concurrent with a statement, a PATCH and a read lowers the amount correctly."
      .changes(Changes::Irreversible).requests(60) }
    { "lines.detach-between-pages" "R8" run(between_pages)
      "After a detach between two pages the second page leaves out no line."
      .on("listCommissionLines").changes(Changes::Irreversible).requests(160) }
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
