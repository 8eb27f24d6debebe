//! Reads forms, texts and bytes as bodies, and objects in a query.

use poem::http::header::CONTENT_TYPE;
use serde_json::{Map, Value};

use super::{
    body::FromJson,
    multipart::Part,
    reader::{Reader, repeated, split_query},
    rules::{Invalid, Text, Violation, Violations},
    texts::{Encoding, Pair, add, insert, parts},
};
use crate::{
    ErrorCode, Problem,
    json::read_json,
    problem::{Issue, IssueCode, Location},
};

/// A way to write a body.
#[derive(Debug, Clone, Copy)]
pub enum BodyFormat {
    /// JSON of this media type.
    Json(&'static str),
    /// A form; the fields that are not written in the usual way.
    Form(&'static [(&'static str, Encoding)]),
    /// `multipart/form-data`: its parts, and how many bytes the largest may have.
    Multipart(&'static [(&'static str, Part)], Option<usize>),
}

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

impl BodyFormat {
    const fn media_type(self) -> &'static str {
        match self {
            Self::Json(media_type) => media_type,
            Self::Form(_) => FORM,
            Self::Multipart(..) => MULTIPART,
        }
    }
}

impl<C: ErrorCode> Reader<'_, C> {
    /// An empty value of the parameter is the same as none.
    pub fn ignore_empty(&mut self, name: &str) {
        self.query.retain(|(known, value)| known != name || !value.is_empty());
    }

    /// A body of one of these formats, where there is one.
    pub fn optional_body_in<T: FromJson>(
        &mut self,
        formats: &[BodyFormat],
    ) -> Result<Option<T::Value>, Invalid> {
        if self.request.body.is_empty() {
            return Ok(None);
        }
        self.body_in::<T>(formats).map(Some)
    }

    pub fn body_in<T: FromJson>(&mut self, formats: &[BodyFormat]) -> Result<T::Value, Invalid> {
        let media_types: Vec<&str> = formats.iter().map(|format| format.media_type()).collect();
        let declared = self.declared(&media_types)?;
        match formats[declared] {
            BodyFormat::Json(_) => self.json::<T>(),
            BodyFormat::Form(encodings) => self.form::<T>(encodings),
            BodyFormat::Multipart(parts, limit) => self.multipart::<T>(parts, limit),
        }
    }

    pub fn text_body(&mut self, media_types: &[&str]) -> Result<String, Invalid> {
        let bytes = self.bytes_body(media_types)?;
        let violation = match String::from_utf8(bytes) {
            Ok(text) => match Text::ANY.read(&text) {
                Ok(text) => return Ok(text),
                Err(violation) => violation,
            },
            Err(_) => (IssueCode::BadFormat, "must be a text in UTF-8".to_owned()),
        };
        Err(self.violations.add(Location::Body, "", violation))
    }

    /// Any bytes as the body; an empty one is absent.
    pub fn bytes_body(&mut self, media_types: &[&str]) -> Result<Vec<u8>, Invalid> {
        if self.request.body.is_empty() {
            let violation = (IssueCode::Required, "is missing".to_owned());
            return Err(self.violations.add(Location::Body, "", violation));
        }
        self.declared(media_types)?;
        Ok(self.request.body.to_vec())
    }

    /// A text as the body, where there is one.
    pub fn optional_text_body(&mut self, media_types: &[&str]) -> Result<Option<String>, Invalid> {
        if self.request.body.is_empty() { Ok(None) } else { self.text_body(media_types).map(Some) }
    }

    /// Any bytes as the body, where there are some.
    pub fn optional_bytes_body(
        &mut self,
        media_types: &[&str],
    ) -> Result<Option<Vec<u8>>, Invalid> {
        if self.request.body.is_empty() { Ok(None) } else { self.bytes_body(media_types).map(Some) }
    }

    /// An object, or a list of them, in the query; `None` where it is absent.
    pub fn query_in<T: FromJson>(
        &mut self,
        name: &str,
        encoding: Encoding,
    ) -> Result<Option<T::Value>, Invalid> {
        let Some(value) = self.encoded(name, encoding)? else {
            return Ok(None);
        };
        let value = if matches!(encoding, Encoding::Json) { value } else { T::of_text(value) };
        let pointer = if matches!(encoding, Encoding::Exploded(_)) {
            String::new()
        } else {
            format!("/{name}")
        };
        let mut found = Violations::default();
        let read = T::from_json(value, &pointer, &mut found);
        for Issue { path, code, message, .. } in found.into_issues() {
            self.violations.add(Location::Query, path, (code, message));
        }
        read.map(Some)
    }

    /// An object, or a list of them, that must be in the query.
    pub fn required_query_in<T: FromJson>(
        &mut self,
        name: &str,
        encoding: Encoding,
    ) -> Result<T::Value, Invalid> {
        self.query_in::<T>(name, encoding)?.ok_or_else(|| self.missing(Location::Query, name))
    }

    /// The value of a parameter, with texts as its leaves unless it is JSON.
    fn encoded(&mut self, name: &str, encoding: Encoding) -> Result<Option<Value>, Invalid> {
        let mut members = Map::new();
        match encoding {
            Encoding::Brackets => {
                for (known, text) in &self.query {
                    if let Some((base, parts)) = parts(known).filter(|(base, _)| *base == name) {
                        insert(&mut members, &[&[base][..], &parts].concat(), text);
                    } else if known == name {
                        add(&mut members, name.to_owned(), Value::from(&**text));
                    }
                }
                return Ok(members.remove(name));
            }
            Encoding::Exploded(properties) => {
                for (known, text) in &self.query {
                    if properties.contains(&&**known) {
                        add(&mut members, known.to_string(), Value::from(&**text));
                    }
                }
                return Ok((!members.is_empty()).then_some(Value::Object(members)));
            }
            Encoding::Json | Encoding::Separated(_) => {}
        }
        let values = self.values(name);
        let text = match values.as_slice() {
            [] => return Ok(None),
            [text] => text.clone(),
            several => {
                return Err(self.violation(Location::Query, name, repeated(several.len())));
            }
        };
        let read = match encoding {
            Encoding::Separated(separator) => object_of_list(&text, separator),
            _ => json(&text),
        };
        read.map(Some).map_err(|violation| self.violation(Location::Query, name, violation))
    }

    /// Which of the media types the body is declared as.
    pub(super) fn declared(&mut self, media_types: &[&str]) -> Result<usize, Invalid> {
        let mut declared = self.request.headers.get_all(CONTENT_TYPE).iter();
        let found = match (declared.next(), declared.next()) {
            (Some(content_type), None) => content_type.to_str().ok().and_then(|content_type| {
                let essence = content_type.split(';').next().unwrap_or_default().trim();
                media_types.iter().position(|known| accepts(known, essence))
            }),
            // Any bytes need no declaration.
            (None, _) => media_types.iter().position(|known| *known == "*/*"),
            _ => None,
        };
        found.ok_or_else(|| {
            let known = media_types.join(" or ");
            let message = format!("The body must be declared as content-type: {known}.");
            self.reject(Problem::new(C::UNSUPPORTED_MEDIA_TYPE, message))
        })
    }

    fn form<T: FromJson>(
        &mut self,
        encodings: &[(&'static str, Encoding)],
    ) -> Result<T::Value, Invalid> {
        let Ok(text) = std::str::from_utf8(self.request.body) else {
            let message = "The body is not a form in UTF-8.";
            return Err(self.reject(Problem::new(C::INVALID_JSON, message)));
        };
        let pairs = split_query(text, Location::Body, &mut self.violations);
        let mut members = Map::new();
        let mut invalid = Vec::new();
        for pair in &pairs {
            if let Err(violation) = add_field(&mut members, pair, encodings) {
                invalid.push((crate::pointer::join("", &pair.0), violation));
            }
        }
        self.members::<T>(T::of_text(Value::Object(members)), invalid)
    }

    /// Reads the fields of a form; those that are `invalid` are not among them.
    pub(super) fn members<T: FromJson>(
        &mut self,
        value: Value,
        invalid: Vec<(String, Violation)>,
    ) -> Result<T::Value, Invalid> {
        let pointers: Vec<String> = invalid.iter().map(|(pointer, _)| pointer.clone()).collect();
        let mut noted = None;
        for (pointer, violation) in invalid {
            noted = Some(self.violations.add(Location::Body, pointer, violation));
        }
        let read = T::from_json(value, "", &mut self.violations);
        self.violations.keep_sent(&pointers);
        noted.map_or(read, Err)
    }
}

/// Returns true if a media type of the document, such as `image/*`, includes the declared one.
pub(super) fn accepts(known: &str, declared: &str) -> bool {
    match known.strip_suffix('*') {
        Some("*/") => true,
        Some(kind) => {
            declared.len() >= kind.len() && declared[..kind.len()].eq_ignore_ascii_case(kind)
        }
        None => known.eq_ignore_ascii_case(declared),
    }
}

/// Adds a field of a form to its object.
fn add_field(
    members: &mut Map<String, Value>,
    (name, text): &Pair<'_>,
    encodings: &[(&'static str, Encoding)],
) -> Result<(), Violation> {
    let encoding = |name: &str| {
        encodings.iter().find(|(known, _)| *known == name).map(|(_, encoding)| *encoding)
    };
    if let Some((base, parts)) = parts(name)
        && matches!(encoding(base), Some(Encoding::Brackets))
    {
        insert(members, &[&[base][..], &parts].concat(), text);
        return Ok(());
    }
    let value = match encoding(name) {
        Some(Encoding::Json) => json(text)?,
        Some(Encoding::Separated(separator)) => text.split(separator).map(Value::from).collect(),
        _ => Value::from(&**text),
    };
    add(members, name.to_string(), value);
    Ok(())
}

/// `a,1,b,2` as an object.
fn object_of_list(text: &str, separator: char) -> Result<Value, Violation> {
    let parts: Vec<&str> = text.split(separator).collect();
    if !parts.len().is_multiple_of(2) {
        let message = format!("must be names and values with `{separator}` between them");
        return Err((IssueCode::BadFormat, message));
    }
    let members = parts.chunks(2).map(|pair| (pair[0].to_owned(), Value::from(pair[1])));
    Ok(Value::Object(members.collect()))
}

pub(super) fn json(text: &str) -> Result<Value, Violation> {
    read_json(text.as_bytes())
        .map_err(|reason| (IssueCode::BadFormat, format!("must be JSON: {reason}")))
}
