//! From the document's names to Rust's. `read` reports those that are the same in Rust.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use http::StatusCode;
use proc_macro2::{Ident, Span};
use quote::format_ident;

/// Names that generated code uses for something else, one a line.
const RESERVED: &str = include_str!("reserved.txt");

/// Names that generated functions use for something else than a parameter.
const RESERVED_VALUES: [&str; 7] =
    ["accept", "body", "caller", "query", "reader", "request", "result"];

pub(super) fn parameter(name: &str) -> Ident {
    if RESERVED_VALUES.contains(&field(name).as_str()) {
        return value_name(&format!("{name}-parameter"));
    }
    value_name(name)
}

/// Returns true if the generated code uses the name for something else.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.lines().any(|reserved| reserved == name)
}

/// A type, a variant.
pub(super) fn type_name(name: &str) -> Ident {
    identifier("Value", words(name).to_upper_camel_case())
}

/// A field, a method, an argument.
pub(super) fn value_name(name: &str) -> Ident {
    identifier("value_", words(name).to_snake_case())
}

/// A leading sign as a word: `+1` and `-1` are different names. A text without letters and digits
/// is named by its characters, such as `u3e` for `>`.
fn words(name: &str) -> String {
    if name.is_empty() {
        return "empty".to_owned();
    }
    if !name.chars().any(char::is_alphanumeric) {
        let codes = name.chars().map(|character| format!("u{:x}", u32::from(character)));
        return codes.collect::<Vec<_>>().join("-");
    }
    match name.split_at_checked(1) {
        Some(("+", rest)) => format!("plus-{rest}"),
        Some(("-", rest)) => format!("minus-{rest}"),
        _ => name.to_owned(),
    }
}

pub(super) fn field(name: &str) -> String {
    words(name).to_snake_case()
}

/// The name in Rust of a variant: the generator and the linter must agree on it.
pub fn variant(name: &str) -> String {
    words(name).to_upper_camel_case()
}

/// A constant, a static.
pub(super) fn constant_name(name: &str) -> Ident {
    identifier("VALUE_", name.to_shouty_snake_case())
}

/// The variant of a status, such as `NotFound`.
pub(super) fn status_name(status: u16) -> Ident {
    identifier("Status", name_of(status).unwrap_or_else(|| status.to_string()))
}

/// Returns true if the crate `http` names the status.
pub(super) fn has_status_name(status: u16) -> bool {
    name_of(status).is_some()
}

/// The error code of a status, in a document without codes. (`NOT_FOUND`)
pub(super) fn status_code(status: u16) -> String {
    match status {
        415 => "UNSUPPORTED_MEDIA_TYPE".to_owned(),
        500 => "INTERNAL_ERROR".to_owned(),
        status => status_name(status).to_string().to_shouty_snake_case(),
    }
}

fn name_of(status: u16) -> Option<String> {
    let reason = StatusCode::from_u16(status).ok()?.canonical_reason()?;
    Some(reason.replace('\'', "").to_upper_camel_case())
}

/// An identifier; `before` begins one that would begin with a digit.
fn identifier(before: &str, name: String) -> Ident {
    let begins_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    let name = if begins_with_digit { format!("{before}{name}") } else { name };
    // `self`, `super`, `crate` and `Self` cannot be raw identifiers.
    match name.as_str() {
        "self" | "super" | "crate" | "Self" => format_ident!("{name}_"),
        name if syn::parse_str::<Ident>(name).is_ok() => format_ident!("{name}"),
        name => Ident::new_raw(name, Span::call_site()),
    }
}
