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

    #[test]
    fn forms_match_whole_statements_and_return_their_tables() {
        let tables = |form, sql: &str| matched(form, sql).map(|tables| tables.join(" "));
        assert_eq!(tables("DROP TABLE @", "drop table a").as_deref(), Some("a"));
        assert_eq!(tables("DROP TABLE @", "DROP TABLE a CASCADE"), None);
        assert_eq!(tables("A (?:B )?@ () … C", "A t(x) y C").as_deref(), Some("t"));
        assert_eq!(tables("A (?:B )?@ () … C", "A B t (x, (y)) z C").as_deref(), Some("t"));
        let once = "ALTER TABLE @ ADD CONSTRAINT _ CHECK () NOT VALID";
        let twice =
            "ALTER TABLE t ADD CONSTRAINT a CHECK (b), ADD CONSTRAINT c CHECK (d) NOT VALID";
        assert_eq!(tables(once, twice), None);
        for known in ["text", "numeric(28, 2)", "text[]", "text COLLATE \"C\"", "TIMESTAMPTZ(3)"] {
            assert!(tables("TYPE", known).is_some(), "{known}");
        }
        for unknown in ["bigserial", "text COLLATE \"de_DE\"", "text NOT", "email"] {
            assert!(tables("TYPE", unknown).is_none(), "{unknown}");
        }
        for constant in ["1", "-1.5", "'a'", "TRUE", "null", "'{}'::text[]", "'{}'::jsonb"] {
            assert!(tables("CONSTANT", constant).is_some(), "{constant}");
        }
        for other in ["now()", "gen_random_uuid()", "1 + 1", "'a' || 'b'", "-", "'a'::email()"] {
            assert!(tables("CONSTANT", other).is_none(), "{other}");
        }
    }
}
