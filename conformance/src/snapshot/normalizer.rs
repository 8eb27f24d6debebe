//! Replaces volatile values by names: the first partner id of a case is `[partner.1]` wherever it
//! occurs in that case. One value has one name, so that relations stay visible.

use std::{collections::BTreeMap, sync::LazyLock};

use percent_encoding::percent_decode_str;
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::{kind, places::Schema};

/// Characters of a path's segment, or of a query's value, that are shown.
const SHOWN: usize = 60;
/// Members of an issue in the order of reading; the document does not name them.
const ISSUE: [&str; 4] = ["in", "path", "code", "message"];
/// A cursor parameter of this length that no response gave is shown as `[no cursor]`.
const CURSOR_LENGTH: usize = 12;

/// Names that a run writes while it changes something.
static MARKS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("conformance-[0-9a-f]{16}").expect("a regular expression"));
/// Instants and waits in messages.
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
pub(super) struct Normalizer {
    /// Values that name something, and what.
    known: BTreeMap<String, &'static str>,
    /// Values by what they name, in the order of their numbers.
    numbers: BTreeMap<&'static str, Vec<String>>,
}

impl Normalizer {
    /// Learns what a fixture's id names.
    pub(super) fn learn_id(&mut self, id: &str, identity: &'static str) {
        self.known.entry(id.to_owned()).or_insert(identity);
    }

    /// Learns which values of a response name something; none gets its number yet.
    pub(super) fn learn(&mut self, value: &Value, schema: &Schema<'_>) {
        match value {
            Value::String(text) => {
                if let Some(identity) = schema.identity(value) {
                    self.known.entry(text.clone()).or_insert(identity);
                }
            }
            Value::Array(items) => {
                if let Some(schema) = schema.items() {
                    items.iter().for_each(|item| self.learn(item, &schema));
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    if let Some(schema) = schema.member(name) {
                        self.learn(member, &schema);
                    }
                }
            }
            _ => {}
        }
    }

    /// Path and query of a request; secrets were removed before.
    pub(super) fn target(&mut self, target: &str) -> String {
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

    /// A body with names in place of volatile values. `random` are JSON pointers of texts, or
    /// nulls, that are random in each run.
    pub(super) fn body(&mut self, value: &Value, schema: &Schema<'_>, random: &[&str]) -> Value {
        let mut bound = value.clone();
        for pointer in random {
            let value = bound.pointer_mut(pointer);
            if let Some(value) = value.filter(|value| value.is_string() || value.is_null()) {
                *value = kind::RANDOM.into();
            }
        }
        if let Some(Value::Array(issues)) = bound.pointer_mut("/error/details/issues") {
            // Their order has no meaning.
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            issues.sort_by_key(|issue| ISSUE.map(|name| text(&issue[name])));
        }
        self.value(&bound, Some(schema), "")
    }

    fn value(&mut self, value: &Value, schema: Option<&Schema<'_>>, member: &str) -> Value {
        match value {
            Value::String(text) => self.text(text, value, schema, member).into(),
            Value::Number(_) if member == "retryAfterSeconds" && value.is_u64() => {
                kind::SECONDS.into()
            }
            Value::Array(items) => {
                let schema = schema.and_then(Schema::items);
                let items = items.iter();
                items.map(|item| self.value(item, schema.as_ref(), "")).collect()
            }
            Value::Object(members) => self.object(members, schema),
            _ => value.clone(),
        }
    }

    /// Members in the document's order, others behind them by name: their order has no meaning.
    fn object(&mut self, members: &Map<String, Value>, schema: Option<&Schema<'_>>) -> Value {
        let order = schema.map_or_else(Vec::new, Schema::members);
        let order = [&order[..], &ISSUE].concat();
        let place = |name: &str| order.iter().position(|known| *known == name);
        let mut names: Vec<&String> = members.keys().collect();
        names.sort_by_key(|name| (place(name).unwrap_or(usize::MAX), *name));
        let mut bound = Map::new();
        for name in names {
            let schema = schema.and_then(|schema| schema.member(name));
            bound.insert(name.clone(), self.value(&members[name], schema.as_ref(), name));
        }
        Value::Object(bound)
    }

    fn text(
        &mut self,
        text: &str,
        value: &Value,
        schema: Option<&Schema<'_>>,
        member: &str,
    ) -> String {
        if let Some(identity) = schema.and_then(|schema| schema.identity(value)) {
            return self.bind(identity, text);
        }
        if schema.is_some_and(|schema| schema.moves(member, value)) {
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
    use crate::{
        exchange::Request,
        snapshot::places::{Places, tests::places},
    };

    fn schema<'places>(places: &'places Places, operation: &str, status: u16) -> Schema<'places> {
        places.body(operation, status).unwrap()
    }

    #[test]
    fn one_value_has_one_name_everywhere() {
        let places = places();
        let list = schema(&places, "listCommissionLines", 200);
        let body = json!({
            "pagination": { "nextCursor": "next/page" },
            "data": [
                { "partnerId": "ptn_1", "id": "cln_1", "payoutId": null, "description": "ptn_1" },
                { "partnerId": "ptn_1", "id": "cln_2", "payoutId": "pay_1", "description": "cln" },
            ],
        });
        let mut normalizer = Normalizer::default();
        normalizer.learn(&body, &list);
        let bound = normalizer.body(&body, &list, &[]);
        assert_eq!(
            bound,
            json!({
                "data": [
                    { "id": "[line.1]", "partnerId": "[partner.1]", "payoutId": null,
                      "description": "[partner.1]" },
                    { "id": "[line.2]", "partnerId": "[partner.1]", "payoutId": "[payout.1]",
                      "description": "cln" },
                ],
                "pagination": { "nextCursor": "[cursor.1]" },
            })
        );
        let next =
            Request::get("/api/v1/partners/cln_2?partnerId=nobody").query("cursor", "next/page");
        assert_eq!(
            normalizer.target(&next.target),
            "/api/v1/partners/[line.2]?partnerId=nobody&cursor=[cursor.1]"
        );
    }

    #[test]
    fn value_of_another_format_keeps_its_own_text() {
        let places = places();
        let payout = schema(&places, "getPayout", 200);
        let body = json!({ "data": {
            "id": "", "updatedAt": "yesterday", "createdAt": "2026-05-20T09:30:00.000Z",
        } });
        assert_eq!(Normalizer::default().body(&body, &payout, &[]), body);
    }

    #[test]
    fn volatile_parts_of_messages_are_replaced() {
        let places = places();
        let error = schema(&places, "listPartners", 429);
        let body = |seconds: u64, when: &str| {
            json!({ "error": {
                "code": "RATE_LIMITED",
                "message": format!("5 requests a minute; {seconds} seconds; at {when}."),
                "details": { "retryAfterSeconds": seconds },
            } })
        };
        let bound = |seconds, when| Normalizer::default().body(&body(seconds, when), &error, &[]);
        let one = bound(7, "2026-05-20T09:30:00.000Z");
        assert_eq!(one, bound(59, "2027-05-20T09:30:00.123Z"));
        assert_eq!(one["error"]["message"], "5 requests a minute; [seconds] seconds; at [time].");
        assert_eq!(one["error"]["details"]["retryAfterSeconds"], "[seconds]");
    }

    #[test]
    fn order_of_issues_and_random_texts_make_no_difference() {
        let places = places();
        let error = schema(&places, "listPartners", 422);
        let issue = |path: &str| json!({ "in": "query", "path": path, "code": "TOO_SMALL" });
        let body = |one: &str, other: &str| {
            let details = json!({ "issues": [issue(one), issue(other)] });
            json!({ "error": { "code": "c", "message": "m", "details": details } })
        };
        let bound =
            |body| Normalizer::default().body(&body, &error, &["/error/code", "/error/none"]);
        assert_eq!(bound(body("/a", "/b")), bound(body("/b", "/a")));
        assert_eq!(bound(body("/a", "/b"))["error"]["code"], "[random]");
        let mut without = body("/a", "/b");
        without["error"]["code"] = Value::Null;
        assert_eq!(bound(without)["error"]["code"], "[random]");
    }

    #[test]
    fn marks_and_names_in_filenames_are_replaced() {
        let places = places();
        let partner = schema(&places, "getPartner", 200);
        let body = json!({ "data": { "name": "⁂ conformance-0123456789abcdef" } });
        let bound = Normalizer::default().body(&body, &partner, &[]);
        assert_eq!(bound["data"]["name"], "⁂ [mark.1]");
        let statement = schema(&places, "generateStatement", 200);
        let body = json!({ "data": {
            "filename": "statement-A-b-2026-05.pdf", "downloadUrl": "https://a/b?c=d",
        } });
        let bound = Normalizer::default().body(&body, &statement, &[]);
        assert_eq!(bound["data"]["filename"], "statement-[partner]-2026-05.pdf");
        assert_eq!(bound["data"]["downloadUrl"], "[link.1]");
    }

    #[test]
    fn long_and_broken_parts_of_a_request_are_cut_and_named() {
        let mut normalizer = Normalizer::default();
        let target = normalizer.target(&format!(
            "/api/v1/partners/{}?cursor=abcdefghijklmnop&cursor=x",
            "y".repeat(200)
        ));
        let shown = "y".repeat(60);
        assert_eq!(
            target,
            format!("/api/v1/partners/{shown}…(200 bytes)?cursor=[no cursor]&cursor=x")
        );
    }
}
