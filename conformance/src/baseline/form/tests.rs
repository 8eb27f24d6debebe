//! Tests of the form of bodies: what is data, and what is not.

use serde_json::json;

use super::*;
use crate::{
    document::DOCUMENT,
    snapshot::{places::Places, recording::Key},
};

fn shape(bodies: &[Value]) -> Shape {
    let mut shape = Shape::default();
    bodies.iter().for_each(|body| shape.add(body));
    shape
}

/// The differences of the bodies of an operation, as `kind at`.
fn found(operation: &str, status: u16, old: &[Value], new: &[Value]) -> String {
    let places = Places::of(&DOCUMENT).unwrap();
    let key = Key { operation: operation.to_owned(), status, code: String::new() };
    let members = places.body(&key);
    let found = shape(old).differences(&shape(new), members, status >= 400).into_iter();
    found.map(|one| format!("{:?} {}", one.kind, one.at)).collect::<Vec<_>>().join(", ")
}

fn page(items: &[Value]) -> Vec<Value> {
    vec![json!({ "data": items, "pagination": { "nextCursor": null } })]
}

#[test]
fn other_data_has_the_same_form() {
    let full = json!({
        "id": "1", "name": "One", "domain": "one.example", "owner": { "id": "u", "name": "U" },
        "categories": ["a"], "crmProperties": { "region": "DACH" },
    });
    let bare = json!({
        "id": "2", "name": "", "domain": null, "owner": null, "categories": [],
        "crmProperties": { "industry": 7 },
    });
    let (full, bare) = (page(&[full.clone(), full.clone(), full]), page(&[bare.clone(), bare]));
    assert_eq!(found("listPartners", 200, &full, &bare), "");
    assert_eq!(found("listPartners", 200, &bare, &full), "");
    assert_eq!(found("listPartners", 200, &full, &page(&[])), "");
}

#[test]
fn optional_member_is_missed_only_where_all_of_many_items_lack_it() {
    let has = json!({ "id": "1", "metadata": null });
    let lacks = json!({ "id": "1" });
    let many = |item: &Value| page(&[item.clone(), item.clone(), item.clone()]);
    let gone = "MemberGone /data/*/metadata";
    assert_eq!(found("listPayouts", 200, &many(&has), &many(&lacks)), gone);
    assert_eq!(
        found("listPayouts", 200, &many(&lacks), &many(&has)),
        gone.replace("Gone", "Added")
    );
    let some = page(&[has.clone(), lacks.clone(), lacks.clone()]);
    assert_eq!(found("listPayouts", 200, &many(&has), &some), "");
    assert_eq!(found("listPayouts", 200, &some, &many(&lacks)), "");
    assert_eq!(found("listPayouts", 200, &many(&has), &page(&[lacks])), "");
}

#[test]
fn required_member_new_type_and_unknown_member_are_differences_at_once() {
    let item = json!({ "id": "1", "name": "One", "domain": "one.example" });
    let with = |name: &str, value: Value| {
        let mut item = item.clone();
        item[name] = value;
        page(&[item])
    };
    let old = page(std::slice::from_ref(&item));
    let lacking = page(&[json!({ "id": "1", "domain": null })]);
    assert_eq!(found("listPartners", 200, &old, &lacking), "MemberGone /data/*/name");
    assert_eq!(found("listPartners", 200, &old, &with("name", json!(7))), "Type /data/*/name");
    assert_eq!(found("listPartners", 200, &old, &with("name", Value::Null)), "Type /data/*/name");
    assert_eq!(found("listPartners", 200, &old, &with("domain", Value::Null)), "");
    assert_eq!(
        found("listPartners", 200, &old, &with("more", json!(1))),
        "MemberAdded /data/*/more"
    );
}

#[test]
fn members_of_an_error_are_its_form() {
    let error = |details: Value| {
        vec![json!({ "error": { "code": "C", "message": "M", "details": details } })]
    };
    let old = error(json!({ "requiredScope": "a" }));
    let new = error(json!({ "scope": "a" }));
    let both = "MemberGone /error/details/requiredScope, MemberAdded /error/details/scope";
    assert_eq!(found("getPayout", 403, &old, &new), both);
    let bare = vec![json!({ "error": { "code": "C", "message": "Another." } })];
    assert_eq!(found("getPayout", 403, &old, &bare), "MemberGone /error/details");
}
