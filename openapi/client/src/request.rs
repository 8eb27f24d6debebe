//! The request of a call, built without a `reqwest::Client`. The generated methods use it.

use std::error::Error;

use percent_encoding::{AsciiSet, CONTROLS, PercentEncode, utf8_percent_encode};
use reqwest::{
    Method, Request, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde::Serialize;
use serde_json::Value;

pub use crate::multipart::Part;
use crate::{Location, Violation, ViolationCode, multipart::Parts};

/// The violations because of which there is no request.
#[derive(Debug)]
pub struct Unsent(pub Vec<Violation>);

impl<E: Error> From<E> for Unsent {
    fn from(error: E) -> Self {
        Self(vec![Violation::new(Location::Body, "", ViolationCode::BadFormat, error)])
    }
}

/// Characters that a segment of a path cannot hold. URL parsers read a backslash as `/`.
const NO_SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// An id as one segment of a path.
pub fn encode_path(id: &str) -> PercentEncode<'_> {
    utf8_percent_encode(id, NO_SEGMENT)
}

/// How a value of the query or of a form is written; null is not written at all.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Each item of a list by itself; an object is JSON.
    Exploded,
    /// The items of a list, or the names and values of an object, with a separator.
    Joined(char),
    /// The members of an object by themselves, with their names in brackets.
    Brackets,
    /// The members of an object by themselves.
    Members,
    /// As JSON.
    Json,
}

impl Style {
    fn pairs(self, name: &str, value: Value) -> Vec<(String, String)> {
        let pair = |value: &Value| (name.to_owned(), text(value));
        match (self, value) {
            (_, Value::Null) => Vec::new(),
            (Self::Exploded, Value::Array(items)) => items.iter().map(pair).collect(),
            (Self::Joined(separator), Value::Array(items)) => {
                let items: Vec<String> = items.iter().map(text).collect();
                vec![(name.to_owned(), items.join(&separator.to_string()))]
            }
            (Self::Joined(separator), value @ Value::Object(_)) => {
                let parts = members(&value).into_iter().flat_map(|(name, it)| [name, text(&it)]);
                let parts: Vec<String> = parts.collect();
                vec![(name.to_owned(), parts.join(&separator.to_string()))]
            }
            (Self::Brackets, value @ (Value::Object(_) | Value::Array(_))) => {
                let inner = members(&value).into_iter();
                inner
                    .flat_map(|(member, it)| self.pairs(&format!("{name}[{member}]"), it))
                    .collect()
            }
            (Self::Members, value @ Value::Object(_)) => {
                members(&value).into_iter().flat_map(|(name, it)| self.pairs(&name, it)).collect()
            }
            (Self::Json, value) => vec![(name.to_owned(), value.to_string())],
            (_, value) => vec![pair(&value)],
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The members of an object that are not null; those of a list by their index.
fn members(value: &Value) -> Vec<(String, Value)> {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, it)| (index.to_string(), it)).collect()
        }
        _ => Vec::new(),
    };
    let given = members.into_iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name, value.clone())).collect()
}

/// Makes the request of a call.
pub struct RequestBuilder(Result<Request, Unsent>);

impl RequestBuilder {
    /// A request without a body.
    pub fn new(method: Method, url: String) -> Self {
        Self(Url::parse(&url).map(|url| Request::new(method, url)).map_err(Unsent::from))
    }

    /// Adds a parameter of the query: a list once for each of its values, `None` not at all.
    pub fn query(self, parameter: &(&str, &impl Serialize)) -> Self {
        self.query_as(Style::Exploded, parameter)
    }

    /// Adds a parameter of the query in a style.
    pub fn query_as(self, style: Style, (name, value): &(&str, &impl Serialize)) -> Self {
        self.and(|request| {
            let pairs = style.pairs(name, serde_json::to_value(value)?);
            if !pairs.is_empty() {
                request.url_mut().query_pairs_mut().extend_pairs(pairs);
            }
            Ok(())
        })
    }

    /// Sets a form as the body, whose members are written like parameters.
    pub fn form(self, body: &impl Serialize, styles: &[(&str, Style)]) -> Self {
        let form = || -> Result<String, Unsent> {
            // A query is written like a form.
            let mut form = Url::parse("form:/")?;
            for (name, value) in members(&serde_json::to_value(body)?) {
                let style = styles.iter().find(|(known, _)| *known == name);
                let style = style.map_or(Style::Exploded, |(_, style)| *style);
                form.query_pairs_mut().extend_pairs(style.pairs(&name, value));
            }
            Ok(form.query().unwrap_or_default().to_owned())
        };
        match form() {
            Ok(form) => self.body(form).content_type("application/x-www-form-urlencoded"),
            Err(unsent) => Self(Err(unsent)),
        }
    }

    /// Sets a form of parts as the body: `known` has those that are no texts.
    pub fn multipart(self, body: &impl Serialize, known: &[(&str, Part)]) -> Self {
        let form = || -> Result<(HeaderValue, Vec<u8>), Unsent> {
            let mut parts = Parts::default();
            for (name, value) in members(&serde_json::to_value(body)?) {
                match known.iter().find(|(known, _)| *known == name) {
                    Some((_, part)) => parts.add_as(*part, &name, value)?,
                    None => {
                        let pairs = Style::Exploded.pairs(&name, value).into_iter();
                        pairs.for_each(|(name, text)| parts.text(&name, text));
                    }
                }
            }
            let (media_type, body) = parts.written();
            Ok((HeaderValue::try_from(media_type)?, body))
        };
        match form() {
            Ok((media_type, body)) => self.body(body).header(CONTENT_TYPE, media_type),
            Err(unsent) => Self(Err(unsent)),
        }
    }

    /// Sets the body.
    pub fn body(self, body: impl Into<reqwest::Body>) -> Self {
        self.and(|request| {
            *request.body_mut() = Some(body.into());
            Ok(())
        })
    }

    /// Sets the media type of the body.
    pub fn content_type(self, media_type: &'static str) -> Self {
        self.header(CONTENT_TYPE, HeaderValue::from_static(media_type))
    }

    /// Asks for these media types.
    #[must_use]
    pub fn accept(self, media_types: &'static str) -> Self {
        self.header(ACCEPT, HeaderValue::from_static(media_types))
    }

    fn header(self, name: HeaderName, value: HeaderValue) -> Self {
        self.and(|request| Ok(request.headers_mut().insert(name, value)))
    }

    /// Adds what is given.
    pub fn with<T>(self, value: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => add(self, value),
            None => self,
        }
    }

    /// Adds headers.
    pub fn headers(self, headers: HeaderMap) -> Self {
        self.and(|request| {
            request.headers_mut().extend(headers);
            Ok(())
        })
    }

    /// Sets a value as the body.
    pub fn json(self, body: &impl Serialize) -> Self {
        self.and(|request| {
            *request.body_mut() = Some(serde_json::to_vec(body)?.into());
            Ok(())
        })
        .content_type("application/json")
    }

    /// The request.
    ///
    /// # Errors
    /// A value could not be written.
    pub fn build(self) -> Result<Request, Unsent> {
        self.0
    }

    fn and<T>(self, change: impl FnOnce(&mut Request) -> Result<T, Unsent>) -> Self {
        Self(self.0.and_then(|mut request| change(&mut request).map(|_| request)))
    }
}
