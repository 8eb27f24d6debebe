//! From the document's names to Rust's. `read` reports those that are the same in Rust.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use http::StatusCode;
use proc_macro2::{Ident, Span};
use quote::format_ident;
use unicode_ident::{is_xid_continue, is_xid_start};

/// Names that generated code uses for something else, one a line.
const RESERVED: &str = include_str!("reserved.txt");

/// Names that generated functions use for something else than a parameter.
const RESERVED_VALUES: [&str; 7] =
    ["accept", "body", "caller", "query", "reader", "request", "result"];

/// Methods of the client's builders of calls.
const RESERVED_SETTERS: [&str; 8] =
    ["body", "clone", "new", "pages", "request", "resume", "send", "stream"];

/// Names that the client's requests use for something else than a parameter.
const RESERVED_LOCALS: [&str; 5] = ["body", "client", "header_map", "url", "value"];

/// An argument of a handler.
pub(super) fn parameter(name: &str) -> Ident {
    value_name(&unless_reserved(&RESERVED_VALUES, name))
}

/// An argument and a setter of the client.
pub(super) fn setter(name: &str) -> Ident {
    member(&unless_reserved(&RESERVED_SETTERS, name))
}

/// A parameter where the client makes its request.
pub(super) fn local(name: &str) -> Ident {
    member(&unless_reserved(&RESERVED_LOCALS, name))
}

fn unless_reserved(reserved: &[&str], name: &str) -> String {
    let is_reserved = reserved.contains(&snake(name).as_str());
    if is_reserved { format!("{name}-parameter") } else { name.to_owned() }
}

/// A field of the client; names that would be keywords end with `_`.
pub(super) fn member(name: &str) -> Ident {
    let name = value_name(name).to_string();
    match name.strip_prefix("r#") {
        Some(keyword) => format_ident!("{keyword}_"),
        None => format_ident!("{name}"),
    }
}

/// The builder of a call of the client.
pub(super) fn call(operation: &str) -> Ident {
    let name = type_name(operation).to_string();
    type_name(&if is_reserved(&name) { format!("{name}Call") } else { name })
}

/// A variant of the client's enum of a set, which has the variant `Unknown` itself.
pub(super) fn open_variant(value: &str) -> Ident {
    match type_name(value) {
        unknown if unknown == "Unknown" => format_ident!("UnknownValue"),
        name => name,
    }
}

/// Returns true if the generated code uses the name for something else.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.lines().any(|reserved| reserved == name)
}

/// A type, a variant.
pub(super) fn type_name(name: &str) -> Ident {
    identifier("Value", upper_camel(name))
}

/// A type of an operation, such as its query.
pub(super) fn type_of(operation: &str, purpose: &str) -> Ident {
    type_name(&format!("{}-{purpose}", words(operation)))
}

/// The trait of a tag.
pub(super) fn trait_name(tag: &str) -> Ident {
    type_of(tag, "api")
}

/// A field, a method, an argument.
pub(super) fn value_name(name: &str) -> Ident {
    identifier("value_", snake(name))
}

/// A leading sign as a word: `+1` and `-1` are different names. A letter or digit that no name in
/// Rust has is its code, such as `ub2` for `²`; so is each character of a text without any other.
pub(super) fn words(name: &str) -> String {
    if name.is_empty() {
        return "empty".to_owned();
    }
    let has_words = name.chars().any(char::is_alphanumeric);
    let word = |character: char| match character.is_alphanumeric() {
        true if is_xid_continue(character) => character.to_string(),
        false if has_words => character.to_string(),
        _ => format!("-u{:x}-", u32::from(character)),
    };
    let name = match name.split_at_checked(1) {
        Some(("+", rest)) if has_words => format!("plus-{rest}"),
        Some(("-", rest)) if has_words => format!("minus-{rest}"),
        _ => name.to_owned(),
    };
    let words: String = name.chars().map(word).collect();
    words.trim_matches('-').to_owned()
}

/// The words of a type or a variant: the generator and the linter must agree on them.
pub fn upper_camel(name: &str) -> String {
    words(name).to_upper_camel_case()
}

/// The words of a method: the generator and the linter must agree on them.
pub fn snake(name: &str) -> String {
    words(name).to_snake_case()
}

/// A constant, a static.
pub(super) fn constant_name(name: &str) -> Ident {
    identifier("VALUE_", words(name).to_shouty_snake_case())
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

/// An identifier; `before` begins one that would begin with a digit of any script, or with a mark.
fn identifier(before: &str, name: String) -> Ident {
    let name = if name.starts_with(is_xid_start) { name } else { format!("{before}{name}") };
    // `self`, `super`, `crate` and `Self` cannot be raw identifiers.
    match name.as_str() {
        "self" | "super" | "crate" | "Self" => format_ident!("{name}_"),
        // A keyword of the edition 2024, which `syn` takes for a name.
        "gen" => Ident::new_raw("gen", Span::call_site()),
        name if syn::parse_str::<Ident>(name).is_ok() => format_ident!("{name}"),
        name => Ident::new_raw(name, Span::call_site()),
    }
}
