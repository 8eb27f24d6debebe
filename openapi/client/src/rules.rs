//! Checks the values of a request against the rules of the document before it is sent, and finds
//! all violations. The generator writes the tables; messages are those of the server.

use std::{
    cmp::Ordering::{self, Equal, Greater, Less},
    fmt::Display,
};

use chrono::DateTime;
use regress::Regex;
use rust_decimal::Decimal;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{Change, Error, Location, Violation, ViolationCode as Code};

/// A value of a call, or its violations.
pub type Given<T> = Result<T, Vec<Violation>>;

/// One rule. Those of a value that may be null apply where it is not.
pub enum Rule {
    /// The rules of a component.
    Of(&'static &'static [Self]),
    Required(&'static str),
    Property(&'static str, &'static [Self]),
    Items(&'static [Self]),
    /// The names of a map, and its values.
    Names(&'static [Self]),
    Values(&'static [Self]),
    /// Characters of a text, items of a list, or names of a map.
    AtLeast(usize),
    AtMost(usize),
    Unique,
    /// A pattern of ECMA 262, and the message. One that the engine does not know is the server's.
    Pattern(fn() -> Option<&'static Regex>, &'static str),
    OneOf(&'static [&'static str]),
    Minimum(&'static str),
    MoreThan(&'static str),
    Maximum(&'static str),
    LessThan(&'static str),
    MultipleOf(&'static str),
    NotZero,
    /// A property is a later instant than another.
    LaterThan(&'static str, &'static str),
    /// A property must be absent where another is given.
    ExcludedBy(&'static str, &'static str),
    /// A property is required where another has a value.
    RequiredWhen(&'static str, &'static str, &'static str),
    /// A property is required where another is given.
    RequiredWith(&'static str, &'static str),
}

/// `pattern!("^[A-Z]+$", "must be …")`, compiled when a value is checked first.
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {
        $crate::pattern!($pattern, concat!("must match the pattern ", $pattern))
    };
    ($pattern:literal, $message:expr) => {
        $crate::rules::Rule::Pattern(
            || {
                static COMPILED: std::sync::LazyLock<Option<$crate::regress::Regex>> =
                    std::sync::LazyLock::new(|| {
                        $crate::regress::Regex::with_flags($pattern, "u").ok()
                    });
                COMPILED.as_ref()
            },
            $message,
        )
    };
}

/// Unwraps values of type [`Given`], or returns the violations of all.
#[macro_export]
macro_rules! all_or_return {
    ($($value:ident),*) => {
        let mut issues = Vec::new();
        $(let $value = $value.map_err(|found| issues.extend(found));)*
        let ($(Ok($value),)*) = ($($value,)*) else {
            return Err($crate::Unsent(issues));
        };
    };
}

/// The members of a body that a builder collects, and the values that it could not convert.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    members: Map<String, Value>,
    issues: Vec<Violation>,
}

impl Draft {
    pub fn of(body: &impl Serialize) -> Self {
        match json(body) {
            Value::Object(members) => Self { members, issues: Vec::new() },
            _ => unreachable!("a body with a builder is an object"),
        }
    }

    /// The draft of a builder, which conversion from another type may not have made.
    pub fn given(converted: Result<Self, impl Display>) -> Self {
        let issue = |reason| Violation::new(Location::Body, "", Code::BadFormat, reason);
        converted.unwrap_or_else(|reason| Self { issues: vec![issue(reason)], ..Self::default() })
    }

    /// Sets a member, in place of what was given before.
    pub fn set(&mut self, name: &str, value: Result<impl Serialize, impl Display>) {
        let path = below("", name);
        self.issues.retain(|issue| issue.path != path);
        match value {
            Ok(value) => drop(self.members.insert(name.to_owned(), json(&value))),
            Err(reason) => {
                self.members.remove(name);
                self.issues.push(Violation::new(Location::Body, path, Code::BadFormat, reason));
            }
        }
    }

    pub fn change<T: Serialize>(&mut self, name: &str, value: Result<Change<T>, impl Display>) {
        let is_kept = value.as_ref().is_ok_and(Change::is_keep);
        self.set(name, value);
        if is_kept {
            self.members.remove(name);
        }
    }

    pub fn checked(self, rules: &[Rule]) -> Given<Value> {
        let body = Value::Object(self.members);
        let mut check = Check::new(Location::Body, self.issues);
        check.rules(rules, &body, "");
        check.result(body)
    }

    /// Reads the body, if it keeps the rules.
    pub fn read<T: DeserializeOwned>(self, rules: &[Rule]) -> Result<T, Error> {
        let body = self.checked(rules).map_err(|issues| Error::InvalidRequest { issues })?;
        serde_json::from_value(body)
            .map_err(|reason| Error::invalid_request(Location::Body, "", reason))
    }
}

/// A value that was converted, if it keeps the rules.
pub fn given<T: Serialize>(
    location: Location,
    path: &str,
    converted: Result<T, impl Display>,
    rules: &[Rule],
) -> Given<T> {
    let value = self::converted(location, path, converted)?;
    let mut check = Check::new(location, Vec::new());
    let is_in_path = check.location == Location::Path;
    if is_in_path || !rules.is_empty() {
        let json = json(&value);
        check.rules(rules, &json, path);
        // Parsers of URLs resolve these, so the request would go to another resource.
        if is_in_path && check.issues.is_empty() && matches!(json.as_str(), Some("" | "." | "..")) {
            check.note(path, Code::BadFormat, "must not be empty, `.` or `..`");
        }
    }
    check.result(value)
}

/// A value without rules, if it was converted.
pub fn converted<T>(
    location: Location,
    path: &str,
    converted: Result<T, impl Display>,
) -> Given<T> {
    converted.map_err(|reason| vec![Violation::new(location, path, Code::BadFormat, reason)])
}

/// A required value that was not given.
pub fn missing<T>(location: Location, path: &str) -> Given<T> {
    Err(vec![Violation::new(location, path, Code::Required, MISSING)])
}

const MISSING: &str = "is missing";

struct Check {
    location: Location,
    /// Those of the values that were not converted are first.
    issues: Vec<Violation>,
    unconverted: usize,
}

impl Check {
    fn new(location: Location, issues: Vec<Violation>) -> Self {
        Self { location, unconverted: issues.len(), issues }
    }

    fn result<T>(self, value: T) -> Given<T> {
        if self.issues.is_empty() { Ok(value) } else { Err(self.issues) }
    }

    /// Notes a violation, unless the value was not converted.
    fn note(&mut self, path: &str, code: Code, message: impl Display) {
        if self.issues[..self.unconverted].iter().all(|issue| issue.path != path) {
            self.issues.push(Violation::new(self.location, path, code, message));
        }
    }

    fn rules(&mut self, rules: &[Rule], value: &Value, path: &str) {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let is_absent = |name: &str| value.get(name).is_none();
        let members = || value.as_object().into_iter().flatten();
        for rule in rules.iter().filter(|_| !value.is_null()) {
            match rule {
                Rule::Of(rules) => self.rules(rules, value, path),
                Rule::Property(name, rules) => {
                    self.rules(rules, value.get(name).unwrap_or(&Value::Null), &below(path, name));
                }
                Rule::Items(rules) => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.rules(rules, item, &below(path, &index.to_string()));
                    }
                }
                Rule::Names(rules) => {
                    for (name, _) in members() {
                        let known = self.issues.len();
                        self.rules(rules, &Value::from(&**name), &below(path, name));
                        for issue in &mut self.issues[known..] {
                            issue.message.insert_str(0, "the name ");
                        }
                    }
                }
                Rule::Values(rules) => {
                    members()
                        .for_each(|(name, value)| self.rules(rules, value, &below(path, name)));
                }
                Rule::Required(name) if is_absent(name) => {
                    self.note(&below(path, name), Code::Required, MISSING);
                }
                Rule::RequiredWhen(name, other, value)
                    if is_absent(name) && text(other) == Some(value) =>
                {
                    let message = format!("is missing; {other} {value} needs it");
                    self.note(&below(path, name), Code::Required, message);
                }
                Rule::RequiredWith(name, other) if is_absent(name) && !is_absent(other) => {
                    let message = format!("is missing; {other} needs it");
                    self.note(&below(path, name), Code::Required, message);
                }
                Rule::ExcludedBy(name, other) => {
                    if !is_absent(name) && !is_absent(other) {
                        let message = format!("must not be given together with {other}");
                        self.note(&below(path, name), Code::Excluded, message);
                    }
                }
                Rule::LaterThan(name, other) => {
                    let instant = |name| {
                        let instant = DateTime::parse_from_rfc3339(text(name)?).ok()?;
                        Some(instant.timestamp_millis())
                    };
                    if instant(name).zip(instant(other)).is_some_and(|(end, start)| end <= start) {
                        let message = format!("must be later than {other}");
                        self.note(&below(path, name), Code::TooSmall, message);
                    }
                }
                rule => {
                    if let Some((code, message)) = rule.violation(value) {
                        self.note(path, code, message);
                    }
                }
            }
        }
    }
}

impl Rule {
    /// The violation of a rule that concerns nothing but the value.
    fn violation(&self, value: &Value) -> Option<(Code, String)> {
        let (count, unit) = match value {
            Value::String(text) => (text.chars().count(), "character"),
            Value::Array(items) => (items.len(), "item"),
            Value::Object(members) => (members.len(), "name"),
            _ => (0, ""),
        };
        let count_of =
            |limit: usize| format!("{limit} {unit}{}", if limit == 1 { "" } else { "s" });
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let number: Option<Decimal> = text.parse().ok();
        let is = |bound: &str, wrong: &[Ordering]| {
            let bound = bound.parse().ok();
            number.zip(bound).is_some_and(|(number, bound)| wrong.contains(&number.cmp(&bound)))
        };
        let (code, message) = match *self {
            Self::AtLeast(min) if count < min => {
                (Code::TooShort, format!("must have at least {}, has {count}", count_of(min)))
            }
            Self::AtMost(max) if count > max => {
                (Code::TooLong, format!("must have at most {}, has {count}", count_of(max)))
            }
            Self::Pattern(compiled, message)
                if compiled().is_some_and(|pattern| pattern.find(&text).is_none()) =>
            {
                (Code::BadFormat, message.to_owned())
            }
            Self::OneOf(values) if !values.contains(&&*text) => {
                (Code::NotInEnum, format!("must be one of {}", values.join(", ")))
            }
            Self::Unique => {
                let items = value.as_array()?;
                items.iter().enumerate().find(|(at, item)| items[..*at].contains(item))?;
                (Code::BadFormat, "must not repeat an item".to_owned())
            }
            Self::Minimum(bound) if is(bound, &[Less]) => {
                (Code::TooSmall, format!("must be at least {bound}"))
            }
            Self::MoreThan(bound) if is(bound, &[Less, Equal]) => {
                (Code::TooSmall, format!("must be more than {bound}"))
            }
            Self::Maximum(bound) if is(bound, &[Greater]) => {
                (Code::TooLarge, format!("must be at most {bound}"))
            }
            Self::LessThan(bound) if is(bound, &[Greater, Equal]) => {
                (Code::TooLarge, format!("must be less than {bound}"))
            }
            Self::MultipleOf(step) if !(number? % step.parse::<Decimal>().ok()?).is_zero() => {
                (Code::BadFormat, format!("must be a multiple of {step}"))
            }
            Self::NotZero if number?.is_zero() => (Code::Zero, "must not be zero".to_owned()),
            _ => return None,
        };
        Some((code, message))
    }
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("the names of all members are texts")
}

/// The JSON pointer of a member.
fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}
