//! Which values of a response are volatile, and their names. The name of a value's schema decides,
//! not its look.

use openapi_document::Document;

use crate::target::Fixture;

/// Schemas of values that name something: replaced by a name with a number, so that equal values
/// stay equal.
const IDENTITIES: [(&str, &str); 19] = [
    ("PartnerId", "partner"),
    ("CommentId", "comment"),
    ("FormId", "form"),
    ("FormSubmissionId", "submission"),
    ("ConversionId", "conversion"),
    ("ClickId", "click"),
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
    ("PortalSessionId", "session"),
    ("PortalUrl", "portal-link"),
    ("CrmSyncId", "sync"),
];
/// Members whose instant is that of a request, not of the data set.
pub(super) const MOVING: [&str; 2] = ["updatedAt", "expiresAt"];

/// A marker that a run writes while it changes something.
pub(super) const MARK: &str = "mark";
/// The identity that is also a query parameter of the same name.
pub(super) const CURSOR: &str = "cursor";

/// Instants of a request. They have no number: two changes may fall into one millisecond.
pub(super) const TIME: &str = "[time]";
/// Seconds left of a minute or a month.
pub(super) const SECONDS: &str = "[seconds]";
/// An allowance, or what is left of it: others use it too, and its owner may change it.
pub(super) const COUNT: &str = "[count]";
pub(super) const REQUEST_ID: &str = "[request-id]";
/// A text that a case declares to be random in each run.
pub(super) const RANDOM: &str = "[random]";
pub(super) const KEY: &str = "[key]";

/// Returns the kind of thing that a fixture's id names, by the fixture's own name: `line` for
/// `foreign_line`. The id may be in a path before any response contains it.
pub(crate) fn of_fixture(fixture: Fixture) -> Option<&'static str> {
    let mut words = fixture.name().split('_').map(|word| word.trim_end_matches('s'));
    words.find_map(|word| {
        let mut names = IDENTITIES.iter().map(|(_, name)| *name);
        names.find(|name| *name == word)
    })
}

/// Returns the kind of thing that a value of the schema at this pointer names: that of the schema
/// to which it refers. `NullableTierId` is a `TierId` or null.
pub(super) fn of_schema(document: &Document, pointer: &str) -> Option<&'static str> {
    let schema = document.value().pointer(pointer)?;
    let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"))?;
    let target = reference.as_str()?.strip_prefix('#')?;
    let name = target.rsplit('/').next()?;
    let name = name.strip_prefix("Nullable").unwrap_or(name);
    let known = IDENTITIES.iter().find(|(schema, _)| *schema == name);
    known.map(|(_, kind)| *kind).or_else(|| of_schema(document, target))
}
