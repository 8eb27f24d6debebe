//! A value as YAML that every reader reads alike: plain texts only where no reader takes them for
//! something else, all others in double quotes.

use serde_json::Value;

use super::scalar;

/// Writes a value as YAML.
pub(crate) fn yaml(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text.trim_start_matches('\n').to_owned() + "\n"
}

/// Writes what comes after `key:` or `-`.
fn write(value: &Value, depth: usize, to: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                *to += &format!("\n{indent}{}:", plain_or_quoted(name));
                write(member, depth + 1, to);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for element in elements {
                *to += &format!("\n{indent}-");
                let mut inner = String::new();
                write(element, depth + 1, &mut inner);
                // The first member stands beside the dash.
                *to += &match inner.strip_prefix('\n') {
                    Some(inner) => format!(" {}", inner.trim_start_matches(' ')),
                    None => inner,
                };
            }
        }
        Value::String(text) if is_block(text) => {
            *to += " |";
            *to += if text.ends_with('\n') { "" } else { "-" };
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                *to += "\n";
                *to += if line.is_empty() { "" } else { &indent };
                *to += line;
            }
        }
        Value::String(text) => *to += &format!(" {}", plain_or_quoted(text)),
        other => *to += &format!(" {other}"),
    }
}

/// Returns true for lines whose literal form has the same text.
fn is_block(text: &str) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    lines.contains('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\n'])
        && !text.contains(|it: char| {
            (it.is_control() && it != '\n') || "\u{feff}\u{2028}\u{2029}".contains(it)
        })
}

fn plain_or_quoted(text: &str) -> String {
    let is_known = |it: char| it.is_alphanumeric() || " $_-./(),;'’{}".contains(it);
    let is_plain = text.starts_with(|it: char| it.is_alphabetic() || it == '/' || it == '$')
        && text.chars().all(is_known)
        && !text.ends_with(' ')
        && !["y", "n", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str())
        && scalar::resolve(text).as_ref().is_ok_and(|value| *value == text);
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}
