//! An element: one thing that the document says at one place. A use is the element where one
//! operation says it, and what the emitted document says there.

use openapi_document::Operation;
use serde_json::Value;

/// How much of a value a message shows.
const SHOWN: usize = 60;

/// What the emitted document makes of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It says the same.
    Kept,
    /// It says nothing.
    Missing,
    /// It says this.
    Changed(String),
    /// It says this, and the document nothing.
    Added(String),
}

/// An element where it is used.
#[derive(Debug, Clone)]
pub struct Use {
    /// Its kind, as in `body.schema.maxLength`: the part of the interface, and the member.
    pub element: String,
    /// Where the document has it; of an added one, the nearest place.
    pub pointer: String,
    /// Where it is used, as in `body title of POST /loans`.
    pub subject: String,
    /// The id of the operation; empty outside of operations.
    pub operation: String,
    /// The status of the response; empty outside of responses.
    pub status: String,
    /// What the document says, shortened; of an added one, empty.
    pub value: String,
    /// What the emitted document says.
    pub outcome: Outcome,
}

/// A part of the interface, whose members are compared.
#[derive(Debug, Clone, Default)]
pub(super) struct Site {
    kind: String,
    part: String,
    owner: String,
    operation: String,
    status: String,
}

impl Site {
    /// A part of no operation.
    pub(super) fn outside(kind: &str) -> Self {
        Self { kind: kind.to_owned(), ..Self::default() }
    }

    pub(super) fn of(operation: &Operation) -> Self {
        Self {
            kind: "operation".to_owned(),
            owner: format!("{} {}", operation.method, operation.path),
            operation: operation.id.clone(),
            ..Self::default()
        }
    }

    /// Another part of the same operation, of this kind.
    pub(super) fn part(&self, kind: &str, part: &str) -> Self {
        Self { kind: kind.to_owned(), part: part.to_owned(), ..self.clone() }
    }

    /// The response with a status.
    pub(super) fn response(&self, kind: &str, status: &str) -> Self {
        Self { status: status.to_owned(), ..self.part(kind, &format!("response {status}")) }
    }

    /// A part of this part: its members have the prefix `member`.
    pub(super) fn inside(&self, member: &str, part: &str) -> Self {
        let mut inner = self.clone();
        inner.kind = format!("{}.{member}", self.kind);
        inner.extend(part);
        inner
    }

    /// The same kind deeper in the value: a property, or an item.
    pub(super) fn deeper(&self, part: &str) -> Self {
        let mut inner = self.clone();
        inner.extend(part);
        inner
    }

    fn extend(&mut self, part: &str) {
        if !part.is_empty() && !self.part.is_empty() {
            self.part.push(' ');
        }
        self.part.push_str(part);
    }

    /// The use of a member, by what both documents say; none where neither says anything.
    pub(super) fn compared(
        &self,
        member: &str,
        pointer: &str,
        ours: Option<&Value>,
        theirs: Option<&Value>,
    ) -> Option<Use> {
        let outcome = match (ours, theirs) {
            (None, None) => return None,
            (Some(ours), Some(theirs)) if ours == theirs => Outcome::Kept,
            (Some(_), Some(theirs)) => Outcome::Changed(shown(theirs)),
            (Some(_), None) => Outcome::Missing,
            (None, Some(theirs)) => Outcome::Added(shown(theirs)),
        };
        let element =
            if member.is_empty() { self.kind.clone() } else { format!("{}.{member}", self.kind) };
        let subject = match (self.part.as_str(), self.owner.as_str()) {
            ("", "") => "the document".to_owned(),
            ("", only) | (only, "") => only.to_owned(),
            (part, owner) => format!("{part} of {owner}"),
        };
        Some(Use {
            element,
            pointer: pointer.to_owned(),
            subject,
            operation: self.operation.clone(),
            status: self.status.clone(),
            value: ours.map(shown).unwrap_or_default(),
            outcome,
        })
    }
}

/// A value in one short line.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
