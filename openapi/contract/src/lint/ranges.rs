//! Bounds that no value is between. Numbers are compared exactly, as decimals.

use std::collections::BTreeSet;

use openapi_document::{Direction, pointer::join};
use openapi_formats::integer_bounds;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::{
    context::{Context, Findings},
    schemas::schemas,
};

const COUNTS: [(&str, &str); 3] =
    [("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")];

/// A bound, and the keyword that sets it.
type Bound = (Decimal, &'static str);

pub(super) fn empty_range(context: &Context<'_>, found: &mut Findings) {
    for node in schemas(context) {
        let Some(schema) = node.value.as_object() else { continue };
        for (low, high) in COUNTS {
            let implied = implied_counts(context, schema, low);
            let least = strictest(schema, low, implied[0], Decimal::gt);
            let most = strictest(schema, high, implied[1], Decimal::lt);
            if let (Some((least, low)), Some((most, high))) = (least, most)
                && least > most
            {
                report(&node.pointer, schema, &[low, high], found);
            }
        }
        let implied = implied_bounds(schema);
        let least = strictest(schema, "minimum", implied[0], Decimal::gt);
        let most = strictest(schema, "maximum", implied[1], Decimal::lt);
        if let (Some((least, low)), Some((most, high))) = (least, most)
            && is_empty(schema, least, most) == Some(true)
        {
            let others = ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"].into_iter();
            let others = others.filter(|name| schema.contains_key(*name));
            report(
                &node.pointer,
                schema,
                &[low, high].into_iter().chain(others).collect::<Vec<_>>(),
                found,
            );
        }
        unknown_required(&node.pointer, schema, found);
    }
}

/// Returns the stricter bound: that of the keyword, or the one that other keywords imply.
fn strictest(
    schema: &Map<String, Value>,
    keyword: &'static str,
    implied: Option<Bound>,
    is_stricter: fn(&Decimal, &Decimal) -> bool,
) -> Option<Bound> {
    let written = number(schema, keyword).map(|bound| (bound, keyword));
    match (written, implied) {
        (Some(written), Some(implied)) if is_stricter(&implied.0, &written.0) => Some(implied),
        (written, implied) => written.or(implied),
    }
}

/// Returns the least and the greatest whole number of the format.
fn implied_bounds(schema: &Map<String, Value>) -> [Option<Bound>; 2] {
    let is_whole = schema.get("type").and_then(Value::as_str) == Some("integer");
    let format = schema.get("format").and_then(Value::as_str).filter(|_| is_whole);
    let bounds = format.map(|format| integer_bounds(Some(format)));
    [bounds.map(|(least, _)| least), bounds.map(|(_, most)| most)]
        .map(|bound| bound.map(|bound| (bound.into(), "format")))
}

/// Returns how many properties an object has at least and at most.
fn implied_counts(
    context: &Context<'_>,
    schema: &Map<String, Value>,
    low: &str,
) -> [Option<Bound>; 2] {
    if low != "minProperties" {
        return [None, None];
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_always_sent = |name: &&str| {
        let property = properties.and_then(|all| all.get(*name));
        property.is_none_or(|it| context.document.is_sent(it, Direction::Either))
    };
    let required: BTreeSet<&str> =
        required(schema).map(|(_, name)| name).filter(is_always_sent).collect();
    let most = is_closed(schema).then(|| properties.map_or(0, Map::len));
    [
        Some((required.len().into(), "required")),
        most.map(|most| (most.into(), "additionalProperties")),
    ]
}

/// A closed object that requires a property which it does not have.
fn unknown_required(at: &str, schema: &Map<String, Value>, found: &mut Findings) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_unknown = |name: &str| properties.is_none_or(|all| !all.contains_key(name));
    for (index, name) in required(schema).filter(|(_, name)| is_closed(schema) && is_unknown(name))
    {
        let problem = format!(
            "no value is valid: `{name}` is required, and is no property of this closed object"
        );
        let at = join(&join(at, "required"), &index.to_string());
        found.add(at, problem, "declare the property, or correct its name");
    }
}

fn required(schema: &Map<String, Value>) -> impl Iterator<Item = (usize, &str)> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.enumerate().filter_map(|(index, name)| Some((index, name.as_str()?)))
}

fn is_closed(schema: &Map<String, Value>) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && !schema.contains_key("patternProperties")
}

fn report(at: &str, schema: &Map<String, Value>, keywords: &[&str], found: &mut Findings) {
    let words: Vec<String> =
        keywords.iter().map(|name| format!("`{name}` {}", schema[*name])).collect();
    let problem = format!("no value is valid: {}", words.join(", "));
    // `unknown_required` reports what only other keywords imply.
    let Some(keyword) = keywords.iter().find(|name| name.starts_with('m')) else { return };
    found.add(join(at, keyword), problem, "correct one of them");
}

/// Returns whether no number is between the bounds; `None` if that cannot be computed.
fn is_empty(schema: &Map<String, Value>, least: Decimal, most: Decimal) -> Option<bool> {
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
