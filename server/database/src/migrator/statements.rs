//! Splits SQL into statements, and matches them against forms such as `DROP TRIGGER _ ON @`. Knows
//! just as much of SQL as the forms need: what it reads wrongly matches none.

use std::sync::LazyLock;

use regex::Regex;

/// Strings, names, bodies and comments are whole tokens; everything else is one character.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let tokens = r#"(?s)'[^']*'|"[^"]*"|\$\$.*?\$\$|--[^\n]*|/\*.*?\*/|\s+|."#;
    Regex::new(tokens).expect("a constant expression")
});

/// Parentheses, and up to three more pairs within.
const GROUP: &str = r"\([^()]*(?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)[^()]*)*\)";
/// A plain type: a domain may have a constraint, and `serial` has a volatile default.
const TYPE: &str = concat!(
    "(?:text|boolean|smallint|integer|bigint|numeric|date|timestamptz|jsonb|bytea|uuid)",
    r#"(?: ?\([0-9, ]+\))?(?:\[\])?(?: COLLATE "C")?"#
);
const CONSTANT: &str = r"(?:-?[0-9.]+|'[^']*'|true|false|null)(?:::[a-z]+(?:\[\])?)?";

/// The statements, without comments and with one space for all white space.
pub(super) fn statements(sql: &str) -> Vec<String> {
    let mut statements = vec![String::new()];
    for token in TOKEN.find_iter(sql).map(|token| token.as_str()) {
        let is_blank =
            token.starts_with("--") || token.starts_with("/*") || token.trim().is_empty();
        let statement = statements.last_mut().expect("begins with one");
        match token {
            ";" => statements.push(String::new()),
            _ if !is_blank => statement.push_str(token),
            _ if !statement.is_empty() && !statement.ends_with(' ') => statement.push(' '),
            _ => {}
        }
    }
    let trimmed = statements.iter().map(|statement| statement.trim().to_owned());
    trimmed.filter(|statement| !statement.is_empty()).collect()
}

/// Returns the tables at `@`, if the statement has this form.
///
/// A form is a regular expression, in which `@` is a table, `_` a name, `()` a group in
/// parentheses, `…` anything, TYPE a plain type, and CONSTANT a constant.
pub(super) fn matched(form: &str, statement: &str) -> Option<Vec<String>> {
    let mut expression = form.to_owned();
    for (placeholder, meaning) in [
        ("_", "[a-z0-9_]+"),
        ("@", "([a-z_]+)"),
        (" ()", &format!(" ?{GROUP}")),
        ("…", ".*"),
        ("TYPE", TYPE),
        ("CONSTANT", CONSTANT),
    ] {
        expression = expression.replace(placeholder, meaning);
    }
    let expression = Regex::new(&format!("(?is)^{expression}$")).expect("a constant expression");
    let tables = expression.captures(statement)?;
    Some(tables.iter().skip(1).flatten().map(|table| table.as_str().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_strings_bodies_and_comments() {
        let sql = "-- a; b\nSELECT 'a;''b',\n  (1, ';)'); /* ; */ CREATE FUNCTION f() AS $$ a; $$;";
        let expected = ["SELECT 'a;''b', (1, ';)')", "CREATE FUNCTION f() AS $$ a; $$"];
        assert_eq!(statements(sql), expected);
        for unfinished in ["(a", "'a", "$$ a", "/* a", "-- a", "(a 'b)"] {
            assert!(statements(unfinished).len() < 2, "{unfinished}");
        }
    }

    /// Each row has a form and a text; a snapshot has the tables of those that match.
    #[test]
    fn forms_match_whole_statements_and_return_their_tables() {
        let rows = include_str!("statements/forms.txt").lines().map(|row| {
            let (form, text) = row.split_once(" = ").unwrap();
            format!("{:?}  {row}\n", matched(form, text))
        });
        insta::assert_snapshot!(rows.collect::<String>());
    }
}
