//! `contract lint --fix`: changes the text of a document where a finding has one remedy. Comments
//! and layout stay. Changes after which the document does not load, or has the finding still, are
//! taken back.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use openapi_document::{Document, pointer::join};
use serde_json::Value;

use super::{Finding, RULES, Severities, Severity, lint};
use crate::{Result, output::print_line, project::Project};

/// None of them removes a part of the contract.
const RULES_WITH_REMEDY: [&str; 5] =
    ["operation-id", "array-items", "enum-type", "example-valid", "nullable-without-effect"];

/// A part of a text, and what it becomes.
type Edit = (Range<usize>, String);

/// Mends what it can; nothing in a document that does not load.
pub(super) fn run(path: &Path, project: &Project, severities: &Severities) -> Result<()> {
    let off = RULES.iter().filter(|rule| !RULES_WITH_REMEDY.contains(&rule.id));
    let mut severities = severities.clone();
    severities.extend(off.map(|rule| (rule.id, Severity::Off)));
    let key = |finding: &Finding| (finding.rule, finding.pointer.clone(), finding.file.clone());
    let (mut refused, mut limit) = (Vec::new(), usize::MAX);
    // One remedy may stand where another one does.
    while let Ok(document) = project.load_document(path) {
        let findings = lint(&document, &project.config, &severities);
        let open = findings.iter().filter(|finding| !refused.contains(&key(finding)));
        let mut texts = BTreeMap::new();
        let mut edits: Vec<(&Finding, Edit)> = Vec::new();
        for finding in open {
            if edits.len() == limit {
                break;
            }
            if !texts.contains_key(&finding.file) {
                texts.insert(finding.file.clone(), fs::read_to_string(&finding.file)?);
            }
            let Some(edit) = edit(&document, finding, &texts[&finding.file]) else { continue };
            let is_apart = |(other, (range, _)): &(&Finding, Edit)| {
                other.file != finding.file || range.end <= edit.0.start || edit.0.end < range.start
            };
            if edits.iter().all(is_apart) {
                edits.push((finding, edit));
            }
        }
        if edits.is_empty() {
            break;
        }
        write(&texts, &edits)?;
        let is_mended = project.load_document(path).is_ok_and(|document| {
            let left = lint(&document, &project.config, &severities);
            let is_left = |mended: &Finding| left.iter().any(|other| key(other) == key(mended));
            left.len() <= findings.len() && !edits.iter().any(|(it, _)| is_left(it))
        });
        if is_mended {
            for (Finding { rule, file, line, pointer, .. }, _) in edits {
                print_line!("{file}:{line}: fixed {pointer} [{rule}]");
            }
            continue;
        }
        write(&texts, &[])?;
        // One of them is wrong.
        limit = edits.len().div_ceil(2);
        if let [(finding, _)] = &edits[..] {
            refused.push(key(finding));
        }
    }
    Ok(())
}

/// Writes the texts with their edits.
fn write(texts: &BTreeMap<String, String>, edits: &[(&Finding, Edit)]) -> Result<()> {
    for (file, text) in texts {
        let mut own: Vec<&Edit> =
            edits.iter().filter(|(it, _)| it.file == *file).map(|(_, edit)| edit).collect();
        own.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut text = text.clone();
        own.into_iter().for_each(|(range, new)| text.replace_range(range.clone(), new));
        fs::write(file, text)?;
    }
    Ok(())
}

/// Returns the remedy of a finding.
fn edit(document: &Document, finding: &Finding, text: &str) -> Option<Edit> {
    let value = document.value().pointer(&finding.at);
    match finding.rule {
        "operation-id" => {
            let id = finding.fix.split_once("operationId: ")?.1.trim_end_matches('`');
            insert(document, finding, text, "operationId", id)
        }
        "array-items" => insert(document, finding, text, "items", "{}"),
        "enum-type" => {
            let owner = finding.at.rsplit_once("/enum/")?.0;
            quote(document, owner, finding, text)
        }
        "example-valid" if finding.problem.ends_with("must be a string") => {
            let examples = document.examples().ok()?;
            let example = examples.into_iter().find(|example| example.pointer == finding.at)?;
            quote(document, &example.schema_pointer?, finding, text)
        }
        "nullable-without-effect" if value.is_none_or(Value::is_boolean) => remove(finding, text),
        _ => None,
    }
}

/// Puts a member before the first one of an object.
fn insert(
    document: &Document,
    finding: &Finding,
    text: &str,
    name: &str,
    value: &str,
) -> Option<Edit> {
    let members = document.value().pointer(&finding.at)?.as_object()?;
    let places = members.keys().map(|member| document.place(&join(&finding.at, member)));
    let first = places.filter(|place| *place.file == *finding.file).min()?;
    let at = offset(text, first.line, first.column)?;
    let is_flow = text[..at].trim_end().ends_with('{');
    let is_quoted = text[at..].starts_with('"');
    let value = if is_quoted && value != "{}" { format!("\"{value}\"") } else { value.to_owned() };
    let name = if is_quoted { format!("\"{name}\"") } else { name.to_owned() };
    let indent = " ".repeat(usize::try_from(first.column).ok()? - 1);
    let end = if is_flow { ", ".to_owned() } else { format!("\n{indent}") };
    Some((at..at, format!("{name}: {value}{end}")))
}

/// Puts a number or a boolean into quotes where a text is expected.
fn quote(document: &Document, owner: &str, finding: &Finding, text: &str) -> Option<Edit> {
    let value = document.value().pointer(&finding.at)?;
    let expected = document.resolve(owner).ok()?.value.get("type")?;
    if expected != "string" || !(value.is_number() || value.is_boolean()) {
        return None;
    }
    let mut start = offset(text, finding.line, finding.column)?;
    let last = finding.at.rsplit('/').next()?;
    if last.parse::<usize>().is_err() {
        start += text[start..].find(": ")? + 2;
        start += text[start..].len() - text[start..].trim_start_matches(' ').len();
    }
    let length = text[start..].find(|it: char| it.is_whitespace() || ",]}#".contains(it));
    let end = length.map_or(text.len(), |length| start + length);
    let plain = &text[start..end];
    let is_plain = plain.chars().all(|it| it.is_ascii_alphanumeric() || "+-._".contains(it));
    is_plain.then(|| (start..end, format!("\"{plain}\"")))
}

/// Removes a member: from braces with its comma, else with its lines.
fn remove(finding: &Finding, text: &str) -> Option<Edit> {
    let start = offset(text, finding.line, finding.column)?;
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let before = text[..start].trim_end();
    if before.ends_with(['{', ',']) {
        let length = text[start..].find([',', '}', '\n', '[', '{', '"', '\''])?;
        return match text.as_bytes()[start + length] {
            b',' => {
                let rest = text[start + length + 1..].trim_start_matches(' ');
                Some((start..text.len() - rest.len(), String::new()))
            }
            b'}' if before.ends_with(',') => Some((before.len() - 1..start + length, " ".into())),
            _ => None,
        };
    }
    if !text[line..start].trim().is_empty() {
        return None;
    }
    let indent = start - line;
    let mut end = line + text[line..].find('\n').map_or(text.len() - line, |length| length + 1);
    for next in text[end..].split_inclusive('\n') {
        let depth = next.len() - next.trim_start_matches(' ').len();
        if !next.trim().is_empty() && depth <= indent {
            break;
        }
        end += next.len();
    }
    Some((line..end, String::new()))
}

/// The index of a line and a column, which are counted from 1, in characters.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let (line, column) = (usize::try_from(line).ok()? - 1, usize::try_from(column).ok()? - 1);
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let within = text[start..].char_indices().nth(column).map(|(index, _)| index);
    Some(start + within.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document before, below `---` after; `===` begins the next one.
    const TEXTS: &str = include_str!("../../tests/data/fix.txt");
    const HEAD: &str = "openapi: 3.0.3 # the version\ninfo: { title: A library, version: '1' }\n";

    #[test]
    fn findings_with_one_remedy_are_mended_in_the_text() {
        for text in TEXTS.split("===\n") {
            let (before, after) = text.split_once("---\n").unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("api.yaml");
            fs::write(&path, format!("{HEAD}{before}")).unwrap();
            let project = Project::of_folder(folder.path()).unwrap();
            run(&path, &project, &Severities::new()).unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), format!("{HEAD}{after}"));
        }
    }
}
