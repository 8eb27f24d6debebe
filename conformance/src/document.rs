//! The document that deployments are tested against, and what both cases and faults read in it.

use std::sync::LazyLock;

use openapi_document::{Document, DocumentError, Operation, Shape};
use serde_json::Value;

/// The document that deployments are tested against, compiled into the binary.
pub static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    Document::parse("openapi/api.yaml", include_str!("../../openapi/api.yaml"))
        .expect("the project's own document is sound: `cargo xtask codegen` checks it")
});

/// Methods that are tried on each path: those of HTTP, and an unknown one.
const METHODS: [&str; 9] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PURGE"];
/// Texts in place of an id that name nothing: a name, the text, and a description.
pub(crate) const NO_IDS: [(&str, &str, &str); 6] = [
    ("empty", "", "empty"),
    ("nul", "a%00b", "with U+0000"),
    ("undecodable", "%zz", "that cannot be decoded"),
    ("not-utf-8", "%ff", "that is not UTF-8"),
    ("encoded-slash", "a%2Fb", "with an encoded slash"),
    ("dots", "..", "of two dots"),
];

/// A parameter and a member that no operation has.
pub(crate) const UNKNOWN_NAME: &str = "surprise";

/// The operation of this method at this path, and the segment in place of its `{id}`.
pub(crate) fn find<'path>(
    method: &str,
    path: &'path str,
) -> Option<(&'static Operation, Option<&'path str>)> {
    DOCUMENT.operations().iter().find_map(|operation| {
        let id = matches(&operation.path, path)?;
        (operation.method.as_str() == method).then_some((operation, id))
    })
}

/// Returns `Some` if a path fits a template, with the segment in place of its parameter.
pub(crate) fn matches<'path>(template: &str, path: &'path str) -> Option<Option<&'path str>> {
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    let mut id = None;
    loop {
        match (template.next(), path.next()) {
            (None, None) => return Some(id),
            (Some(part), Some(segment)) if part.starts_with('{') => id = Some(segment),
            (Some(part), Some(segment)) if part == segment => {}
            _ => return None,
        }
    }
}

/// Methods that are tried on a path, because the document does not have them there.
pub(crate) fn undocumented_methods(path: &str) -> impl Iterator<Item = &'static str> {
    METHODS.into_iter().filter(move |method| {
        let mut operations = DOCUMENT.operations().iter();
        operations.all(|other| other.path != path || other.method.as_str() != *method)
    })
}

/// The method that cases send where any wrong one will do.
pub(crate) fn wrong_method(path: &str) -> Option<&'static str> {
    undocumented_methods(path).next()
}

pub(crate) fn without_two_segments(path: &str) -> Option<String> {
    let (path, _) = path.rsplit_once('/')?;
    path.rsplit_once('/').map(|(path, _)| path.to_owned())
}

/// The scopes of keys.
pub(crate) fn scopes() -> impl Iterator<Item = &'static str> {
    names("/components/securitySchemes/ApiKey/x-scopes")
}

/// The capabilities that deployments can have.
pub(crate) fn profiles() -> impl Iterator<Item = &'static str> {
    names("/x-profiles")
}

fn names(list: &str) -> impl Iterator<Item = &'static str> {
    let list = DOCUMENT.value().pointer(list).and_then(Value::as_object);
    list.into_iter().flat_map(|list| list.keys()).map(String::as_str)
}

/// The JSON pointer of the field that a filter of the operation's list is about, by the document:
/// a field of each item of the same name or, of `partnerId`, `/partner/id`.
pub(crate) fn field_of_items(operation: &Operation, name: &str) -> Option<String> {
    let fields = |pointer: &str| DOCUMENT.shape(pointer).ok().map(|shape| shape.properties);
    let fields_of_items = || {
        let page = operation.response(200)?.content.first()?.schema_pointer.as_ref()?;
        let (_, data) = fields(page)?.into_iter().find(|(name, _)| name == "data")?;
        fields(&DOCUMENT.shape(&data).ok()?.items?)
    };
    let known = fields_of_items()?;
    let has = |name: &str| known.iter().any(|(field, _)| field == name);
    let object = name.strip_suffix("Id").filter(|object| has(object));
    let whole = has(name).then(|| format!("/{name}"));
    whole.or(object.map(|object| format!("/{object}/id")))
}

/// The members of a body with this schema and of what is within them, in the document's order: the
/// path of each, in which `*` stands for an index, and the pointer of its schema.
pub(crate) fn members(
    document: &Document,
    schema: &str,
) -> Result<Vec<(String, String)>, DocumentError> {
    let mut members = Vec::new();
    let mut open = vec![(String::new(), schema.to_owned())];
    while let Some((path, schema)) = open.pop() {
        let shape = document.shape(&schema)?;
        let items = shape.items.map(|items| (format!("{path}/*"), items));
        let within = shape.properties.into_iter();
        let within = within.map(|(name, schema)| (format!("{path}/{name}"), schema));
        open.extend(within.chain(items).collect::<Vec<_>>().into_iter().rev());
        if !path.is_empty() {
            members.push((path, schema));
        }
    }
    Ok(members)
}

/// Returns true if the document allows any text, as for a cursor.
pub(crate) fn is_opaque(shape: &Shape) -> bool {
    let bounds = ["minLength", "pattern", "enum"];
    shape.is("string") && bounds.iter().all(|name| shape.keyword(name).is_none())
}

/// `listPartners` as `list-partners`: so the ids of derived faults begin, and of the cases that
/// notice them.
pub(crate) fn kebab(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        let plain = letter.is_ascii_alphanumeric();
        words.push(if plain { letter.to_ascii_lowercase() } else { '-' });
    }
    words
}

pub(crate) fn code_name(code: &str) -> String {
    code.to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_finds_its_operation_and_id() {
        let (operation, id) = find("POST", "/api/v1/payouts/pay_1/statement").unwrap();
        assert_eq!((operation.id.as_str(), id), ("generateStatement", Some("pay_1")));
        assert_eq!(find("GET", "/api/v1/partners").unwrap().1, None);
        assert!(find("DELETE", "/api/v1/partners").is_none());
        assert!(
            find("GET", "/api/v1/partners/")
                .is_none_or(|(operation, _)| operation.id == "getPartner")
        );
        assert!(find("GET", "/statements/a/b").is_none());
    }

    #[test]
    fn path_with_two_parameters_has_its_last_one_as_id() {
        let template = "/api/v1/crm/objects/{type}/sync/{id}";
        assert_eq!(matches(template, "/api/v1/crm/objects/PARTNER/sync/7"), Some(Some("7")));
        assert_eq!(matches(template, "/api/v1/crm/objects/PARTNER/7"), None);
    }
}
