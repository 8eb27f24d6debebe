//! The rules that a document can set for texts and numbers, as constants, and what a violation of
//! one is.

use fancy_regex::Regex;
use openapi_formats::Format;

use super::multipart::File;
use crate::problem::{Issue, IssueCode, Location};

/// The rule of a text. Lengths count Unicode scalar values.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    pub min_length: usize,
    pub max_length: Option<usize>,
    pub pattern: Option<Pattern>,
    /// A `format` that is checked.
    pub format: Option<&'static str>,
}

/// A regular expression, compiled once.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    source: &'static str,
    /// For a text that does not match; by default it has the pattern.
    message: Option<&'static str>,
    compiled: fn() -> &'static Regex,
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

/// The violations of a request, and the files beside the values of its body.
#[derive(Debug, Default)]
pub struct Violations {
    issues: Vec<Issue>,
    /// By the pointer of the part; of several, in their order.
    files: Vec<(String, File)>,
}

/// A value that a parameter can carry.
pub trait FromText: Sized {
    fn from_text(text: &str) -> Result<Self, Violation>;
}

impl Violations {
    pub fn add(
        &mut self,
        location: Location,
        path: impl Into<String>,
        (code, message): Violation,
    ) -> Invalid {
        self.issues.push(Issue { location, path: path.into(), code, message });
        Invalid(())
    }

    pub fn first_message(&self) -> Option<&str> {
        self.issues.first().map(|issue| &*issue.message)
    }

    pub(crate) fn issues(&self) -> &[Issue] {
        &self.issues
    }

    pub(super) fn into_issues(self) -> Vec<Issue> {
        self.issues
    }

    /// Removes what says of these that they are missing: they were sent.
    pub(super) fn keep_sent(&mut self, pointers: &[String]) {
        let is_missing = |issue: &Issue| issue.code == IssueCode::Required;
        self.issues.retain(|issue| !is_missing(issue) || !pointers.contains(&issue.path));
    }

    pub(super) fn add_file(&mut self, pointer: String, file: File) {
        self.files.push((pointer, file));
    }

    /// The next file of a part, or of the item of a list of files.
    pub(super) fn take_file(&mut self, pointer: &str) -> Option<File> {
        let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
        let is_it = |(at, _): &(String, File)| at == pointer || at == list;
        let index = self.files.iter().position(is_it)?;
        Some(self.files.remove(index).1)
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

impl Text {
    /// Any text without U+0000.
    pub const ANY: Self = Self { min_length: 0, max_length: None, pattern: None, format: None };

    pub const fn at_least(self, length: usize) -> Self {
        Self { min_length: length, ..self }
    }

    pub const fn at_most(self, length: usize) -> Self {
        Self { max_length: Some(length), ..self }
    }

    pub const fn matching(self, pattern: Pattern) -> Self {
        Self { pattern: Some(pattern), ..self }
    }

    pub const fn in_format(self, name: &'static str) -> Self {
        Self { format: Some(name), ..self }
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
        if let Some(pattern) = self.pattern.filter(|pattern| !is_match(pattern)) {
            let default = || format!("must match the pattern {}", pattern.source);
            let message = pattern.message.map_or_else(default, str::to_owned);
            return Some((IssueCode::BadFormat, message));
        }
        let format = self.format.and_then(Format::named)?;
        let message = || format!("must be {}", format.description);
        (!format.accepts(text)).then(|| (IssueCode::BadFormat, message()))
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

fn characters(count: usize) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}

/// A violation of the number of items, names, properties or bytes.
pub(super) fn miscounted(
    count: usize,
    min: usize,
    max: Option<usize>,
    what: &str,
) -> Option<Violation> {
    let counted = |limit: usize| match (limit, what) {
        (1, "bytes") => "1 byte".to_owned(),
        (1, "properties") => "1 property".to_owned(),
        _ => format!("{limit} {what}"),
    };
    if count < min {
        let message = format!("must have at least {}, has {count}", counted(min));
        return Some((IssueCode::TooShort, message));
    }
    let max = max.filter(|max| count > *max)?;
    let message = format!("must have at most {}, has {count}", counted(max));
    Some((IssueCode::TooLong, message))
}
