//! Writes the tables of `x-transitions` into the descriptions of the document, as Markdown.

use openapi_document::Document;
use serde_json::Value;

/// The first line of such a table; what follows it is generated.
const HEAD: &str = "| from | to |";

/// Returns the text of the document in which every table shows the transitions of today: those of
/// the schema that a member of the operation's body has.
#[must_use]
pub fn with_tables(document: &Document, text: &str) -> String {
    let written: Vec<&str> = text.lines().collect();
    let mut lines: Vec<String> = written.iter().map(|line| (*line).to_owned()).collect();
    let own_file = document.place("").file;
    for operation in document.operations().iter().rev() {
        let place = document.place(&format!("{}/description", operation.pointer));
        // The text of another file is not this one.
        if place.file != own_file {
            continue;
        }
        let from = usize::try_from(place.line).unwrap_or(usize::MAX);
        let length = operation.description.as_deref().unwrap_or_default().lines().count();
        let Some(rows) = transitions(document, operation) else { continue };
        let mut own = lines.iter().enumerate().skip(from).take(length);
        let Some((head, line)) = own.find(|(_, line)| line.trim() == HEAD) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = lines.iter().skip(head).take_while(|line| line.trim().starts_with('|')).count();
        let rows = rows.iter().map(|(value, next)| format!("| {value} | {} |", next.join(", ")));
        let table = [HEAD.to_owned(), "|---|---|".to_owned()].into_iter().chain(rows);
        let table: Vec<String> = table.map(|row| format!("{indent}{row}")).collect();
        lines.splice(head..head + end, table);
    }
    if lines == written { text.to_owned() } else { lines.join("\n") + "\n" }
}

/// The transitions of the first member of the body that has some.
fn transitions<'d>(
    document: &'d Document,
    operation: &openapi_document::Operation,
) -> Option<Vec<(&'d str, Vec<&'d str>)>> {
    let schema = operation.body.as_ref()?.content.first()?.schema_pointer.as_deref()?;
    let schema = document.resolve(schema).ok()?.value;
    let mut members = schema.get("properties")?.as_object()?.values();
    members.find_map(|member| {
        let reference = member.get("$ref").and_then(Value::as_str)?;
        let rows = document.transitions(reference.strip_prefix("#/components/schemas/")?);
        (!rows.is_empty()).then_some(rows)
    })
}
