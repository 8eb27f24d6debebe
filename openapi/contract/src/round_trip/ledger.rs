//! The file that says what of the document the emitted one does not show: proved by a test, or only
//! recorded, with a count that may only fall.
//!
//! ```toml
//! [[proved]]
//! elements = ["body.schema.additionalProperties"]
//! by = ["tests/bodies.rs::unknown_member_is_rejected", "snapshots/{operation}/422_*.snap"]
//!
//! [[ledger]]
//! elements = ["response.schema.format"]
//! count = 12
//! reason = "A text has no format."
//!
//! [[ledger]]
//! elements = ["*.example"]
//! count = "all"
//! reason = "The framework has no examples of bodies."
//! ```
//!
//! A count is the number of elements, and may only fall. Of a kind that the emitted document never
//! has, it is `"all"`, so that a longer document needs no other ledger.
//!
//! `*` in an element stands for any letters. `emitted = "changed"` or `"added"` makes a rule one of
//! elements that the emitted document says otherwise, or says alone; without it a rule is one of
//! those that it lacks.

use std::{fs, io, ops::Range, path::Path};

use serde::Deserialize;
use toml::Spanned;

use super::element::{Outcome, Use};

/// The rules of a project.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// What tests prove.
    #[serde(default)]
    pub proved: Vec<Spanned<Proved>>,
    /// What nothing proves.
    #[serde(default)]
    pub ledger: Vec<Spanned<Recorded>>,
    #[serde(skip)]
    text: String,
}

/// Elements that tests prove.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proved {
    elements: Vec<String>,
    #[serde(default)]
    emitted: Emitted,
    /// The tests or files, each of which must exist: `FILE::NAME` of a function, or `FILE`, where
    /// `{operation}` and `{status}` stand for those of the element, and `*` for any letters.
    pub by: Vec<String>,
}

/// Elements that nothing proves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    elements: Vec<String>,
    #[serde(default)]
    emitted: Emitted,
    /// How many there are.
    pub count: Spanned<Count>,
    /// Why.
    pub reason: String,
}

/// How many elements a rule of the ledger allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "write a number, or \"all\"")]
pub enum Count {
    /// At most so many; fewer is a finding, too.
    Exactly(usize),
    /// Every one of its kind: the emitted document has none.
    Every(Every),
}

/// The word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Every {
    /// `"all"`.
    #[serde(rename = "all")]
    All,
}

/// What the emitted document makes of the elements of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Emitted {
    #[default]
    Missing,
    Changed,
    Added,
}

impl Ledger {
    /// Reads the file; where there is none, there is no rule.
    ///
    /// # Errors
    /// The file cannot be read, or a rule is invalid.
    pub fn load(path: &Path) -> Result<Self, String> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.to_string()),
        }
        .map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: String) -> Result<Self, String> {
        let ledger: Self = toml::from_str(&text).map_err(|error| error.to_string())?;
        let ledger = Self { text, ..ledger };
        let is_said = |reason: &str| reason.chars().any(char::is_alphabetic);
        if let Some(rule) = ledger.ledger.iter().find(|rule| !is_said(&rule.get_ref().reason)) {
            let line = ledger.line(rule.span());
            return Err(format!("line {line}: the rule has no reason; say why nothing proves it"));
        }
        if let Some(rule) = ledger.proved.iter().find(|rule| rule.get_ref().by.is_empty()) {
            let line = ledger.line(rule.span());
            return Err(format!("line {line}: the rule names no test; add one to `by = […]`"));
        }
        Ok(ledger)
    }

    /// The line of a rule, counted from 1.
    #[must_use]
    pub fn line(&self, span: Range<usize>) -> u32 {
        let before = self.text.get(..span.start).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }

    /// The text of the file, with the counts lowered to what is left of each rule of `ledger`.
    #[must_use]
    pub fn lowered(&self, left: &[usize]) -> String {
        let mut text = self.text.clone();
        // From the end, so that the places before stay as they are.
        for (rule, left) in self.ledger.iter().zip(left).rev() {
            let count = &rule.get_ref().count;
            if let Count::Exactly(known) = count.get_ref()
                && left < known
            {
                text.replace_range(count.span(), &left.to_string());
            }
        }
        text
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Proved {
    /// Whether the rule is about this element, used here.
    #[must_use]
    pub fn matches(&self, used: &Use) -> bool {
        self.emitted.matches(&self.elements, used)
    }

    /// The elements, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.elements.join(", ")
    }
}

impl Recorded {
    /// Whether the rule is about this element, used here.
    #[must_use]
    pub fn matches(&self, used: &Use) -> bool {
        self.emitted.matches(&self.elements, used)
    }

    /// The elements, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.elements.join(", ")
    }
}

impl Emitted {
    fn matches(self, elements: &[String], used: &Use) -> bool {
        Self::of(&used.outcome) == Some(self)
            && elements.iter().any(|pattern| fits(pattern, &used.element))
    }

    fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Kept => None,
            Outcome::Missing => Some(Self::Missing),
            Outcome::Changed(_) => Some(Self::Changed),
            Outcome::Added(_) => Some(Self::Added),
        }
    }
}

/// Whether a text has the form of a pattern, in which `*` stands for any letters.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let ends = text.char_indices().map(|(index, _)| index).chain([text.len()]);
            ends.into_iter().any(|end| fits(rest, &text[end..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_stands_for_any_letters() {
        for (pattern, text, expected) in [
            ("body.*", "body.schema.type", true),
            ("*.schema.type", "body.schema.type", true),
            ("body", "body.schema", false),
            ("*.x-*", "operation.x-profile", true),
            ("*.x-*", "operation.security", false),
            ("a*b*c", "abbc", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn counts_are_lowered_in_place_and_never_raised() {
        let rule = |count: &str| {
            format!("[[ledger]] # kept\nelements = [\"a\"]\ncount = {count}\nreason = \"r\"\n")
        };
        let text = |counts: [&str; 3]| counts.map(rule).concat();
        let ledger = Ledger::parse(text(["12", "\"all\"", "3"])).unwrap();
        assert_eq!(ledger.lowered(&[7, 5, 4]), text(["7", "\"all\"", "3"]));
        assert_eq!(ledger.line(ledger.ledger[1].span()), 5);
    }

    #[test]
    fn rule_without_a_reason_is_an_error() {
        let text = "[[ledger]]\nelements = [\"a\"]\ncount = 1\nreason = \"…\"\n";
        let error = Ledger::parse(text.to_owned()).unwrap_err();
        assert!(error.contains("line 1: the rule has no reason"), "{error}");
    }
}
