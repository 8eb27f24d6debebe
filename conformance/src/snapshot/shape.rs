//! What is compared where values are not known: status, media type, and of each place the type that came.
//!
//! It refuses to demand what the document leaves open: an optional member, a value where null will do, an item of a list.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::places::Schema;

/// The shape of a response, as text. `with_codes`: error codes stand for themselves.
pub(super) fn of(head: &str, body: &str, schema: Option<Schema<'_>>, with_codes: bool) -> String {
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    let told = lines.find_map(|line| line.strip_prefix("content-type: "));
    let media_type = told.and_then(|told| told.split(';').next());
    let media_type = media_type
        .unwrap_or("no content type")
        .trim()
        .to_lowercase();
    let Some(schema) = schema else {
        return format!("{status}\n{media_type}");
    };
    let shape = match serde_json::from_str::<Value>(body) {
        Ok(json) => shape(Some(&json), schema, with_codes),
        Err(_) if body.is_empty() => Value::from("no body"),
        Err(_) => Value::from("no JSON"),
    };
    format!("{status}\n{media_type}\n\n{shape:#}")
}

/// The type of what stands in a place, and those of its members; without a value, what the document foresees.
fn shape(value: Option<&Value>, schema: Schema<'_>, with_codes: bool) -> Value {
    let value = value.filter(|value| !(value.is_null() && schema.is_nullable()));
    match schema.type_name() {
        Some("object") if value.is_none_or(Value::is_object) => {
            let mut members = Map::new();
            for name in schema.members() {
                if let Some(member) = schema.member(name).filter(|_| schema.requires(name)) {
                    let told = match value.map(|value| value.get(name)) {
                        Some(None) => Value::from("missing"),
                        Some(Some(code)) if with_codes && name == "code" => code.clone(),
                        Some(told) => shape(told, member, with_codes),
                        None => shape(None, member, with_codes),
                    };
                    members.insert(name.to_owned(), told);
                }
            }
            Value::Object(members)
        }
        Some("array") if value.is_none_or(Value::is_array) => {
            let Some(item) = schema.items() else {
                return Value::from("array");
            };
            let foreseen = shape(None, item, with_codes);
            let items = value.and_then(Value::as_array).into_iter().flatten();
            let others: BTreeSet<String> = items
                .map(|value| shape(Some(value), item, with_codes))
                .filter(|shape| *shape != foreseen)
                .map(|shape| shape.to_string())
                .collect();
            let others = others.into_iter().map(Value::from);
            std::iter::once(foreseen).chain(others).collect()
        }
        Some(foreseen) => {
            let told = value.map_or(foreseen, |value| type_of(value, foreseen));
            Value::from(told)
        }
        None => Value::from("anything"),
    }
}

fn type_of(value: &Value, foreseen: &str) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if foreseen == "integer" && !number.is_f64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::snapshot::places::tests::places;

    const HEAD: &str = "200 OK\ncontent-type: application/json; charset=utf-8\nx-request-id: a";

    fn of(operation: &str, status: u16, body: &Value, with_codes: bool) -> String {
        let places = places();
        super::of(
            HEAD,
            &body.to_string(),
            places.body(operation, status),
            with_codes,
        )
    }

    fn payout() -> Value {
        json!({ "data": {
            "id": "pay_1", "partner": { "id": "ptn_1", "name": "a" }, "batchId": "pbt_1",
            "periodStart": "x", "periodEnd": "x", "amount": { "value": "1.00", "currency": "EUR" },
            "stage": "DRAFT", "poNumber": null, "createdAt": "x", "updatedAt": "x",
        } })
    }

    #[test]
    fn values_optional_members_and_nulls_make_no_difference() {
        let one = of("getPayout", 200, &payout(), true);
        let mut other = payout();
        other["data"]["id"] = json!("other");
        other["data"]["poNumber"] = json!("PO-1");
        other["data"]["metadata"] = json!({ "statementNote": "n" });
        other["data"]["extra"] = json!(1);
        assert_eq!(one, of("getPayout", 200, &other, true));
        assert!(one.starts_with("200 OK\napplication/json\n\n"), "{one}");
        assert!(one.contains(r#""poNumber": "string""#), "{one}");
    }

    #[test]
    fn missing_member_and_other_type_make_a_difference() {
        let whole = of("getPayout", 200, &payout(), true);
        let mut without = payout();
        without["data"].as_object_mut().unwrap().remove("poNumber");
        let without = of("getPayout", 200, &without, true);
        assert!(without.contains(r#""poNumber": "missing""#), "{without}");
        let mut number = payout();
        number["data"]["amount"]["value"] = json!(1.5);
        let number = of("getPayout", 200, &number, true);
        assert!(number.contains(r#""value": "number""#), "{number}");
        let mut null = payout();
        null["data"]["stage"] = json!(null);
        assert_ne!(of("getPayout", 200, &null, true), whole);
    }

    #[test]
    fn empty_list_has_the_shape_of_a_full_one_and_an_odd_item_stands_out() {
        let list = |data: Value, cursor: Value| {
            let body = json!({ "data": data, "pagination": { "nextCursor": cursor } });
            of("listCommissionLines", 200, &body, true)
        };
        let empty = list(json!([]), json!(null));
        let line = json!({
            "id": "a", "partnerId": "b", "payoutId": null, "description": "", "amount": "1.00", "sourceAmount": "1.00",
            "currency": "EUR", "status": "PENDING", "planName": "p", "periodEnd": "x", "createdAt": "x", "updatedAt": "x",
        });
        assert_eq!(empty, list(json!([line, line]), json!("c")));
        let mut odd = line.clone();
        odd["amount"] = json!(1);
        assert_ne!(empty, list(json!([line, odd]), json!(null)));
    }

    #[test]
    fn codes_stand_for_themselves_where_decisions_are_judged_by() {
        let error = |code: &str, details: Value| json!({ "error": { "code": code, "message": "m", "details": details } });
        let one = error("A", json!({ "issues": [] }));
        let other = error("B", json!(1));
        let shape = |body: &Value, with_codes| of("listPartners", 422, body, with_codes);
        assert_ne!(shape(&one, true), shape(&other, true));
        assert_eq!(shape(&one, false), shape(&other, false));
        assert_eq!(shape(&one, true), shape(&error("A", json!(null)), true));
    }
}
