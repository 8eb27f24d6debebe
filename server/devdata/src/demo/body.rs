//! Chooses what the tour shows of a response's body: the fields that matter, or the first lines.

use serde_json::{Map, Value};

const BODY_LINES: usize = 12;

/// The named fields of the body's data; the first lines of a body without them, such as an error.
pub(super) fn lines(body: &Value, names: &[String]) -> Vec<String> {
    let named = if names.is_empty() { Vec::new() } else { fields(&body["data"], names) };
    if named.is_empty() { excerpt(body) } else { named }
}

/// The named fields of an object, or of each object of a list, a line for each object.
fn fields(data: &Value, names: &[String]) -> Vec<String> {
    let objects = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let line = |object: &Map<String, Value>| {
        let named = names.iter().filter_map(|name| Some((name, object.get(name)?)));
        let named = named.map(|(name, value)| format!("{name}: {value}  "));
        format!("{}…", named.collect::<String>())
    };
    objects.iter().filter_map(Value::as_object).map(line).collect()
}

fn excerpt(body: &Value) -> Vec<String> {
    let text = serde_json::to_string_pretty(body).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().take(BODY_LINES);
    let mut shown: Vec<String> = first.map(|line| (*line).to_owned()).collect();
    if lines.len() > BODY_LINES {
        shown.push(format!("… {} more lines", lines.len() - BODY_LINES));
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_body_says_how_much_is_left_out() {
        let lines = lines(&(0..20).collect(), &[]);
        assert_eq!(lines.len(), BODY_LINES + 1);
        assert_eq!(lines[BODY_LINES], "… 10 more lines");
    }

    #[test]
    fn named_fields_of_each_object_are_one_line() {
        let list = json!({ "data": [{ "id": "a", "stage": "PAID" }, { "stage": "DRAFT" }] });
        assert_eq!(
            lines(&list, &["stage".to_owned()]),
            ["stage: \"PAID\"  …", "stage: \"DRAFT\"  …"]
        );
        let one = json!({ "data": list["data"][0] });
        let names = ["id", "stage"].map(str::to_owned);
        assert_eq!(lines(&one, &names), ["id: \"a\"  stage: \"PAID\"  …"]);
    }

    #[test]
    fn an_error_is_shown_whatever_fields_were_named() {
        let error = json!({ "error": { "code": "NOT_FOUND" } });
        assert_eq!(lines(&error, &["id".to_owned()]), excerpt(&error));
    }
}
