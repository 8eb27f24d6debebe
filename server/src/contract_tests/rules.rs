//! Rules between fields, defaults and limits of maps, read as the generated code reads them.

use std::collections::BTreeMap;

use poem::http::{HeaderMap, header::CONTENT_TYPE};
use poem_openapi::types::MaybeUndefined;
use serde::Serialize;
use serde_json::{Map, Value, json};

use openapi_runtime::{
    Money, Timestamp, named_map,
    reading::{Fields, FromJson, Invalid, Reader, Text, TextMap, Violations},
};

use crate::contract::{
    PathValues, RequestForm,
    types::{Currency, ErrorCode, PortalAccess},
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Labels(BTreeMap<String, String>);
named_map!(
    Labels,
    String,
    TextMap::ANY.at_most(3).names(Text::ANY.at_least(1).at_most(4)).values(Text::ANY.at_most(5))
);

/// The fields of a generated struct.
#[derive(Debug, PartialEq)]
struct Created {
    amount: Money,
    fee: Money,
    urgent: bool,
    start: Option<Timestamp>,
    end: MaybeUndefined<Timestamp>,
    access: PortalAccess,
    currency: Option<Currency>,
    labels: MaybeUndefined<Labels>,
}

impl FromJson for Created {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, pointer, violations)?;
        let amount = fields.required::<Money>("amount");
        let fee = fields.defaulted::<Money>("fee", || Money::parse("0.00").unwrap());
        let urgent = fields.defaulted::<bool>("urgent", || false);
        let start = fields.optional::<Timestamp>("start");
        let end = fields.nullable::<Timestamp>("end");
        let access = fields.defaulted::<PortalAccess>("access", || PortalAccess::RestrictedDomains);
        let currency = fields.optional::<Currency>("currency");
        let labels = fields.nullable::<Labels>("labels");
        fields.not_zero("amount", &amount);
        fields.later_than::<Timestamp>("end", &end, "start", &start);
        fields.required_when(
            "currency",
            &currency,
            "access",
            &access,
            PortalAccess::RestrictedUsers,
        );
        fields.close();
        Ok(Self {
            amount: amount?,
            fee: fee?,
            urgent: urgent?,
            start: start?,
            end: end?,
            access: access?,
            currency: currency?,
            labels: labels?,
        })
    }
}

/// Path, code and message of an issue.
type Found = (String, String, String);

/// The body `{"amount": "1.00"}` with these members.
fn created(members: Value) -> Result<Created, Vec<Found>> {
    let mut body = Map::from_iter([("amount".to_owned(), json!("1.00"))]);
    body.extend(members.as_object().unwrap().clone());
    let body = Value::Object(body).to_string();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
    let path = PathValues::default();
    let request =
        RequestForm { path: &path, query: None, headers: &headers, body: body.as_bytes() };
    let mut reader = Reader::<ErrorCode>::new(&request, &[]);
    let read = reader.body::<Created>();
    reader.finish(|| read).map_err(|problem| {
        let details = problem.details.unwrap();
        let text = |issue: &Value, member: &str| issue[member].as_str().unwrap().to_owned();
        let found = |issue| (text(issue, "path"), text(issue, "code"), text(issue, "message"));
        details["issues"].as_array().unwrap().iter().map(found).collect()
    })
}

#[track_caller]
fn rejects(members: Value, expected: &[(&str, &str, &str)]) {
    let found = created(members).unwrap_err();
    let found: Vec<_> =
        found.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(found, expected);
}

const START: &str = "2026-05-01T00:00:00.000Z";
const LATER: &str = "2026-05-01T00:00:00.001Z";

#[test]
fn zero_is_rejected_and_every_other_amount_accepted() {
    rejects(json!({ "amount": "0.00" }), &[("/amount", "ZERO", "must not be zero")]);
    for amount in ["0.01", "-0.01"] {
        assert!(created(json!({ "amount": amount })).is_ok(), "{amount}");
    }
}

#[test]
fn instant_must_be_later_than_the_other_where_both_are_given() {
    let earlier = [("/end", "TOO_SMALL", "must be later than start")];
    rejects(json!({ "start": START, "end": START }), &earlier);
    rejects(json!({ "start": LATER, "end": START }), &earlier);
    for accepted in [
        json!({ "start": START, "end": LATER }),
        json!({ "start": START, "end": null }),
        json!({ "start": START }),
        json!({ "end": START }),
    ] {
        assert!(created(accepted.clone()).is_ok(), "{accepted}");
    }
    let invalid = created(json!({ "start": "soon", "end": START })).unwrap_err();
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    assert_eq!(invalid[0].0, "/start");
}

#[test]
fn field_is_required_where_the_other_has_the_value() {
    let missing = [("/currency", "REQUIRED", "is missing; access RESTRICTED_USERS needs it")];
    rejects(json!({ "access": "RESTRICTED_USERS" }), &missing);
    for accepted in [
        json!({ "access": "RESTRICTED_USERS", "currency": "EUR" }),
        json!({ "access": "RESTRICTED_DOMAINS" }),
        json!({}),
    ] {
        assert!(created(accepted.clone()).is_ok(), "{accepted}");
    }
    // An invalid field is not missing.
    let invalid = created(json!({ "access": "RESTRICTED_USERS", "currency": "eur" })).unwrap_err();
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    assert_eq!(invalid[0].1, "BAD_FORMAT");
}

#[test]
fn broken_rules_are_named_together_with_all_other_violations() {
    let found = created(json!({
        "amount": "0.00", "fee": 1, "start": START, "end": START, "access": "RESTRICTED_USERS",
        "other": 1,
    }));
    let found: Vec<_> =
        found.unwrap_err().into_iter().map(|(path, code, _)| (path, code)).collect();
    let expected = [
        ("/fee", "WRONG_TYPE"),
        ("/amount", "ZERO"),
        ("/end", "TOO_SMALL"),
        ("/currency", "REQUIRED"),
        ("/other", "UNKNOWN_FIELD"),
    ];
    assert_eq!(found, expected.map(|(path, code)| (path.to_owned(), code.to_owned())));
}

#[test]
fn absent_field_has_its_default_and_null_is_not_absent() {
    let read = created(json!({})).unwrap();
    assert_eq!((read.fee.to_string().as_str(), read.urgent), ("0.00", false));
    assert_eq!(read.access, PortalAccess::RestrictedDomains);
    let read = created(json!({ "fee": "2.50", "urgent": true })).unwrap();
    assert_eq!((read.fee.to_string().as_str(), read.urgent), ("2.50", true));
    let null = "must not be null; leave it out instead";
    rejects(json!({ "urgent": null }), &[("/urgent", "NOT_NULLABLE", null)]);
}

#[test]
fn map_is_kept_cleared_or_set() {
    assert_eq!(created(json!({})).unwrap().labels, MaybeUndefined::Undefined);
    assert_eq!(created(json!({ "labels": null })).unwrap().labels, MaybeUndefined::Null);
    let set = created(json!({ "labels": { "é🦀ab": "ab🦀de", "b": "" } })).unwrap().labels;
    let expected = [("é🦀ab", "ab🦀de"), ("b", "")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(set, MaybeUndefined::Value(Labels(BTreeMap::from(expected))));
}

#[test]
fn map_rejects_names_and_values_beyond_its_limits() {
    rejects(
        json!({ "labels": { "a": "", "b": "", "c": "", "d": "" } }),
        &[("/labels", "TOO_LONG", "must have at most 3 names, has 4")],
    );
    rejects(
        json!({ "labels": { "": "", "a/b~c": "", "d": "123456" } }),
        &[
            ("/labels/", "TOO_SHORT", "the name must have at least 1 character, has 0"),
            ("/labels/a~1b~0c", "TOO_LONG", "the name must have at most 4 characters, has 5"),
            ("/labels/d", "TOO_LONG", "must have at most 5 characters, has 6"),
        ],
    );
    rejects(
        json!({ "labels": { "a": 1, "b": null, "c\0": "\0" } }),
        &[
            ("/labels/a", "WRONG_TYPE", "must be a string"),
            ("/labels/b", "NOT_NULLABLE", "must not be null; leave it out instead"),
            ("/labels/c\0", "BAD_FORMAT", "the name must not contain U+0000"),
            ("/labels/c\0", "BAD_FORMAT", "must not contain U+0000"),
        ],
    );
    rejects(json!({ "labels": [] }), &[("/labels", "WRONG_TYPE", "must be an object")]);
}
