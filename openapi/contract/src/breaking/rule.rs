//! The rules, and what they find. `breaking/rules.md` is their table: the level, the reason and the
//! report for people.

use std::{
    collections::BTreeMap,
    fmt::{Debug, Display},
    sync::LazyLock,
};

use clap::ValueEnum as _;
use openapi_document::{Document, normal_media_type};

use super::{
    change::{Direction, Level},
    equality::Equality,
    object::Object,
    step::Step,
};

const PAGE: &str = include_str!("../../breaking/rules.md");

/// Rules about documentation, which are reported on request.
const HIDDEN: [&str; 4] =
    ["description-changed", "example-changed", "extension-changed", "info-changed"];

/// A row of the page.
#[derive(Debug)]
pub struct Rule {
    /// The id, such as `response-property-removed`.
    pub id: &'static str,
    /// The level, unless a change gives a reason for another one.
    pub level: Level,
    /// The reason for the level.
    pub why: &'static str,
    /// The report for people: `{it}` stands for the part that changes.
    says: &'static str,
}

/// Every rule by its id; a rule of schemas has one in each direction.
pub static RULES: LazyLock<BTreeMap<&'static str, Rule>> = LazyLock::new(|| {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let rule = |row: &'static str| {
        let columns: Vec<&str> = row.split(" | ").collect();
        let [id, level, why, says] = columns[..] else { panic!("{row}: it has four columns") };
        let id = id.trim_end_matches('`');
        let level = Level::from_str(level, false).unwrap_or_else(|error| panic!("{row}: {error}"));
        (id, Rule { id, level, why, says })
    };
    rows.map(rule).collect()
});

impl Rule {
    /// Returns the rule of this name, or the one of the direction, such as `request-` and the name.
    fn of(name: &str, direction: Direction) -> &'static Self {
        let rule = RULES.get(name).or_else(|| RULES.get(&*format!("{direction}-{name}")));
        rule.unwrap_or_else(|| panic!("breaking/rules.md has no rule {direction}-{name}"))
    }

    /// Returns the report for people, with these words.
    pub(super) fn sentence(&self, words: &[(&str, &str)]) -> String {
        let says = self.says.to_owned();
        words.iter().fold(says, |says, (name, word)| says.replace(&format!("{{{name}}}"), word))
    }

    pub(super) fn is_hidden(&self) -> bool {
        HIDDEN.contains(&self.id)
    }
}

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

#[derive(Debug, Clone)]
pub(super) struct Pair<'d> {
    pub(super) kind: Kind,
    pub(super) direction: Direction,
    pub(super) old: Object<'d>,
    pub(super) new: Object<'d>,
    pub(super) equality: &'d Equality<'d>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum At {
    Old(String),
    New(String),
}

/// Makes a pointer one into the old document, or one into the new.
pub(super) type InDocument = fn(String) -> At;

impl<'d> Pair<'d> {
    pub(super) fn documents(&self) -> (&'d Document, &'d Document) {
        (self.old.document, self.new.document)
    }

    pub(super) fn in_new(&self, member: &str) -> At {
        At::New(self.new.pointer(member))
    }

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

    /// Returns true if only one side has the member, or the two are not equal.
    pub(super) fn differs(
        &self,
        member: &str,
        are_equal: fn(&Equality<'d>, &str, &str) -> bool,
    ) -> bool {
        match (self.old.get(member), self.new.get(member)) {
            (None, None) => false,
            (Some(_), Some(_)) => {
                !are_equal(self.equality, &self.old.pointer(member), &self.new.pointer(member))
            }
            _ => true,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) rule: &'static Rule,
    pub(super) direction: Direction,
    pub(super) level: Level,
    pub(super) place: At,
    /// Distinguishes it from the rule's other changes of this object.
    pub(super) detail: String,
    /// The step from the object to the part that changes.
    pub(super) step: Option<Step>,
    pub(super) sentence: String,
}

impl Found {
    pub(super) fn detail(&mut self, detail: impl Into<String>) -> &mut Self {
        self.detail = detail.into();
        self.sentence = self.sentence.replace("{detail}", &self.detail);
        self
    }

    pub(super) fn word(&mut self, name: &str, word: impl Display) -> &mut Self {
        self.sentence = self.sentence.replace(&format!("{{{name}}}"), &word.to_string());
        self
    }

    pub(super) fn inside(&mut self, step: Step) -> &mut Self {
        self.step = Some(step);
        self
    }

    pub(super) fn level(&mut self, level: Level) -> &mut Self {
        self.level = level;
        self
    }

    pub(super) fn says(&mut self, sentence: &str) -> &mut Self {
        self.sentence = sentence.to_owned();
        self
    }
}

/// A pair has changes of its own, and pairs inside it with the steps to them.
#[derive(Debug)]
pub(super) struct Findings<'p, 'd> {
    pub(super) pair: &'p Pair<'d>,
    pub(super) all: Vec<Found>,
    pub(super) inside: Vec<(Option<Step>, Pair<'d>)>,
}

impl<'d> Findings<'_, 'd> {
    pub(super) fn enter(
        &mut self,
        step: Option<Step>,
        kind: Kind,
        old: Object<'d>,
        new: Object<'d>,
    ) {
        let direction =
            if kind == Kind::Response { Direction::Response } else { self.pair.direction };
        let equality = self.pair.equality;
        self.inside.push((step, Pair { kind, direction, old, new, equality }));
    }

    pub(super) fn enter_at(&mut self, step: Step, kind: Kind, old: &str, new: &str) {
        let documents = self.pair.documents();
        self.enter(Some(step), kind, Object::at(documents.0, old), Object::at(documents.1, new));
    }

    pub(super) fn enter_schema(&mut self, step: Option<Step>, old: Vec<String>, new: Vec<String>) {
        let documents = self.pair.documents();
        let (old, new) = (Object::schema(documents.0, old), Object::schema(documents.1, new));
        self.enter(step, Kind::Schema, old, new);
    }

    /// Enters the schemas of a member that both sides have.
    pub(super) fn enter_nested(&mut self, step: Option<Step>, member: &str) {
        let pointers = |object: &Object<'d>| -> Vec<String> {
            let all = object.all(member).into_iter().filter(|part| part.value.is_object());
            all.map(|part| part.pointer).collect()
        };
        let (old, new) = (pointers(&self.pair.old), pointers(&self.pair.new));
        if !old.is_empty() && !new.is_empty() {
            self.enter_schema(step, old, new);
        }
    }

    /// Enters the members of a map by their names: of media types in their normal form, of others
    /// without case.
    pub(super) fn enter_members(&mut self, map: &str, kind: Kind, step: impl Fn(&str) -> Step) {
        let after = self.pair.new.members(map);
        for (name, old) in self.pair.old.members(map) {
            let is_extension = name.starts_with("x-") && kind != Kind::Header;
            let same = after.iter().find(|(other, _)| match kind {
                Kind::MediaType => normal_media_type(other) == normal_media_type(name),
                _ => other.eq_ignore_ascii_case(name),
            });
            if let Some((_, new)) = same.filter(|_| !is_extension) {
                self.enter_at(step(name), kind, &old, new);
            }
        }
    }

    pub(super) fn add(&mut self, rule: &str, place: At) -> &mut Found {
        let direction = self.pair.direction;
        let rule = Rule::of(rule, direction);
        self.all.push(Found {
            rule,
            direction,
            level: rule.level,
            place,
            detail: String::new(),
            step: None,
            sentence: rule.says.to_owned(),
        });
        self.all.last_mut().expect("one was pushed")
    }

    /// Adds a change if something about a member is true of one side alone: the first rule if it is
    /// the new side.
    pub(super) fn toggled(
        &mut self,
        member: &str,
        is_true: impl Fn(&Object<'d>) -> bool,
        [set, unset]: [&str; 2],
    ) -> Option<&mut Found> {
        let rule = match (is_true(&self.pair.old), is_true(&self.pair.new)) {
            (false, true) => set,
            (true, false) => unset,
            _ => return None,
        };
        Some(self.add(rule, self.pair.at(member)))
    }

    /// Adds a change for each element that one side alone has, with the first rule for those of the
    /// old side. A list has the elements with their pointers.
    pub(super) fn one_sided<T>(
        &mut self,
        [removed, added]: [&str; 2],
        list: impl Fn(&Object<'d>) -> Vec<(T, String)>,
        is_same: impl Fn(&T, &T) -> bool,
        mut tell: impl FnMut(&mut Found, &T),
    ) {
        let (old, new) = (list(&self.pair.old), list(&self.pair.new));
        let sides: [(_, InDocument, _, _); 2] =
            [(removed, At::Old, &old, &new), (added, At::New, &new, &old)];
        for (rule, place, own, others) in sides {
            for (element, pointer) in own {
                if !others.iter().any(|(other, _)| is_same(element, other)) {
                    tell(self.add(rule, place(pointer.clone())), element);
                }
            }
        }
    }
}
