//! Exclusive bounds: numbers in 3.1, flags beside `minimum` and `maximum` in 3.0.

use serde_json::{Map, Value, json};

pub(super) fn to_flags(members: &mut Map<String, Value>) {
    one_to_flag(members, "minimum", "exclusiveMinimum", |exclusive, bound| exclusive >= bound);
    one_to_flag(members, "maximum", "exclusiveMaximum", |exclusive, bound| exclusive <= bound);
}

/// Keeps the stricter of two bounds.
#[expect(clippy::disallowed_types, reason = "a number of the document, no money")]
fn one_to_flag(
    members: &mut Map<String, Value>,
    bound: &str,
    exclusive: &str,
    is_stricter: fn(f64, f64) -> bool,
) {
    let Some(limit) = members.get(exclusive).filter(|limit| limit.is_number()).cloned() else {
        return;
    };
    members.shift_remove(exclusive);
    let other = members.get(bound).and_then(Value::as_f64);
    let number = limit.as_f64().unwrap_or_default();
    if other.is_none_or(|other| is_stricter(number, other)) {
        members.insert(bound.to_owned(), limit);
        members.insert(exclusive.to_owned(), json!(true));
    }
}
