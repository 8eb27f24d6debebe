//! The rules a document can set for a value, as constants.
//!
//! It refuses nothing by itself but single texts and numbers; `value.rs` walks bodies, `parameter.rs` parameters.

use poem_openapi::registry::MetaSchema;
use regex::Regex;

use crate::contract::problem::IssueCode;

/// What a request must look like.
#[derive(Debug)]
pub struct Form {
    /// Path parameters.
    pub path: &'static [Parameter],
    /// Query parameters; any other name is refused (R9).
    pub query: &'static [Parameter],
    /// Headers of the document; others are none of ours.
    pub headers: &'static [Parameter],
    /// The JSON body, where the operation has one.
    pub body: Option<Rule>,
}

/// A parameter of a request.
#[derive(Debug)]
pub struct Parameter {
    /// Its name; a header's in lower case.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What its value must be.
    pub rule: Rule,
}

/// What a value must be.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// Anything but U+0000 in a text.
    Any,
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text(&'static Text),
    /// One of a closed set of texts.
    Choice(&'static [&'static str]),
    /// A whole number.
    Integer(&'static Integer),
    /// An amount, see [`Money`](crate::contract::Money).
    Money,
    /// An instant, see [`Timestamp`](crate::contract::Timestamp).
    Timestamp,
    /// A list.
    List(&'static List),
    /// An object with any names.
    Map(&'static Rule),
    /// An object with fields.
    Object(&'static Object),
    /// Null, or a value.
    Nullable(&'static Rule),
}

/// The rule of a text. Lengths count Unicode scalar values (R3).
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// At least so many characters.
    pub min_length: usize,
    /// At most so many characters.
    pub max_length: Option<usize>,
    /// A pattern it must match.
    pub pattern: Option<Pattern>,
}

/// A regular expression, compiled once.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    source: &'static str,
    compiled: fn() -> &'static Regex,
}

/// The rule of a whole number; both bounds are allowed values.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    /// The least one.
    pub minimum: i64,
    /// The greatest one.
    pub maximum: i64,
}

/// The rule of a list.
#[derive(Debug)]
pub struct List {
    /// What each item must be.
    pub items: Rule,
    /// At least so many items.
    pub min_items: usize,
    /// At most so many items.
    pub max_items: Option<usize>,
}

/// The rule of an object.
#[derive(Debug)]
pub struct Object {
    /// Whether a field beside these is refused.
    pub closed: bool,
    /// Its fields.
    pub fields: &'static [Field],
}

/// A field of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What its value must be.
    pub rule: Rule,
}

/// The kind of a violation, and its message.
pub(super) type Violation = (IssueCode, String);

impl Text {
    /// Any text without U+0000.
    pub const ANY: Self = Self {
        min_length: 0,
        max_length: None,
        pattern: None,
    };

    /// The same with at least `length` characters.
    #[must_use]
    pub const fn at_least(self, length: usize) -> Self {
        Self {
            min_length: length,
            ..self
        }
    }

    /// The same with at most `length` characters.
    #[must_use]
    pub const fn at_most(self, length: usize) -> Self {
        Self {
            max_length: Some(length),
            ..self
        }
    }

    /// The same with a pattern.
    #[must_use]
    pub const fn matching(self, pattern: Pattern) -> Self {
        Self {
            pattern: Some(pattern),
            ..self
        }
    }

    /// The first thing that is wrong with `text`, and how to mend it.
    #[must_use]
    pub fn violation(&self, text: &str) -> Option<Violation> {
        if text.contains('\0') {
            return Some((IssueCode::BadFormat, "must not contain U+0000".to_owned()));
        }
        let length = text.chars().count();
        if length < self.min_length {
            let message = format!(
                "must have at least {}, has {length}",
                characters(self.min_length)
            );
            return Some((IssueCode::TooShort, message));
        }
        if let Some(max_length) = self.max_length.filter(|max_length| length > *max_length) {
            let message = format!("must have at most {}, has {length}", characters(max_length));
            return Some((IssueCode::TooLong, message));
        }
        let pattern = self
            .pattern
            .filter(|pattern| !(pattern.compiled)().is_match(text))?;
        Some((
            IssueCode::BadFormat,
            format!("must match the pattern {}", pattern.source),
        ))
    }

    /// The schema for the framework's document.
    #[must_use]
    pub fn schema(&self) -> MetaSchema {
        let mut schema = MetaSchema::new("string");
        schema.min_length = Some(self.min_length).filter(|length| *length > 0);
        schema.max_length = self.max_length;
        schema.pattern = self.pattern.map(|pattern| pattern.source.to_owned());
        schema
    }
}

impl Pattern {
    /// A pattern, and the function that compiles it once.
    #[must_use]
    pub const fn new(source: &'static str, compiled: fn() -> &'static Regex) -> Self {
        Self { source, compiled }
    }
}

impl Integer {
    /// Any number of 64 bits.
    pub const ANY: Self = Self {
        minimum: i64::MIN,
        maximum: i64::MAX,
    };

    /// Any number of 32 bits.
    pub const ANY_32: Self = Self {
        minimum: i32::MIN as i64,
        maximum: i32::MAX as i64,
    };

    /// What is wrong with `number`.
    #[must_use]
    pub fn violation(&self, number: i64) -> Option<Violation> {
        if number < self.minimum {
            return Some(self.too_small());
        }
        (number > self.maximum).then(|| self.too_large())
    }

    /// Reads a number in the one spelling that a parameter may have: no plus sign, no leading zero, digits alone.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(&self, text: &str) -> Result<i64, Violation> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || (digits.starts_with('0') && text != "0") {
            let message = "must be a whole number in digits, without sign, blanks or leading zeros";
            return Err((IssueCode::WrongType, message.to_owned()));
        }
        // Digits alone that do not fit into 64 bits are beyond every bound.
        let number: i64 = text.parse().map_err(|_| match text.starts_with('-') {
            true => self.too_small(),
            false => self.too_large(),
        })?;
        self.violation(number).map_or(Ok(number), Err)
    }

    /// The schema for the framework's document.
    #[must_use]
    pub fn schema(&self, format: &'static str) -> MetaSchema {
        let mut schema = MetaSchema::new_with_format("integer", format);
        schema.minimum = Some(self.minimum as _);
        schema.maximum = Some(self.maximum as _);
        schema
    }

    fn too_small(&self) -> Violation {
        (
            IssueCode::TooSmall,
            format!("must be at least {}", self.minimum),
        )
    }

    fn too_large(&self) -> Violation {
        (
            IssueCode::TooLarge,
            format!("must be at most {}", self.maximum),
        )
    }
}

fn characters(count: usize) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}
