//! `decode` accepts exactly the bodies that the document's schema accepts, and the generated types
//! read all of them. The one exception is U+0000, which a schema cannot forbid (R3).

use std::path::Path;

use openapi_document::{Direction, Document};
use poem::http::{HeaderMap, header::CONTENT_TYPE};
use poem_openapi::types::{MaybeUndefined, ParseFromJSON, ToJSON};
use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::{
    Arguments, Operation, Problem, RequestForm, decode,
    types::{Domain, UpdatePartnerRequest},
};

pub(super) fn document() -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
    Document::load(&path).unwrap()
}

fn decoded(body: &Value) -> Result<UpdatePartnerRequest, Problem> {
    let Some(path) = super::validation::path_of(Operation::UpdatePartner) else {
        panic!("updatePartner has an id in its path");
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
    let body = body.to_string();
    let request =
        RequestForm { path: &path, query: None, headers: &headers, body: body.as_bytes() };
    match decode(Operation::UpdatePartner, &request)? {
        Arguments::UpdatePartner(_, body) => Ok(body),
        other => panic!("{other:?}"),
    }
}

fn candidates() -> Vec<Value> {
    let values = || {
        vec![
            json!(null),
            json!(true),
            json!(0),
            json!(1.5),
            json!(""),
            json!("x"),
            json!("é"),
            json!([]),
            json!(["x"]),
            json!({}),
            json!("RESTRICTED_USERS"),
            json!("restricted_users"),
            json!("a".repeat(200)),
            json!("a".repeat(201)),
            json!("🦀".repeat(200)),
            json!("🦀".repeat(201)),
            json!("a".repeat(255)),
            json!("🦀".repeat(255)),
            json!("a".repeat(256)),
        ]
    };
    let unknown = ["nickname", "", "Name", "status"];
    let fields = Operation::UpdatePartner.info().body_fields.iter().copied().chain(unknown);
    let mut bodies = values();
    for field in fields {
        bodies.extend(values().into_iter().map(|value| json!({ field: value })));
        bodies.extend(
            values().into_iter().map(|value| json!({ "name": "x", "domain": null, field: value })),
        );
    }
    bodies
}

#[test]
fn decode_accepts_exactly_the_bodies_that_the_document_accepts() {
    let schema = "/components/schemas/UpdatePartnerRequest";
    let validator = document().validator(schema, Direction::Request).unwrap();
    let (mut accepted, mut rejected) = (0, 0);
    for body in candidates() {
        let valid = validator.validate(&body).is_empty();
        let decoded = decoded(&body);
        assert_eq!(decoded.is_ok(), valid, "{body}: {decoded:?}");
        match decoded {
            Ok(read) => {
                accepted += 1;
                assert_eq!(read.to_json(), Some(body));
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(accepted > 40 && rejected > 200, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn absent_null_and_a_value_differ() {
    let read = |body| decoded(&body).unwrap();
    assert_eq!(read(json!({})), UpdatePartnerRequest::default());
    assert_eq!(read(json!({ "domain": null })).domain, MaybeUndefined::Null);
    let domain = read(json!({ "domain": "x.example" })).domain;
    assert_eq!(domain, MaybeUndefined::Value(Domain::new("x.example")));
}

#[test]
fn examples_of_the_document_survive_the_types() {
    use crate::contract::types::{
        CommissionLine, CommissionLineListItem, Partner, Payout, UpdatedPartner,
    };
    fn round_trip<T: ParseFromJSON + ToJSON + Serialize>(example: Value) {
        let read = T::parse_from_json(Some(example.clone()));
        let read = read.unwrap_or_else(|error| panic!("{example}: {}", error.into_message()));
        assert_eq!(serde_json::to_string(&read).unwrap(), example.to_string());
        assert_eq!(read.to_json(), Some(example));
    }
    let document = document();
    let example = |name: &str| document.value()["components"]["schemas"][name]["example"].clone();
    round_trip::<Partner>(example("Partner"));
    round_trip::<UpdatedPartner>(example("UpdatedPartner"));
    round_trip::<CommissionLine>(example("CommissionLine"));
    round_trip::<CommissionLineListItem>(example("CommissionLineListItem"));
    round_trip::<Payout>(example("Payout"));
}

#[test]
fn missing_optional_field_is_left_out_and_missing_required_one_rejected() {
    use crate::contract::types::{Partner, UpdatedPartner};
    let mut example =
        document().value()["components"]["schemas"]["UpdatedPartner"]["example"].clone();
    example.as_object_mut().unwrap().remove("experienceTemplateId").unwrap();
    let partner = UpdatedPartner::parse_from_json(Some(example.clone())).unwrap();
    assert_eq!(partner.to_json(), Some(example.clone()));
    assert!(Partner::parse_from_json(Some(example)).is_err());
}
