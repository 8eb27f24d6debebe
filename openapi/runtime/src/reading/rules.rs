//! The rules that a document can set for texts and numbers, as constants, and what a violation of
//! one is.

use std::fmt::Display;

use fancy_regex::Regex;

use crate::problem::{Issue, IssueCode, Location};

/// The rule of a text. Lengths count Unicode scalar values.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// The minimum number of characters.
    pub min_length: usize,
    /// The maximum number of characters.
    pub max_length: Option<usize>,
    /// The pattern it must match.
    pub pattern: Option<Pattern>,
}

/// A regular expression, compiled once.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    source: &'static str,
    /// For a text that does not match; by default it has the pattern.
    message: Option<&'static str>,
    compiled: fn() -> &'static Regex,
}

/// The rule of a whole number; both bounds are allowed values.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    pub minimum: i64,
    pub maximum: i64,
    pub multiple_of: Option<i64>,
    /// The only allowed numbers.
    pub values: Option<&'static [i64]>,
}

/// The kind of a violation, and its message.
pub type Violation = (IssueCode, String);

/// A value that was not read: its violation is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(());

impl Invalid {
    /// For a problem that is kept beside the violations.
    pub(crate) const NOTED: Self = Self(());
}

/// The violations of one request.
#[derive(Debug, Default)]
pub struct Violations(Vec<Issue>);

/// A value that a parameter can carry.
pub trait FromText: Sized {
    fn from_text(text: &str) -> Result<Self, Violation>;
}

/// A position in a list, bound to the list and its filters.
pub trait ListPosition: Sized {
    type Error: Display;

    /// Reads `text` for this list with these filters, which are sorted by name.
    fn from_text_of<'a>(
        text: &str,
        operation: &str,
        filters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Self::Error>;
}

impl Violations {
    pub fn add(
        &mut self,
        location: Location,
        path: impl Into<String>,
        (code, message): Violation,
    ) -> Invalid {
        self.0.push(Issue { location, path: path.into(), code, message });
        Invalid(())
    }

    pub fn first_message(&self) -> Option<&str> {
        self.0.first().map(|issue| &*issue.message)
    }

    pub(crate) fn issues(&self) -> &[Issue] {
        &self.0
    }

    pub(super) fn into_issues(self) -> Vec<Issue> {
        self.0
    }
}

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Text::ANY.read(text)
    }
}

impl FromText for bool {
    fn from_text(text: &str) -> Result<Self, Violation> {
        text.parse().map_err(|_| (IssueCode::WrongType, "must be true or false".to_owned()))
    }
}

impl FromText for i64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Integer::ANY.parse(text)
    }
}

impl FromText for i32 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        let number = Integer::ANY_32.parse(text)?;
        Self::try_from(number).map_err(|_| Integer::ANY_32.too_large())
    }
}

impl Text {
    /// Any text without U+0000.
    pub const ANY: Self = Self { min_length: 0, max_length: None, pattern: None };

    /// Requires at least `length` characters.
    pub const fn at_least(self, length: usize) -> Self {
        Self { min_length: length, ..self }
    }

    /// Allows at most `length` characters.
    pub const fn at_most(self, length: usize) -> Self {
        Self { max_length: Some(length), ..self }
    }

    /// Requires a match of the pattern.
    pub const fn matching(self, pattern: Pattern) -> Self {
        Self { pattern: Some(pattern), ..self }
    }

    /// The first violation of `text`.
    pub fn violation(&self, text: &str) -> Option<Violation> {
        if text.contains('\0') {
            return Some((IssueCode::BadFormat, "must not contain U+0000".to_owned()));
        }
        let length = text.chars().count();
        if length < self.min_length {
            let message =
                format!("must have at least {}, has {length}", characters(self.min_length));
            return Some((IssueCode::TooShort, message));
        }
        if let Some(max_length) = self.max_length.filter(|max_length| length > *max_length) {
            let message = format!("must have at most {}, has {length}", characters(max_length));
            return Some((IssueCode::TooLong, message));
        }
        // A pattern that takes too many steps does not match.
        let is_match = |pattern: &Pattern| matches!((pattern.compiled)().is_match(text), Ok(true));
        let pattern = self.pattern.filter(|pattern| !is_match(pattern))?;
        let default = || format!("must match the pattern {}", pattern.source);
        Some((IssueCode::BadFormat, pattern.message.map_or_else(default, str::to_owned)))
    }

    /// A copy of `text`, where it keeps the rule.
    pub fn read(&self, text: &str) -> Result<String, Violation> {
        self.violation(text).map_or_else(|| Ok(text.to_owned()), Err)
    }
}

impl Pattern {
    /// A pattern, and the function that compiles it once.
    pub const fn new(source: &'static str, compiled: fn() -> &'static Regex) -> Self {
        Self { source, message: None, compiled }
    }

    /// Adds a message for people, such as "must be a code of three letters".
    pub const fn with_message(self, message: &'static str) -> Self {
        Self { message: Some(message), ..self }
    }
}

impl Integer {
    /// Any number of 64 bits.
    pub const ANY: Self =
        Self { minimum: i64::MIN, maximum: i64::MAX, multiple_of: None, values: None };

    /// Any number of 32 bits.
    pub const ANY_32: Self =
        Self { minimum: i32::MIN as i64, maximum: i32::MAX as i64, ..Self::ANY };

    /// Requires a multiple of a number above zero.
    pub const fn multiple_of(self, step: i64) -> Self {
        Self { multiple_of: Some(step), ..self }
    }

    /// Requires one of these numbers.
    pub const fn one_of(self, values: &'static [i64]) -> Self {
        Self { values: Some(values), ..self }
    }

    pub fn violation(&self, number: i64) -> Option<Violation> {
        if number < self.minimum {
            return Some(self.too_small());
        }
        if number > self.maximum {
            return Some(self.too_large());
        }
        if let Some(step) = self.multiple_of.filter(|step| number % step != 0) {
            return Some((IssueCode::BadFormat, format!("must be a multiple of {step}")));
        }
        let values = self.values.filter(|values| !values.contains(&number))?;
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        Some((IssueCode::NotInEnum, format!("must be one of {}", values.join(", "))))
    }

    /// Reads a parameter: digits without plus sign or leading zeros.
    pub fn parse(&self, text: &str) -> Result<i64, Violation> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || (digits.starts_with('0') && text != "0") {
            let message = "must be a whole number in digits, without sign, blanks or leading zeros";
            return Err((IssueCode::WrongType, message.to_owned()));
        }
        // Digits that do not fit into 64 bits exceed every bound.
        let number: i64 = text.parse().map_err(|_| match text.starts_with('-') {
            true => self.too_small(),
            false => self.too_large(),
        })?;
        self.violation(number).map_or(Ok(number), Err)
    }

    fn too_small(&self) -> Violation {
        (IssueCode::TooSmall, format!("must be at least {}", self.minimum))
    }

    fn too_large(&self) -> Violation {
        (IssueCode::TooLarge, format!("must be at most {}", self.maximum))
    }
}

fn characters(count: usize) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}
