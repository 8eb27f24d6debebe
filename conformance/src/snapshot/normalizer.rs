//! Replaces volatile values by names: the first partner id of a case is `[partner.1]` wherever it
//! occurs in that case. One value has one name, so that relations stay visible.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use percent_encoding::percent_decode_str;
use regex::{Captures, Regex};
use serde_json::Value;

use super::{
    kind::{self, Identity},
    places::{self, Members},
};
use crate::exchange::headers::*;

const COOKIE: &str = "set-cookie";
/// Characters of a path's segment, or of a query's value, that are shown.
const SHOWN: usize = 60;
/// Members of an issue, by which issues are sorted.
const ISSUE: [&str; 4] = ["in", "path", "code", "message"];
/// A cursor parameter of this length that no response gave is shown as `[no cursor]`.
const CURSOR_LENGTH: usize = 12;

/// Names that a run writes while it changes something.
static MARKS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("conformance-[0-9a-f]{16}").expect("a regular expression"));
/// Instants, of members and in messages, and waits.
static INSTANTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z").expect("a regular expression")
});
static WAITS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\d+ seconds?\b").expect("a regular expression"));
/// The partner's name in a filename: as it was when the document was generated.
static FILENAMES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^statement-.+-(\d{4}-\d{2})\.pdf$").expect("a regular expression")
});

#[derive(Debug, Default)]
pub(crate) struct Normalizer {
    /// The format of request ids, if the document has one.
    request_id: Option<Arc<Identity>>,
    /// Values that name something, and what.
    known: BTreeMap<String, &'static str>,
    /// Values by what they name, in the order of their numbers.
    numbers: BTreeMap<&'static str, Vec<String>>,
}

impl Normalizer {
    pub(crate) fn new(request_id: Option<Arc<Identity>>) -> Self {
        Self { request_id, ..Self::default() }
    }

    /// Learns what a fixture's id names.
    pub(crate) fn learn_id(&mut self, id: &str, identity: &'static str) {
        self.known.entry(id.to_owned()).or_insert(identity);
    }

    /// Learns which values of a response name something; none gets its number yet.
    pub(crate) fn learn(&mut self, value: &Value, body: &Members, path: &str) {
        match value {
            Value::String(text) => {
                if let Some(identity) = identity(body, path, text) {
                    self.learn_id(text, identity);
                }
            }
            Value::Array(items) => {
                items.iter().for_each(|item| self.learn(item, body, &format!("{path}/*")));
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.learn(member, body, &format!("{path}/{name}"));
                }
            }
            _ => {}
        }
    }

    /// Path and query of a request; secrets were removed before.
    pub(crate) fn target(&mut self, target: &str) -> String {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let segments: Vec<String> = path.split('/').map(|segment| self.part(segment)).collect();
        let shown = segments.join("/");
        if path == target {
            return shown;
        }
        let parameters = query.split('&').map(|parameter| self.parameter(parameter));
        format!("{shown}?{}", parameters.collect::<Vec<_>>().join("&"))
    }

    fn parameter(&mut self, parameter: &str) -> String {
        let Some((name, value)) = parameter.split_once('=') else {
            return self.part(parameter);
        };
        if let Some(known) = self.name_of_part(value) {
            return format!("{name}={known}");
        }
        // A cursor that a case altered is none any more, but would change with every release.
        if name == kind::CURSOR && value.len() >= CURSOR_LENGTH {
            return format!("{name}=[no {}]", kind::CURSOR);
        }
        format!("{name}={}", cut(value))
    }

    /// A segment or a value as it was sent, or its name.
    fn part(&mut self, part: &str) -> String {
        self.name_of_part(part).unwrap_or_else(|| cut(part))
    }

    fn name_of_part(&mut self, part: &str) -> Option<String> {
        self.name_of(&percent_decode_str(part).decode_utf8_lossy())
    }

    /// A header's value, or its name if it is volatile and has the right form.
    pub(crate) fn header(&self, status: u16, name: &str, value: &str) -> String {
        let is_count = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        // If the response says that nothing is left, the value is known.
        let is_told = matches!((status, name), (402, CREDITS_REMAINING) | (429, RATE_REMAINING));
        let is_request_id = || self.request_id.as_ref().is_none_or(|format| format.accepts(value));
        let bound = match name {
            RETRY_AFTER if is_count => kind::SECONDS,
            REQUEST_ID if is_request_id() => kind::REQUEST_ID,
            COOKIE => kind::COOKIE,
            name if name.starts_with("x-") && is_count && !is_told => kind::COUNT,
            _ => value,
        };
        bound.to_owned()
    }

    /// A body with names in place of volatile values. `random` are JSON pointers of texts, or
    /// nulls, that are random in each run.
    pub(crate) fn body(&mut self, value: &Value, body: &Members, random: &[&str]) -> Value {
        let mut bound = sorted(value);
        for pointer in random {
            let value = bound.pointer_mut(pointer);
            if let Some(value) = value.filter(|value| value.is_string() || value.is_null()) {
                *value = kind::RANDOM.into();
            }
        }
        self.value(&bound, body, "")
    }

    fn value(&mut self, value: &Value, body: &Members, path: &str) -> Value {
        match value {
            Value::String(text) => self.text(text, body, path).into(),
            Value::Number(_) if path.ends_with("/retryAfterSeconds") => kind::SECONDS.into(),
            Value::Array(items) => {
                let items = items.iter();
                items.map(|item| self.value(item, body, &format!("{path}/*"))).collect()
            }
            Value::Object(members) => {
                // In the document's order, others behind them by name: their order has no meaning.
                let place = |name: &str| {
                    let path = format!("{path}/{name}");
                    body.iter().position(|known| known.path == path).unwrap_or(usize::MAX)
                };
                let mut names: Vec<&String> = members.keys().collect();
                names.sort_by_key(|name| (place(name), *name));
                let named = names.into_iter().map(|name| {
                    let member = self.value(&members[name], body, &format!("{path}/{name}"));
                    (name.clone(), member)
                });
                Value::Object(named.collect())
            }
            _ => value.clone(),
        }
    }

    fn text(&mut self, text: &str, body: &Members, path: &str) -> String {
        if let Some(identity) = identity(body, path, text) {
            return self.bind(identity, text);
        }
        if is_link(body, path) {
            return kind::NO_LINK.to_owned();
        }
        let member = path.rsplit('/').next().unwrap_or_default();
        if kind::MOVING.contains(&member) && INSTANTS.replace(text, "").is_empty() {
            return kind::TIME.to_owned();
        }
        if let Some(name) = self.name_of(text) {
            return name;
        }
        let text = MARKS.replace_all(text, |mark: &Captures<'_>| self.bind(kind::MARK, &mark[0]));
        match member {
            "filename" => FILENAMES.replace(&text, "statement-[partner]-$1.pdf").into_owned(),
            "message" => {
                let text = INSTANTS.replace_all(&text, kind::TIME);
                let text = WAITS.replace_all(&text, format!("{} seconds", kind::SECONDS));
                text.into_owned()
            }
            _ => text.into_owned(),
        }
    }

    /// The name of a value that was learned.
    fn name_of(&mut self, text: &str) -> Option<String> {
        let identity = *self.known.get(text)?;
        Some(self.bind(identity, text))
    }

    fn bind(&mut self, identity: &'static str, text: &str) -> String {
        let values = self.numbers.entry(identity).or_default();
        let index = values.iter().position(|value| value == text);
        let index = index.unwrap_or_else(|| {
            values.push(text.to_owned());
            values.len() - 1
        });
        format!("[{identity}.{}]", index + 1)
    }
}

/// The body with its issues in one order, because theirs has no meaning.
pub(crate) fn sorted(value: &Value) -> Value {
    let mut sorted = value.clone();
    if let Some(Value::Array(issues)) = sorted.pointer_mut("/error/details/issues") {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        issues.sort_by_key(|issue| ISSUE.map(|name| text(&issue[name])));
    }
    sorted
}

/// The kind of thing that the text at this path names, if it has the format of such a name.
fn identity(body: &Members, path: &str, text: &str) -> Option<&'static str> {
    let identity = places::find(Some(body), path)?.identity.as_ref()?;
    identity.accepts(text).then_some(identity.name)
}

/// Returns true if the document has a link at this path: a text in its place may be as secret.
fn is_link(body: &Members, path: &str) -> bool {
    let identity = places::find(Some(body), path).and_then(|member| member.identity.as_ref());
    identity.is_some_and(|identity| kind::LINKS.contains(&identity.name))
}

/// A long part is cut and shown with its length.
fn cut(part: &str) -> String {
    match part.char_indices().nth(SHOWN) {
        None => part.to_owned(),
        Some((end, _)) => format!("{}…({} bytes)", &part[..end], part.len()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_of_issues_and_random_texts_make_no_difference() {
        let issue = |path: &str| json!({ "in": "query", "path": path, "code": "TOO_SMALL" });
        let body = |one: &str, other: &str| {
            let details = json!({ "issues": [issue(one), issue(other)] });
            json!({ "error": { "code": "c", "message": "m", "details": details } })
        };
        let bound = |body| {
            Normalizer::default().body(&body, &Members::new(), &["/error/code", "/error/none"])
        };
        assert_eq!(bound(body("/a", "/b")), bound(body("/b", "/a")));
        assert_eq!(bound(body("/a", "/b"))["error"]["code"], "[random]");
        let mut without = body("/a", "/b");
        without["error"]["code"] = Value::Null;
        assert_eq!(bound(without)["error"]["code"], "[random]");
    }
}
