//! The table of what each part of the toolkit makes of each construct: the page `constructs.md`,
//! which a test compares with what the parts do.

#[cfg(test)]
mod tests;

use openapi_document::{Document, Place};
use serde_json::Value;

const PAGE: &str = include_str!("../constructs.md");

/// What a part makes of a construct that it does not read.
const UNREAD: &str = "no effect";

/// A line of the table.
#[derive(Debug)]
pub(crate) struct Construct {
    pub(crate) name: &'static str,
    /// Kind, or role of a schema, and member, such as `Schema.format=date`, then members that are
    /// beside it or, after `&!`, are not.
    found_by: &'static str,
    pub(crate) server: &'static str,
    pub(crate) client: &'static str,
}

/// A construct of a document, which the generated server or client does not read.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) construct: Construct,
    /// The places, in the order of the document.
    pub(crate) places: Vec<Place>,
}

fn table() -> impl Iterator<Item = Construct> {
    let lines = PAGE.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    lines.filter_map(|line| {
        let cells: Vec<&str> =
            line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let [name, found_by, server, client, ..] = cells[..] else { return None };
        Some(Construct { name, found_by: found_by.trim_matches('`'), server, client })
    })
}

/// Returns the constructs of a document that the server or the client does not read.
pub(crate) fn unread(document: &Document) -> Vec<Unread> {
    let nodes = document.nodes();
    let unread = table().filter(|line| [line.server, line.client].contains(&UNREAD));
    let unread = unread.map(|construct| {
        let found = nodes.iter().filter_map(|node| {
            let kinds = [node.kind.to_string(), role(&node.pointer).to_owned()];
            let at = construct.member_in(&kinds, node.value)?;
            Some(document.place(&format!("{}{at}", node.pointer)))
        });
        Unread { places: found.collect(), construct }
    });
    unread.filter(|unread| !unread.places.is_empty()).collect()
}

/// The role of a schema, by its pointer.
fn role(pointer: &str) -> &'static str {
    let (owner, name) = pointer.rsplit_once('/').unwrap_or_default();
    match (owner, name) {
        ("/components/schemas", _) => "Component",
        _ if owner.ends_with("/properties") => "Property",
        (_, "items" | "additionalProperties") => "Element",
        _ => "",
    }
}

impl Construct {
    /// The pointer of the construct in an object of a kind, if the object has it.
    fn member_in(&self, kinds: &[String], object: &Value) -> Option<String> {
        let (expected, members) = self.found_by.split_once('.')?;
        let mut members = members.split('&');
        let member = members.next()?;
        let is_beside = |other: &str| match (other.strip_prefix('!'), other.split_once('=')) {
            (Some(other), _) => object.get(other).is_none(),
            (None, Some((other, value))) => object.get(other).is_some_and(|it| it == value),
            (None, None) => object.get(other).is_some(),
        };
        members.all(is_beside).then_some(())?;
        let (member, value) = match member.split_once('=') {
            Some((member, value)) => (member, Some(value)),
            None => (member, None),
        };
        let pointer = format!("/{member}");
        let is_expected = kinds.iter().any(|kind| kind.eq_ignore_ascii_case(expected));
        let found = object.pointer(&pointer).filter(|_| is_expected)?;
        let text = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        // A back-reference is a part of a pattern.
        let is_it = |value| text == value || value == "\\1" && text.contains(value);
        let is_it = value.is_none_or(is_it);
        is_it.then_some(pointer)
    }
}
