//! Lines that are detached (§3.1, §4.5): which may be, what becomes of them and of their payout, and who comes second.
//!
//! It refuses to spend a line where one that is in no payout will do: a detach has no inverse.
//!
//! | file | owns |
//! |---|---|
//! | [`refused`] | detaches that are refused, and leave the line as it is |
//! | [`detached`] | detaches that succeed, and what becomes of line and payout |
//! | [`beside`] | detaches beside other requests |
//! | [`last`] | a payout whose last line is detached |

mod beside;
mod detached;
mod last;
mod refused;

use serde_json::Value;

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::Request,
    target::{Fixture, Role},
};

use beside::{beside_others, between_pages, two_at_once};
pub(super) use detached::detach_one;
use detached::{amount, detach, once, once_of_many, stored, without_scope};
use last::last;
use refused::{body_ignored, body_too_large, expected, pending, unknown, voided};

const TO_DETACH: &[Fixture] = &[Fixture::LinesToDetach, Fixture::PayoutToDetach];
/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "lines.detach-pending",
        "A line in the pending pool cannot be detached, and stays as it is.",
        "§3.1.unattached",
        runs!(pending),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::LineUnattached])
    .requests(60),
    Case::new(
        "lines.detach-expected",
        "An expected line cannot be detached, and stays as it is.",
        "§3.1.unattached",
        runs!(expected),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::LineExpected])
    .requests(60),
    Case::new(
        "lines.detach-voided",
        "A voided line cannot be detached, and stays as it is.",
        "§3.1.unattached",
        runs!(voided),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::LineVoided])
    .requests(60),
    Case::new(
        "lines.detach-unknown",
        "An id that no line has is answered 404.",
        "A.order",
        runs!(unknown),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::LineUnattached, Fixture::Payout]),
    Case::new(
        "lines.detach-body-ignored",
        "A body on a detach changes nothing about it, whatever it is.",
        "R11",
        runs!(body_ignored),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::LineUnattached])
    .requests(12),
    Case::new(
        "lines.detach-body-too-large",
        "A body above 64 KiB on a detach is 413.",
        "R4.413",
        runs!(body_too_large),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::LineUnattached]),
    Case::new(
        "lines.detach-without-scope",
        "A detach that is refused for its scope leaves the line in its payout.",
        "§5.5",
        runs!(without_scope),
    )
    .on("detachCommissionLine")
    .keys(&[Role::All, Role::CommissionsRead])
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(40),
    Case::new(
        "lines.detach",
        "An attached line is detached: PENDING, in no payout, all else as lists showed it.",
        "§4.5",
        runs!(detach),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(12),
    Case::new(
        "lines.detach-stored",
        "After a detach lists show the line in the pending pool, and no longer in its payout.",
        "§3.1.detach",
        runs!(stored),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(40),
    Case::new(
        "lines.detach-amount",
        "A detach lowers the payout's amount by exactly the line's, and touches nothing else of it.",
        "V4",
        runs!(amount),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(40),
    Case::new(
        "lines.detach-last",
        "A payout whose last line is detached has the amount 0.00, and no statement any more.",
        "V4",
        runs!(last),
    )
    .on("detachCommissionLine")
    .fixtures(&[Fixture::PayoutToEmpty])
    .changes(Changes::Irreversible)
    .requests(40),
    Case::new(
        "lines.detach-once",
        "Of two detaches of one line at once, and of any later ones, only the first succeeds.",
        "§4.5.422",
        runs!(once),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(60),
    Case::new(
        "lines.detach-once-of-many",
        "Of eight detaches of one line at once only one succeeds, and the payout's amount falls once.",
        "V4",
        runs!(once_of_many),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(60),
    Case::new(
        "lines.detach-two-at-once",
        "Two lines of one payout that are detached at once lower its amount by both.",
        "V4",
        runs!(two_at_once),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(120),
    Case::new(
        "lines.detach-beside-others",
        "A detach at the same time as a statement of its payout, a PATCH of its partner and a read lowers the amount as any.",
        "V4",
        runs!(beside_others),
    )
    .on("detachCommissionLine")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(60),
    Case::new(
        "lines.detach-between-pages",
        "A detach between two pages makes the second leave out no line.",
        "R8",
        runs!(between_pages),
    )
    .on("listCommissionLines")
    .fixtures(TO_DETACH)
    .changes(Changes::Irreversible)
    .requests(160),
];

fn detaching(context: &CaseContext<'_>, line: &str) -> Result<Request, CaseOutcome> {
    let path = format!("/api/v1/commission-lines/{line}/detach");
    Ok(Request::post(path).with(&context.all()?))
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}
