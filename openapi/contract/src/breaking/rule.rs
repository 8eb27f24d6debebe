//! A rule: an id, a level, a reason, and the comparison that finds its changes.

use openapi_document::Document;

use super::{
    change::{Direction, Level},
    object::Object,
    step::Step,
};

/// The kinds of objects that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Document,
    /// An operation or its absence.
    Endpoint,
    Operation,
    Servers,
    Security,
    SecurityScheme,
    Parameter,
    RequestBody,
    Response,
    Header,
    MediaType,
    Schema,
}

/// An object as each document has it.
#[derive(Debug, Clone)]
pub(super) struct Pair<'d> {
    pub(super) kind: Kind,
    pub(super) direction: Direction,
    pub(super) old: Object<'d>,
    pub(super) new: Object<'d>,
}

/// One rule. [`super::rules`] has all of them.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) levels: Levels,
    /// The reason for the level, one sentence.
    pub(super) why: &'static str,
    /// True if its changes are about documentation only.
    pub(super) hidden: bool,
    pub(super) find: fn(&Pair<'_>) -> Vec<Found>,
}

/// The levels of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    /// For a part that exists in one direction only.
    Fixed(Level),
    /// For schemas, which requests and responses have.
    ByDirection { request: Level, response: Level },
}

/// A change that a rule found in one object.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Distinguishes it from the rule's other changes of this object.
    pub(super) detail: String,
    pub(super) place: At,
    /// The step from the object to the part that changes.
    pub(super) step: Option<Step>,
    /// The direction, if it differs from the object's.
    pub(super) direction: Option<Direction>,
    /// The level, if it differs from the rule's.
    pub(super) level: Option<Level>,
    /// The report for people; `{it}` stands for the part.
    pub(super) sentence: String,
}

/// A pointer into one of the documents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    Old(String),
    New(String),
}

impl Rule {
    /// A rule about a part that exists in one direction only.
    pub(super) const fn fixed(
        name: &'static str,
        level: Level,
        find: fn(&Pair<'_>) -> Vec<Found>,
    ) -> Self {
        Self { name, levels: Levels::Fixed(level), why: "", hidden: false, find }
    }

    /// A rule about schemas: its level in a request, and in a response.
    pub(super) const fn schema(
        name: &'static str,
        request: Level,
        response: Level,
        find: fn(&Pair<'_>) -> Vec<Found>,
    ) -> Self {
        let levels = Levels::ByDirection { request, response };
        Self { name, levels, why: "", hidden: false, find }
    }

    pub(super) const fn because(mut self, why: &'static str) -> Self {
        self.why = why;
        self
    }

    pub(super) const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    pub(super) fn id(&self, direction: Direction) -> String {
        match self.levels {
            Levels::Fixed(_) => self.name.to_owned(),
            Levels::ByDirection { .. } => format!("{direction}-{}", self.name),
        }
    }

    pub(super) fn level(&self, direction: Direction) -> Level {
        match (self.levels, direction) {
            (Levels::Fixed(level), _)
            | (Levels::ByDirection { request: level, .. }, Direction::Request)
            | (Levels::ByDirection { response: level, .. }, Direction::Response) => level,
        }
    }
}

impl Found {
    pub(super) fn new(place: At, detail: impl Into<String>, sentence: impl Into<String>) -> Self {
        let (detail, sentence) = (detail.into(), sentence.into());
        Self { detail, place, step: None, direction: None, level: None, sentence }
    }

    pub(super) fn inside(mut self, step: Step) -> Self {
        self.step = Some(step);
        self
    }

    pub(super) fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    pub(super) fn towards(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }
}

impl<'d> Pair<'d> {
    pub(super) fn child(&self, kind: Kind, old: Object<'d>, new: Object<'d>) -> Self {
        Self { kind, direction: self.direction, old, new }
    }

    pub(super) fn documents(&self) -> (&'d Document, &'d Document) {
        (self.old.document, self.new.document)
    }

    /// Chooses the sentence for the pair's direction.
    pub(super) fn says(&self, request: impl Into<String>, response: impl Into<String>) -> String {
        match self.direction {
            Direction::Request => request.into(),
            Direction::Response => response.into(),
        }
    }

    /// Returns the place of a member in the new document.
    pub(super) fn in_new(&self, member: &str) -> At {
        At::New(self.new.pointer(member))
    }

    /// Returns the place of a member in the old document.
    pub(super) fn in_old(&self, member: &str) -> At {
        At::Old(self.old.pointer(member))
    }

    /// Returns the place of a member that one of the documents has, or both.
    pub(super) fn at(&self, member: &str) -> At {
        if self.new.get(member).is_some() || self.old.get(member).is_none() {
            self.in_new(member)
        } else {
            self.in_old(member)
        }
    }
}
