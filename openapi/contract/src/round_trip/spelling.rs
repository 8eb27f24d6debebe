//! The canonical form of a member: two spellings of the same have one. `None` is what a document
//! says by leaving the member out.

use openapi_document::pointer;
use serde_json::{Number, Value, json};

use super::schema::Flat;

/// Flags that are false where a document leaves them out.
const FLAGS: [&str; 9] = [
    "allowEmptyValue",
    "allowReserved",
    "deprecated",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "nullable",
    "readOnly",
    "required",
    "writeOnly",
];

/// Texts for people, where a line break in a paragraph is a blank: rustdoc wraps them differently.
/// The framework writes an empty one where it knows none.
const TEXTS: [&str; 4] = ["description", "summary", "title", "version"];

/// Bounds that are zero where a document leaves them out.
const LENGTHS: [&str; 3] = ["minItems", "minLength", "minProperties"];

/// The canonical form of a member of any object.
pub(super) fn member(name: &str, value: &Value) -> Option<Value> {
    match value {
        Value::Bool(false) if FLAGS.contains(&name) || name == "uniqueItems" => None,
        Value::String(text) if TEXTS.contains(&name) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            (!words.is_empty()).then(|| words.join(" ").into())
        }
        Value::Number(number) => {
            let number = whole(number);
            (!LENGTHS.contains(&name) || number != json!(0)).then_some(number)
        }
        other => Some(other.clone()),
    }
}

/// The canonical form of a keyword of a schema.
pub(super) fn keyword(name: &str, schema: &Flat<'_>) -> Option<Value> {
    let part = schema.keywords.get(name)?;
    let value = member(name, part.value)?;
    let is_spelling = match name {
        // The framework gives each named schema its name as its title.
        "title" => component(&part.pointer).is_some_and(|name| value == name),
        // A format of integers has bounds itself.
        "minimum" | "maximum" => format_bound(name, schema).is_some_and(|bound| value == bound),
        _ => false,
    };
    (!is_spelling).then_some(value)
}

/// The framework writes every number with a fraction.
fn whole(number: &Number) -> Value {
    let text = number.as_f64().map(|float| float.to_string()).unwrap_or_default();
    match (number.as_i64(), text.parse::<i128>()) {
        (Some(whole), _) => whole.into(),
        // The largest number of 64 bits is rounded up to the next one that a fraction can hold.
        (None, Ok(whole)) => whole
            .clamp(i64::MIN.into(), i64::MAX.into())
            .to_string()
            .parse()
            .map_or(Value::Null, |whole: i64| whole.into()),
        (None, Err(_)) => Value::Number(number.clone()),
    }
}

fn format_bound(name: &str, schema: &Flat<'_>) -> Option<i64> {
    let is_lower = name == "minimum";
    match schema.keywords.get("format")?.value.as_str()? {
        "int32" => Some(if is_lower { i32::MIN.into() } else { i32::MAX.into() }),
        "int64" => Some(if is_lower { i64::MIN } else { i64::MAX }),
        _ => None,
    }
}

/// `Loan` for `/components/schemas/Loan/title`.
fn component(pointer: &str) -> Option<&str> {
    pointer.strip_prefix("/components/schemas/")?.strip_suffix("/title")
}

/// A media type without parameters: JSON is always UTF-8, and the framework says so.
pub(super) fn media_type(name: &str) -> String {
    name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The pointer of a member.
pub(super) fn at(parent: &str, members: &[&str]) -> String {
    members.iter().fold(parent.to_owned(), |at, member| pointer::join(&at, member))
}
