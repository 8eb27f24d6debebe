//! Bounds that no value is between. Numbers are compared exactly, as decimals.

use openapi_document::pointer::join;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::{
    context::{Context, Findings},
    schemas::schemas,
};

const COUNTS: [(&str, &str); 3] =
    [("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")];

pub(super) fn empty_range(context: &Context<'_>, found: &mut Findings) {
    for node in schemas(context) {
        let Some(schema) = node.value.as_object() else { continue };
        for (low, high) in COUNTS {
            if let (Some(least), Some(most)) = (number(schema, low), number(schema, high))
                && least > most
            {
                report(&node.pointer, schema, (low, high), found);
            }
        }
        if is_empty(schema) == Some(true) {
            report(&node.pointer, schema, ("minimum", "maximum"), found);
        }
    }
}

fn report(at: &str, schema: &Map<String, Value>, (low, high): (&str, &str), found: &mut Findings) {
    let mut words = vec![format!("`{low}` {}", schema[low]), format!("`{high}` {}", schema[high])];
    let others = ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"].into_iter();
    let others = others.filter(|name| low == "minimum" && schema.contains_key(*name));
    words.extend(others.map(|name| format!("`{name}` {}", schema[name])));
    let problem = format!("no value is valid: {}", words.join(", "));
    found.add(join(at, low), problem, "correct one of them");
}

/// Returns whether no number is between the bounds; `None` if that cannot be computed.
fn is_empty(schema: &Map<String, Value>) -> Option<bool> {
    let (least, most) = (number(schema, "minimum")?, number(schema, "maximum")?);
    let is_set = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let is_beyond = |value: Decimal| value > most || (is_set("exclusiveMaximum") && value == most);
    let Some(step) = step(schema) else {
        return Some(is_beyond(least) || (is_set("exclusiveMinimum") && least == most));
    };
    // The first multiple that is not below the minimum.
    let beyond = least.checked_rem(step)?;
    let mut first = least.checked_sub(beyond)?;
    if beyond > Decimal::ZERO || (beyond.is_zero() && is_set("exclusiveMinimum")) {
        first = first.checked_add(step)?;
    }
    Some(is_beyond(first))
}

/// The number that every value is a multiple of.
fn step(schema: &Map<String, Value>) -> Option<Decimal> {
    let is_whole = schema.get("type").and_then(Value::as_str) == Some("integer");
    let multiple = number(schema, "multipleOf").filter(|step| *step > Decimal::ZERO);
    match (multiple, is_whole) {
        (None, is_whole) => is_whole.then_some(Decimal::ONE),
        (Some(step), false) => Some(step),
        // The least whole number that is a multiple: of 2.5, five.
        (Some(step), true) => {
            let step = step.normalize();
            let (numerator, denominator) =
                (step.mantissa().unsigned_abs(), 10_u128.pow(step.scale()));
            let (mut left, mut right) = (numerator, denominator);
            while right > 0 {
                (left, right) = (right, left % right);
            }
            Decimal::from_str_exact(&(numerator / left).to_string()).ok()
        }
    }
}

fn number(schema: &Map<String, Value>, name: &str) -> Option<Decimal> {
    let text = schema.get(name)?.as_number()?.to_string();
    Decimal::from_str_exact(&text).or_else(|_| Decimal::from_scientific(&text)).ok()
}
