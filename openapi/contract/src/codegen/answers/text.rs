//! JSON for readers of diffs: a value that fits on a line is on one line.

use serde_json::Value;

const WIDTH: usize = 100;
const INDENT: &str = "  ";

pub(super) fn of(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, 0, &mut text);
    text.push('\n');
    text
}

/// Writes a value where `before` characters of the line are taken beside its indent.
fn write(value: &Value, depth: usize, before: usize, text: &mut String) {
    let compact = value.to_string();
    // One more for the comma.
    let fits = depth * INDENT.len() + before + compact.chars().count() < WIDTH;
    let (open, close, members) = match value {
        Value::Object(members) if !fits => {
            let members = members
                .iter()
                .map(|(name, member)| (format!("{}: ", Value::from(name.as_str())), member));
            ('{', '}', members.collect::<Vec<_>>())
        }
        Value::Array(items) if !fits => {
            ('[', ']', items.iter().map(|item| (String::new(), item)).collect())
        }
        _ => return text.push_str(&compact),
    };
    text.push(open);
    for (index, (name, member)) in members.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&INDENT.repeat(depth + 1));
        text.push_str(name);
        write(member, depth + 1, name.chars().count(), text);
    }
    text.push('\n');
    text.push_str(&INDENT.repeat(depth));
    text.push(close);
}
