//! Schemas that generated code makes with macros: alternatives, numbers with bounds, unique lists.

#![expect(
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "no money; a panic names its line"
)]

use openapi_runtime::{
    IssueCode, alternatives, alternatives_in_text, number,
    reading::{FromJson, FromText as _, List, Unique, Violations, one_of},
};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(i64),
    Text(String),
}
alternatives!(NumberOrText, any_of, Number(i64) = i64, Text(String) = String);
alternatives_in_text!(NumberOrText, any_of, Number(i64), Text(String));

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Weight(f64);
number!(Weight, f64, [more_than(0.0), at_most(2.5)]);

/// The value, or the first violation.
fn read<T: FromJson>(value: Value) -> Result<T::Value, String> {
    let mut violations = Violations::default();
    T::from_json(value, "/a", &mut violations)
        .map_err(|_| violations.first_message().unwrap().to_owned())
}

#[test]
fn value_is_the_first_alternative_that_accepts_it() {
    assert_eq!(read::<NumberOrText>(json!(3)), Ok(NumberOrText::Number(3)));
    assert_eq!(read::<NumberOrText>(json!("3")), Ok(NumberOrText::Text("3".to_owned())));
    assert_eq!(NumberOrText::from_text("3"), Ok(NumberOrText::Number(3)));
    assert_eq!(
        read::<NumberOrText>(json!(true)).unwrap_err(),
        "is none of its alternatives: Number must be a whole number; Text must be a string"
    );
}

#[test]
fn value_of_several_alternatives_is_none_of_one_of() {
    let both = one_of([("A", Ok(1)), ("B", Ok(2))]).unwrap_err();
    assert_eq!(both, (IssueCode::BadFormat, "must be only one of A, B, and is each".to_owned()));
    let long = (IssueCode::TooLong, "is long".to_owned());
    assert_eq!(one_of([("A", Ok(1)), ("B", Err(long))]), Ok(1));
}

#[test]
fn number_is_within_its_bounds() {
    assert_eq!(read::<Weight>(json!(2.5)).map(Weight::get), Ok(2.5));
    assert_eq!(read::<Weight>(json!(0)).unwrap_err(), "must be more than 0");
    assert_eq!(read::<Weight>(json!(3)).unwrap_err(), "must be at most 2.5");
    assert_eq!(Weight::new(1.5).to_string(), "1.5");
}

#[test]
fn unique_list_rejects_an_item_that_is_there_twice() {
    type Numbers = Unique<List<i64, 0, { usize::MAX }>>;
    assert_eq!(read::<Numbers>(json!([1, 2])), Ok(vec![1, 2]));
    assert_eq!(
        read::<Numbers>(json!([1, 2, 1])).unwrap_err(),
        "must not repeat an item; item 2 is item 0 again"
    );
}
