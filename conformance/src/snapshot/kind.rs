//! Which values of a response are volatile, and their names. The name of a value's schema decides,
//! not its look.

use std::{collections::BTreeMap, sync::Arc};

use openapi_document::{Direction, Document, DocumentError, Validator};

use crate::target::Fixture;

/// Schemas of values that name something: replaced by a name with a number, so that equal values
/// stay equal.
const IDENTITIES: [(&str, &str); 20] = [
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
    ("RequestId", "request-id"),
];
/// Links, which are as secret as a key.
pub(crate) const LINKS: [&str; 2] = ["link", "portal-link"];
/// Members whose instant is that of a request, not of the data set.
pub(crate) const MOVING: [&str; 2] = ["updatedAt", "expiresAt"];

/// A marker that a run writes while it changes something.
pub(crate) const MARK: &str = "mark";
/// The identity that is also a query parameter of the same name.
pub(crate) const CURSOR: &str = "cursor";

/// Instants of a request. They have no number: two changes may fall into one millisecond.
pub(crate) const TIME: &str = "[time]";
/// Seconds left of a minute or a month.
pub(crate) const SECONDS: &str = "[seconds]";
/// An allowance, or what is left of it: others use it too, and its owner may change it.
pub(crate) const COUNT: &str = "[count]";
pub(crate) const REQUEST_ID: &str = "[request-id]";
/// A text that a case declares to be random in each run.
pub(crate) const RANDOM: &str = "[random]";
pub(crate) const KEY: &str = "[key]";
pub(crate) const COOKIE: &str = "[cookie]";
/// A text where the document has a link.
pub(crate) const NO_LINK: &str = "[no link]";
/// The query of an address.
pub(crate) const QUERY: &str = "[query]";
/// A segment of an address that no person chose.
pub(crate) const OPAQUE: &str = "[opaque]";
/// A value that differs between two recordings of one deployment.
pub(crate) const VARIES: &str = "[varies]";

/// Returns the kind of thing that a fixture's id names, by the fixture's own name: `line` for
/// `foreign_line`. The id may be in a path before any response contains it.
pub(crate) fn of_fixture(fixture: Fixture) -> Option<&'static str> {
    let mut words = fixture.name().split('_').map(|word| word.trim_end_matches('s'));
    words.find_map(|word| {
        let mut names = IDENTITIES.iter().map(|(_, name)| *name);
        names.find(|name| *name == word)
    })
}

/// The kinds of things that a document's values name, each with the format of such a value.
#[derive(Debug, Default)]
pub(crate) struct Identities(BTreeMap<&'static str, Arc<Identity>>);

#[derive(Debug)]
pub(crate) struct Identity {
    /// Such as `partner`.
    pub(crate) name: &'static str,
    format: Validator,
}

impl Identity {
    /// Returns true if the text has the format that the document requires of such a value.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        self.format.is_valid(&text.into())
    }
}

impl Identities {
    pub(crate) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut identities = BTreeMap::new();
        for (schema, name) in IDENTITIES {
            let pointer = format!("/components/schemas/{schema}");
            if document.value().pointer(&pointer).is_some() {
                let format = document.validator(&pointer, Direction::Response)?;
                identities.insert(schema, Arc::new(Identity { name, format }));
            }
        }
        Ok(Self(identities))
    }

    /// The kind of things that values of this component name.
    pub(crate) fn of_schema(&self, name: &str) -> Option<Arc<Identity>> {
        self.0.get(name).cloned()
    }

    /// Returns what a value of the schema at this pointer names: that of the schema to which it
    /// refers. `NullableTierId` is a `TierId` or null.
    pub(crate) fn find(&self, document: &Document, pointer: &str) -> Option<Arc<Identity>> {
        let schema = document.value().pointer(pointer)?;
        let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"))?;
        let target = reference.as_str()?.strip_prefix('#')?;
        let name = target.rsplit('/').next()?;
        let name = name.strip_prefix("Nullable").unwrap_or(name);
        self.0.get(name).cloned().or_else(|| self.find(document, target))
    }
}
