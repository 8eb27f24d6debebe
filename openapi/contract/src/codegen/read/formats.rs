//! Formats: of texts as `openapi-formats` checks them, of numbers as bounds. Any other format is
//! only a hint.

use openapi_formats::{Format, integer_bounds};
use serde_json::{Value, json};

use super::Keywords;

/// The format of a text in place that is checked, if the text has no limits.
pub(super) fn of_text(schema: &Keywords) -> Option<Format> {
    let is_limited = ["enum", "maxLength", "minLength", "pattern"]
        .iter()
        .any(|limit| schema.contains_key(*limit));
    let format = Format::named(schema.get("format")?.as_str()?)?;
    (!is_limited).then_some(format)
}

/// The type of a schema; of one that does not name it, that of its values or of its properties.
pub(super) fn type_of(schema: &Keywords) -> Option<&str> {
    let is_object =
        || ["properties", "additionalProperties"].iter().any(|it| schema.contains_key(*it));
    let written = schema.get("type").and_then(Value::as_str);
    written.or_else(|| type_of_values(schema)).or_else(|| is_object().then_some("object"))
}

fn type_of_values(schema: &Keywords) -> Option<&'static str> {
    let values = schema.get("enum")?.as_array()?;
    let is_all = |is: fn(&Value) -> bool| values.iter().all(is);
    Some(match () {
        () if is_all(Value::is_string) => "string",
        () if is_all(Value::is_boolean) => "boolean",
        () if is_all(Value::is_i64) => "integer",
        () if is_all(Value::is_number) => "number",
        () => "string",
    })
}

/// Adds the type of a value set that does not name it.
pub(super) fn infer_type(schema: &mut Keywords) {
    if let Some(name) = type_of_values(schema) {
        schema.entry("type").or_insert_with(|| json!(name));
    }
}

/// Returns true if a number has a rule, so that it is a type of its own.
pub(super) fn is_bounded(number: &Keywords) -> bool {
    let limits = ["enum", "maximum", "minimum", "multipleOf"];
    limits.iter().any(|limit| number.contains_key(*limit))
}

/// Returns true if a boolean has one value. Both values together are any boolean.
pub(super) fn is_constant(boolean: &Keywords) -> bool {
    boolean.get("enum").and_then(Value::as_array).is_some_and(|values| values.len() == 1)
}

/// Removes what excludes no value: keywords of other types, the value set of a boolean with both
/// values, and lengths that every value of a set has.
pub(super) fn drop_without_effect(schema: &mut Keywords) {
    const OF_TEXTS: [&str; 3] = ["maxLength", "minLength", "pattern"];
    const OF_NUMBERS: [&str; 5] =
        ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"];
    const OF_LISTS: [&str; 3] = ["maxItems", "minItems", "uniqueItems"];
    const OF_OBJECTS: [&str; 3] = ["maxProperties", "minProperties", "required"];
    let others: &[&[&str]] = match schema.get("type").and_then(Value::as_str) {
        Some("string") => &[&OF_NUMBERS, &OF_LISTS, &OF_OBJECTS],
        Some("integer" | "number") => &[&OF_TEXTS, &OF_LISTS, &OF_OBJECTS],
        Some("boolean") => &[&OF_TEXTS, &OF_NUMBERS, &OF_LISTS, &OF_OBJECTS],
        Some("array") => &[&OF_TEXTS, &OF_NUMBERS, &OF_OBJECTS],
        Some("object") => &[&OF_TEXTS, &OF_NUMBERS, &OF_LISTS],
        _ => &[],
    };
    schema.retain(|keyword, _| !others.iter().any(|others| others.contains(&keyword.as_str())));
    let is_boolean = schema.get("type").is_some_and(|name| name == "boolean");
    if is_boolean && !is_constant(schema) {
        schema.shift_remove("enum");
    }
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let (least, most) = (limit("minLength"), limit("maxLength"));
    let lengths = schema.get("enum").and_then(Value::as_array).map(|values| {
        let texts = values.iter().filter_map(Value::as_str);
        texts.map(|text| text.chars().count() as u64).collect::<Vec<_>>()
    });
    if let Some(lengths) = lengths
        && lengths.iter().all(|length| *length >= least.unwrap_or(0))
        && lengths.iter().all(|length| *length <= most.unwrap_or(u64::MAX))
    {
        schema.shift_remove("minLength");
        schema.shift_remove("maxLength");
    }
}

/// The bounds of a whole number, also those of a format that has a meaning outside of OpenAPI.
pub(super) fn bound_integer(schema: &mut Keywords) {
    round_bound(schema, "minimum", "exclusiveMinimum", true);
    round_bound(schema, "maximum", "exclusiveMaximum", false);
    include_bound(schema, "minimum", "exclusiveMinimum", 1);
    include_bound(schema, "maximum", "exclusiveMaximum", -1);
    let Some(format) = schema.get("format").and_then(Value::as_str) else {
        return;
    };
    if ["int32", "int64"].contains(&format) {
        return;
    }
    let (least, most) = integer_bounds(Some(format));
    schema.shift_remove("format");
    let bound = |schema: &Keywords, name: &str| schema.get(name).and_then(Value::as_i64);
    if least > i64::MIN && bound(schema, "minimum").is_none_or(|written| written < least) {
        schema.insert("minimum".to_owned(), json!(least));
    }
    if most < i64::MAX && bound(schema, "maximum").is_none_or(|written| written > most) {
        schema.insert("maximum".to_owned(), json!(most));
    }
}

/// Makes a bound with a fraction the next whole number, and removes one that excludes none of 64
/// bits. What excludes all of them stays, and is reported.
#[expect(clippy::disallowed_types, reason = "a number of a document, no money")]
fn round_bound(schema: &mut Keywords, bound: &str, exclusive: &str, is_lower: bool) {
    let Some(written) = schema.get(bound).filter(|it| it.as_i64().is_none()) else {
        return;
    };
    let Some(number) = written.as_f64() else {
        return;
    };
    let rounded = if is_lower { number.ceil() } else { number.floor() };
    let (below, above) = (rounded < i64::MIN as f64, rounded >= i64::MAX as f64);
    if below && is_lower || above && !is_lower {
        schema.shift_remove(bound);
        schema.shift_remove(exclusive);
    } else if !below && !above {
        // A whole number that is written as `2.0` may be excluded itself.
        if rounded != number {
            schema.shift_remove(exclusive);
        }
        schema.insert(bound.to_owned(), json!(rounded as i64));
    }
}

/// Whole numbers have a next one, so an excluded bound is another, included one.
fn include_bound(schema: &mut Keywords, bound: &str, exclusive: &str, step: i64) {
    let included = schema.get(bound).and_then(Value::as_i64).and_then(|at| at.checked_add(step));
    match (schema.get(exclusive), included) {
        (Some(Value::Bool(true)), Some(included)) => {
            schema.shift_remove(exclusive);
            schema.insert(bound.to_owned(), json!(included));
        }
        (Some(Value::Bool(false)), _) => drop(schema.shift_remove(exclusive)),
        _ => {}
    }
}

/// `float` and `double` are both `f64`; a decimal is exact only as a text, and reported.
pub(super) fn plain_number(schema: &mut Keywords) {
    if schema.get("format").is_some_and(|format| format == "float" || format == "double") {
        schema.shift_remove("format");
    }
}
