//! Rules about constraints that are compared as a whole: patterns, formats, and keywords whose
//! values have no order.

use serde_json::Value;

use crate::breaking::{
    change::Level::{Breaking, Compatible, Warning},
    equality,
    object::{Object, Part},
    rule::{At, Found, Pair, Rule},
};

/// Keywords that restrict values, and have no rule of their own.
const OTHERS: [&str; 20] = [
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "not",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "x-later-than",
    "x-not-zero",
    "x-property-names",
];

const REJECTED: &str = "Existing clients may send what is no longer accepted.";
const SURPRISED: &str = "Clients may rely on what every value has in common.";
const UNKNOWN: &str = "Which values are valid now and were not, or the reverse, is not computed.";

pub(super) const CONSTRAINTS: &[Rule] = &[
    Rule::schema("pattern-added", Breaking, Compatible, |pair| {
        one(pair, "pattern", Presence::Added)
    })
    .because(REJECTED),
    Rule::schema("pattern-removed", Compatible, Breaking, |pair| {
        one(pair, "pattern", Presence::Removed)
    })
    .because(SURPRISED),
    Rule::schema("pattern-changed", Warning, Warning, |pair| {
        one(pair, "pattern", Presence::Changed)
    })
    .because(UNKNOWN),
    Rule::schema("format-added", Breaking, Compatible, |pair| one(pair, "format", Presence::Added))
        .because(REJECTED),
    Rule::schema("format-removed", Compatible, Breaking, |pair| {
        one(pair, "format", Presence::Removed)
    })
    .because("Clients read the format into a type of their own, which fails on other values."),
    Rule::schema("format-changed", Breaking, Breaking, |pair| {
        let mut found = one(pair, "format", Presence::Changed);
        found.retain(|_| widening(pair).is_none());
        found
    })
    .because("Values of one format are not values of the other."),
    Rule::schema("format-widened", Compatible, Breaking, |pair| {
        let mut found = one(pair, "format", Presence::Changed);
        found.retain(|_| widening(pair) == Some(true));
        found
    })
    .because("Clients read the values into the narrower type."),
    Rule::schema("format-narrowed", Breaking, Compatible, |pair| {
        let mut found = one(pair, "format", Presence::Changed);
        found.retain(|_| widening(pair) == Some(false));
        found
    })
    .because("Existing clients send values of the wider type."),
    Rule::schema("unique-items-added", Breaking, Compatible, |pair| {
        one(pair, "uniqueItems", Presence::Added)
    })
    .because(REJECTED),
    Rule::schema("unique-items-removed", Compatible, Breaking, |pair| {
        one(pair, "uniqueItems", Presence::Removed)
    })
    .because(SURPRISED),
    Rule::schema("constraint-added", Breaking, Compatible, |pair| others(pair, Presence::Added))
        .because(REJECTED),
    Rule::schema("constraint-removed", Compatible, Breaking, |pair| {
        others(pair, Presence::Removed)
    })
    .because(SURPRISED),
    Rule::schema("constraint-changed", Warning, Warning, |pair| others(pair, Presence::Changed))
        .because(UNKNOWN),
    Rule::schema("conditional-requirement-changed", Warning, Compatible, |pair| {
        one(pair, "x-required-when", Presence::Changed)
    })
    .because("Whether existing clients send the property in that case is not known."),
    Rule::schema("conditional-requirement-added", Breaking, Compatible, |pair| {
        one(pair, "x-required-when", Presence::Added)
    })
    .because(REJECTED),
    Rule::schema("conditional-requirement-removed", Compatible, Warning, |pair| {
        one(pair, "x-required-when", Presence::Removed)
    })
    .because("Clients may rely on the property in that case."),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Added,
    Removed,
    Changed,
}

fn others(pair: &Pair<'_>, wanted: Presence) -> Vec<Found> {
    OTHERS.iter().flat_map(|keyword| one(pair, keyword, wanted)).collect()
}

fn one(pair: &Pair<'_>, keyword: &str, wanted: Presence) -> Vec<Found> {
    let (old, new) = (restricting(&pair.old, keyword), restricting(&pair.new, keyword));
    let (before, after) = pair.documents();
    let same = |old: &Part<'_>, new: &Part<'_>| {
        equality::are_equal((before, &old.pointer), (after, &new.pointer))
    };
    let gone = old.iter().find(|old| !new.iter().any(|new| same(old, new)));
    let come = new.iter().find(|new| !old.iter().any(|old| same(old, new)));
    let (presence, place) = match (gone, come) {
        (None, None) => return Vec::new(),
        (Some(gone), None) => (Presence::Removed, At::Old(gone.pointer.clone())),
        (None, Some(come)) => (Presence::Added, At::New(come.pointer.clone())),
        (Some(_), Some(come)) => (Presence::Changed, At::New(come.pointer.clone())),
    };
    if presence != wanted {
        return Vec::new();
    }
    let name = |part: Option<&Part<'_>>| match part {
        None => "nothing".to_owned(),
        Some(part) if part.value.is_object() => "another schema".to_owned(),
        Some(part) => {
            format!("`{}`", part.value.as_str().map_or(part.value.to_string(), str::to_owned))
        }
    };
    let change = match presence {
        Presence::Added => format!("`{keyword}` of {{it}} is new: {}", name(come)),
        Presence::Removed => format!("`{keyword}` of {{it}} is gone, which was {}", name(gone)),
        Presence::Changed => {
            format!("`{keyword}` of {{it}} changes from {} to {}", name(gone), name(come))
        }
    };
    let sentence = match presence {
        Presence::Added => pair.says(
            format!("{change}; a client that sends other values is rejected."),
            format!("{change}; clients get fewer values."),
        ),
        Presence::Removed => pair.says(
            format!("{change}; clients can send other values."),
            format!("{change}; a client that relies on it gets other values."),
        ),
        Presence::Changed => pair.says(
            format!("{change}; a client that sends values of the old form may be rejected."),
            format!("{change}; clients may get values of another form."),
        ),
    };
    let detail = format!("{keyword} {}", name(come));
    vec![Found::new(place, detail, sentence)]
}

/// Returns the values of a keyword, without those that restrict nothing.
fn restricting<'d>(object: &Object<'d>, keyword: &str) -> Vec<Part<'d>> {
    let restricts = |part: &Part<'d>| match part.value {
        Value::Bool(flag) => *flag || keyword.starts_with("unevaluated"),
        Value::String(text) => {
            !(keyword == "pattern" && matches!(text.as_str(), "" | ".*" | "^.*$"))
        }
        _ => true,
    };
    object.all(keyword).into_iter().filter(restricts).collect()
}

/// Returns true if the new format has more values than the old one; `None` if they do not compare.
fn widening(pair: &Pair<'_>) -> Option<bool> {
    const WIDER: [(&str, &str); 2] = [("int32", "int64"), ("float", "double")];
    let formats = (pair.old.text("format")?, pair.new.text("format")?);
    WIDER.iter().find_map(|(narrow, wide)| match formats {
        (old, new) if (old, new) == (*narrow, *wide) => Some(true),
        (old, new) if (old, new) == (*wide, *narrow) => Some(false),
        _ => None,
    })
}
