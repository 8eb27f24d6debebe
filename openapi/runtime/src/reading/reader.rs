//! Reads one request, in the decided order of errors: 415, then 400, then 422 with every
//! violation. The body of an operation without one is ignored.

use std::{borrow::Cow, collections::HashSet};

use poem::http::{HeaderMap, StatusCode};

use super::{
    body::FromJson,
    rules::{FromText, Invalid, Violation, Violations},
    texts::{Pair, parts},
};
use crate::{
    Cursor, ErrorCode, PathValues, Problem,
    content::JSON,
    json::read_json,
    pointer::{join, percent_decoded},
    problem::{IssueCode, Location},
};

/// The parts of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestForm<'a> {
    /// The path parameters' values, from the router.
    pub path: &'a PathValues,
    /// The raw query, without the question mark.
    pub query: Option<&'a str>,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
}

/// Reads the parts of one request, and collects what is wrong with them.
pub struct Reader<'a, C> {
    pub(super) request: &'a RequestForm<'a>,
    pub(super) query: Vec<Pair<'a>>,
    pub(super) violations: Violations,
    /// A problem that is reported instead of the violations: 415 or 400.
    problem: Option<Problem<C>>,
}

impl<'a, C: ErrorCode> Reader<'a, C> {
    /// Splits the query; unknown parameters are ignored.
    pub fn lenient(request: &'a RequestForm<'a>) -> Self {
        let mut violations = Violations::default();
        let query =
            split_query(request.query.unwrap_or_default(), Location::Query, &mut violations);
        Self { request, query, violations, problem: None }
    }

    /// Splits the query, of which `known` are the parameters. Unknown names are violations, not
    /// ignored.
    pub fn new(request: &'a RequestForm<'a>, known: &[&'static str]) -> Self {
        let Self { query, mut violations, .. } = Self::lenient(request);
        // A set, because a request without a key can name thousands of parameters.
        let mut seen: HashSet<&str> = known.iter().copied().collect();
        // `filter[]` is every parameter with a name in brackets after this one.
        let is_deep = |name: &str| {
            parts(name).is_some_and(|(base, _)| {
                known.iter().any(|known| known.strip_suffix("[]") == Some(base))
            })
        };
        for (name, _) in query.iter().filter(|(name, _)| !is_deep(name) && seen.insert(name)) {
            let known = if known.is_empty() { "none" } else { &known.join(", ") };
            let message = format!("is not a parameter of this operation, which has {known}");
            let violation = (IssueCode::UnknownParameter, message);
            violations.add(Location::Query, join("", name), violation);
        }
        drop(seen);
        Self { request, query, violations, problem: None }
    }

    /// A parameter of the path, which the router has found.
    pub fn path<T: FromText>(&mut self, name: &str) -> Result<T, Invalid> {
        let value = self.request.path.get(name);
        self.required(Location::Path, name, value.as_slice())
    }

    /// A parameter of the query that must be present.
    pub fn query<T: FromText>(&mut self, name: &str) -> Result<T, Invalid> {
        let values = self.values(name);
        self.required(Location::Query, name, &values)
    }

    /// A parameter of the query that may be absent.
    pub fn optional_query<T: FromText>(&mut self, name: &str) -> Result<Option<T>, Invalid> {
        let values = self.values(name);
        self.optional(Location::Query, name, &values)
    }

    /// The position of a list of `operation` with these filters, which are sorted by name.
    pub fn cursor(
        &mut self,
        name: &str,
        operation: &str,
        filters: &[&'static str],
    ) -> Result<Option<Cursor>, Invalid> {
        let values = self.values(name);
        let Some(text) = values.first() else {
            return Ok(None);
        };
        let filters = filters.iter().filter_map(|filter| {
            let (_, value) = self.query.iter().find(|(known, _)| known == filter)?;
            Some((*filter, &**value))
        });
        match Cursor::read(text, operation, filters) {
            Ok(_) if values.len() > 1 => {
                Err(self.violation(Location::Query, name, repeated(values.len())))
            }
            Ok(cursor) => Ok(Some(cursor)),
            Err(error) => Err(self.reject(Problem::new(C::INVALID_CURSOR, error.to_string()))),
        }
    }

    /// A header; others than the document's are ignored.
    pub fn header<T: FromText>(&mut self, name: &str) -> Result<Option<T>, Invalid> {
        let values = self.request.headers.get_all(name).iter();
        let texts: Result<Vec<&str>, _> = values.map(|value| value.to_str()).collect();
        match texts {
            Ok(values) => self.optional(Location::Header, name, &values),
            Err(_) => {
                let message = "must consist of visible ASCII characters".to_owned();
                Err(self.violation(Location::Header, name, (IssueCode::BadFormat, message)))
            }
        }
    }

    /// A header that must be present.
    pub fn required_header<T: FromText>(&mut self, name: &str) -> Result<T, Invalid> {
        self.header(name)?.ok_or_else(|| self.missing(Location::Header, name))
    }

    /// The JSON body, where there is one.
    pub fn optional_body<T: FromJson>(&mut self) -> Result<Option<T::Value>, Invalid> {
        if self.request.body.is_empty() { Ok(None) } else { self.body::<T>().map(Some) }
    }

    pub fn body<T: FromJson>(&mut self) -> Result<T::Value, Invalid> {
        self.declared(&[JSON])?;
        self.json::<T>()
    }

    /// A body that is declared as JSON.
    pub(super) fn json<T: FromJson>(&mut self) -> Result<T::Value, Invalid> {
        let problem = if self.request.body.is_empty() {
            let message = "The body is empty; this operation needs a JSON object.";
            Problem::new(C::INVALID_JSON, message)
        } else {
            match read_json(self.request.body) {
                Ok(value) => return T::from_json(value, "", &mut self.violations),
                Err(reason) => {
                    let message = format!("The body is not valid JSON: {reason}.");
                    Problem::new(C::INVALID_JSON, message)
                }
            }
        };
        Err(self.reject(problem))
    }

    /// Returns what was read, unless something is wrong.
    pub fn finish<T>(self, read: impl FnOnce() -> Result<T, Invalid>) -> Result<T, Problem<C>> {
        match (self.problem, read()) {
            (Some(problem), _) => Err(problem),
            (None, Ok(value)) if self.violations.issues().is_empty() => Ok(value),
            _ => Err(Problem::invalid(self.violations.issues())),
        }
    }

    /// The values of a query parameter, in their order.
    pub(super) fn values(&self, name: &str) -> Vec<Cow<'a, str>> {
        let found = self.query.iter().filter(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).collect()
    }

    fn required<T: FromText>(
        &mut self,
        location: Location,
        name: &str,
        values: &[impl AsRef<str>],
    ) -> Result<T, Invalid> {
        self.optional(location, name, values)?.ok_or_else(|| self.missing(location, name))
    }

    fn optional<T: FromText>(
        &mut self,
        location: Location,
        name: &str,
        values: &[impl AsRef<str>],
    ) -> Result<Option<T>, Invalid> {
        let violation = match values {
            [] => return Ok(None),
            [value] => match T::from_text(value.as_ref()) {
                Ok(value) => return Ok(Some(value)),
                Err(violation) => violation,
            },
            values => repeated(values.len()),
        };
        Err(self.violation(location, name, violation))
    }

    pub(super) fn missing(&mut self, location: Location, name: &str) -> Invalid {
        self.violation(location, name, (IssueCode::Required, "is missing".to_owned()))
    }

    pub(super) fn violation(
        &mut self,
        location: Location,
        name: &str,
        violation: Violation,
    ) -> Invalid {
        self.violations.add(location, join("", name), violation)
    }

    /// Of two problems, 415 comes before 400.
    pub(super) fn reject(&mut self, problem: Problem<C>) -> Invalid {
        if self.problem.is_none() || problem.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            self.problem = Some(problem);
        }
        Invalid::NOTED
    }
}

pub(super) fn repeated(count: usize) -> Violation {
    (IssueCode::RepeatedParameter, format!("must be given once, is given {count} times"))
}

/// Splits `a=1&b=2` and decodes both sides; a part that cannot be decoded is a violation.
pub(super) fn split_query<'a>(
    query: &'a str,
    location: Location,
    violations: &mut Violations,
) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match (decoded(name), decoded(value)) {
            (Some(name), Some(value)) => pairs.push((name, value)),
            (known, _) => {
                let message = "is not percent-encoded UTF-8; write % as %25".to_owned();
                let name = known.unwrap_or(Cow::Borrowed(name));
                let violation = (IssueCode::BadFormat, message);
                violations.add(location, join("", &name), violation);
            }
        }
    }
    pairs
}

fn decoded(text: &str) -> Option<Cow<'_, str>> {
    if text.contains(['%', '+']) {
        percent_decoded(&text.replace('+', " ")).map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(text))
    }
}
