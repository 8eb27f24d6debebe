//! Finds the operation for a method and a raw path. Paths are not normalised: a doubled or trailing
//! slash, another letter case or an escaped slash is another path.

use std::{cmp::Reverse, time::Duration};

use poem::http::Method;

use crate::pointer::percent_decoded;

/// The operations of a document; the generated enum implements it.
pub trait Operations: Copy + Sized + 'static {
    /// The scopes of keys; `()` where the document has none.
    type Scope: 'static;

    /// Every operation, in the document's order.
    const ALL: &'static [Self];

    /// What the document says of it.
    fn info(self) -> &'static OperationInfo<Self::Scope>;

    /// The form of its errors with this status: 0 where it has no form of its own.
    fn error_form(self, _status: u16) -> usize {
        0
    }
}

/// What the document says of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationInfo<S> {
    pub id: &'static str,
    pub method: Method,
    /// The path with its parameters in braces.
    pub path: &'static str,
    /// The scope that a key needs (`x-required-scope`).
    pub scope: S,
    /// Who may call it (`security`, its own or the document's): alternatives, each with every proof
    /// that it requires.
    pub security: &'static [&'static [RequiredProof]],
    /// True if the request has a body; else a body is ignored.
    pub has_body: bool,
    /// The names of the body's fields.
    pub body_fields: &'static [&'static str],
    /// True for a list, which pages by `cursor`.
    pub is_list: bool,
    pub idempotency: Idempotency,
    /// How long the server may work on a request (`x-time-limit`), where that is longer than usual.
    pub time_limit: Option<Duration>,
    /// True if the handler reads before it changes anything (`x-begins-with-read`).
    pub begins_with_read: bool,
    /// The documented statuses, ascending.
    pub statuses: &'static [u16],
}

/// A security scheme by its name in the document, and the scopes that the operation needs of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredProof {
    pub scheme: &'static str,
    pub scopes: &'static [&'static str],
}

impl<S> OperationInfo<S> {
    /// Returns true if everybody may call it: nothing, or nothing in one of the alternatives, is
    /// required.
    pub fn is_open(&self) -> bool {
        self.security.is_empty() || self.security.iter().any(|required| required.is_empty())
    }
}

/// The effect of a repeated request (`x-idempotent`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Idempotency {
    /// It may have another effect each time.
    None,
    /// Always.
    ByNature,
    /// If it has the same `idempotency-key` in its header.
    ByKey,
}

/// The result of routing a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<O> {
    Operation {
        operation: O,
        path: PathValues,
    },
    /// A path with other methods: 405.
    MethodNotAllowed {
        allow: String,
    },
    /// No path of the API: 404.
    Unknown,
}

/// The values of path parameters, percent-decoded, none empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathValues(Vec<(&'static str, String)>);

impl PathValues {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The values, in the path's order.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(_, value)| value)
    }

    fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

/// Finds the operation for a method and the raw path, before percent-decoding and without the
/// query.
///
/// Of two matching paths, the one with the earlier literal segment wins, as OpenAPI requires, and
/// `/{id}:cancel` wins over `/{id}`. HEAD and OPTIONS are methods like any other; the document
/// lists neither.
pub fn find<O: Operations>(method: &Method, raw_path: &str) -> Found<O> {
    let matching = O::ALL.iter().map(|operation| operation.info().path);
    let matching = matching.filter(|template| matches(template, raw_path, |_, _| {}));
    let Some(template) = matching.min_by(|left, right| shape(left).cmp(shape(right))) else {
        return Found::Unknown;
    };
    let Some(path) = path_values(template, raw_path) else {
        return Found::Unknown;
    };
    let here = || O::ALL.iter().filter(|operation| operation.info().path == template);
    if let Some(operation) = here().find(|operation| operation.info().method == *method) {
        return Found::Operation { operation: *operation, path };
    }
    let mut allowed: Vec<&str> = here().map(|operation| operation.info().method.as_str()).collect();
    allowed.sort_unstable();
    Found::MethodNotAllowed { allow: allowed.join(", ") }
}

/// Returns true if the path has the literal parts of the template; `value` gets each parameter's
/// name and its part of the path. Of several parameters in a segment, such as `{name}.{format}`,
/// each is as short as it can be, and none is empty.
fn matches<'t, 'p>(
    mut template: &'t str,
    mut path: &'p str,
    mut value: impl FnMut(&'t str, &'p str),
) -> bool {
    loop {
        let (literal, parameter) = template.split_at(position(template, b'{'));
        let Some(rest) = path.strip_prefix(literal) else {
            return false;
        };
        if parameter.is_empty() {
            return rest.is_empty();
        }
        let segment = &rest[..position(rest, b'/')];
        let (name, behind) = parameter.split_at(position(parameter, b'}'));
        template = &behind[1..];
        let Some(length) = value_length(segment, template) else {
            return false;
        };
        value(&name[1..], &segment[..length]);
        path = &rest[length..];
    }
}

/// The length of a parameter's value at the beginning of a segment; `template` follows it.
fn value_length(segment: &str, template: &str) -> Option<usize> {
    let template = &template[..position(template, b'/')];
    let literal = &template[..position(template, b'{')];
    if literal.is_empty() {
        return Some(segment.len());
    }
    let first = segment.chars().next()?.len_utf8();
    if literal.len() < template.len() {
        return segment[first..].find(literal).map(|length| first + length);
    }
    segment.strip_suffix(literal).map(str::len).filter(|length| *length >= first)
}

/// The position of an ASCII character, or the end. Every request is compared with every template,
/// and for texts this short `str::find` takes several times as long.
fn position(text: &str, character: u8) -> usize {
    text.bytes().position(|byte| byte == character).unwrap_or(text.len())
}

/// How much of each segment is a parameter: literal segments sort first, then those with the most
/// literal characters.
fn shape(template: &str) -> impl Iterator<Item = (bool, Reverse<usize>)> {
    let segments = template.split('/');
    segments.map(|segment| match segment.contains('{') {
        false => (false, Reverse(0)),
        true => (true, Reverse(literals(segment))),
    })
}

/// The number of characters of a segment outside of its parameters.
fn literals(mut segment: &str) -> usize {
    let mut count = 0;
    loop {
        let (literal, parameter) = segment.split_at(position(segment, b'{'));
        count += literal.len();
        if parameter.is_empty() {
            return count;
        }
        segment = &parameter[position(parameter, b'}') + 1..];
    }
}

/// The values; `None` where one is empty, is not UTF-8, or contains U+0000.
fn path_values(template: &'static str, path: &str) -> Option<PathValues> {
    let mut segments = Vec::new();
    matches(template, path, |name, segment| segments.push((name, segment)));
    let values = segments.into_iter().map(|(name, segment)| {
        let value = percent_decoded(segment)?;
        (!value.is_empty() && !value.contains('\0')).then_some((name, value))
    });
    values.collect::<Option<_>>().map(PathValues)
}
