//! Which places of a response are volatile, and what stands there instead.
//!
//! It refuses to know a value by its look: the document's names of schemas say what it is, and their formats are checked.

use crate::target::Fixture;

/// Schemas of values that name something: bound to a name with a number, so that equal values stay equal.
const IDENTITIES: [(&str, &str); 11] = [
    ("PartnerId", "partner"),
    ("CommissionLineId", "line"),
    ("PayoutId", "payout"),
    ("PayoutBatchId", "batch"),
    ("UserId", "user"),
    ("TierId", "tier"),
    ("PhaseId", "phase"),
    ("ExperienceTemplateId", "template"),
    ("AssetId", "asset"),
    ("Cursor", "cursor"),
    ("DownloadUrl", "link"),
];
/// The schema of instants.
const INSTANT: &str = "Timestamp";
/// Members whose instant is that of a request, and not of the data set.
const MOVING: [&str; 2] = ["updatedAt", "expiresAt"];

/// What a run wrote for a while, and nobody else: `borrowed.rs` and `lease.rs`.
pub(super) const MARK: &str = "mark";
/// The one identity that also stands in a query under its own name.
pub(super) const CURSOR: &str = "cursor";

/// Instants that move. They bear no number: two changes may fall into one millisecond.
pub(super) const TIME: &str = "[time]";
/// Seconds that are left of a minute or a month.
pub(super) const SECONDS: &str = "[seconds]";
/// What is left of an allowance, and how large it is: others count as well, and its owner may change it.
pub(super) const COUNT: &str = "[count]";
/// An `x-request-id`.
pub(super) const REQUEST_ID: &str = "[request-id]";
/// A text that is drawn anew in each run, where a case says so.
pub(super) const DRAWN: &str = "[drawn]";
/// A key, wherever it stood.
pub(super) const KEY: &str = "[key]";

/// What the fixture names by an id that may stand in a path before any response has told it.
pub(crate) fn of_fixture(fixture: Fixture) -> Option<&'static str> {
    match fixture {
        Fixture::Partner
        | Fixture::PartnerWithExternalId
        | Fixture::ShadowPartner
        | Fixture::ForeignPartner => Some("partner"),
        Fixture::Tier => Some("tier"),
        Fixture::Phase => Some("phase"),
        Fixture::ExperienceTemplate => Some("template"),
        Fixture::User => Some("user"),
        Fixture::Payout
        | Fixture::PayoutOfManyLines
        | Fixture::PayoutWithoutLines
        | Fixture::PayoutUploaded
        | Fixture::PayoutNoted
        | Fixture::PayoutToDetach
        | Fixture::PayoutToEmpty
        | Fixture::ForeignPayout
        | Fixture::PayoutNoBilling
        | Fixture::PayoutNoBillingWithoutLines
        | Fixture::PayoutNoBillingUploaded => Some("payout"),
        Fixture::LinesToDetach
        | Fixture::LineUnattached
        | Fixture::LineExpected
        | Fixture::LineVoided
        | Fixture::ForeignLine => Some("line"),
        // They are values of the CRM, and no ids of the service.
        Fixture::ExternalId | Fixture::ForeignExternalId => None,
    }
}

/// All schemas whose values may be bound.
pub(super) fn schemas() -> impl Iterator<Item = &'static str> {
    let identities = IDENTITIES.iter().map(|(schema, _)| *schema);
    identities.chain([INSTANT])
}

/// What a value of this schema is called.
pub(super) fn identity(schema: &str) -> Option<&'static str> {
    let mut identities = IDENTITIES.iter();
    let found = identities.find(|(known, _)| *known == schema);
    found.map(|(_, name)| *name)
}

/// Whether a member with a value of this schema is an instant that moves.
pub(super) fn moves(schema: &str, member: &str) -> bool {
    schema == INSTANT && MOVING.contains(&member)
}
