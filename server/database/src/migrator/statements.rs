//! Splits SQL into statements and tokens, and matches them against patterns such as
//! `ALTER TABLE @ DROP COLUMN _`. Knows just as much of SQL as the forms of migrations need.

/// Types of new columns; a domain could have a constraint, and `serial` has a volatile default.
const TYPES: [&str; 14] = [
    "text",
    "boolean",
    "smallint",
    "integer",
    "bigint",
    "numeric",
    "date",
    "timestamptz",
    "interval",
    "jsonb",
    "bytea",
    "uuid",
    "real",
    "inet",
];

/// The tokens of each statement. A group in parentheses is one token, and so is a string.
pub(super) fn statements(sql: &str) -> Vec<Vec<&str>> {
    let mut statements = vec![Vec::new()];
    let mut position = skip_blank(sql, 0);
    while position < sql.len() {
        let end = token_end(sql, position);
        match &sql[position..end] {
            ";" => statements.push(Vec::new()),
            token => statements.last_mut().expect("begins with one").push(token),
        }
        position = skip_blank(sql, end);
    }
    statements.retain(|tokens| !tokens.is_empty());
    statements
}

/// The tokens within a group.
pub(super) fn inside(group: &str) -> Vec<&str> {
    let within = group.strip_prefix('(').and_then(|group| group.strip_suffix(')'));
    statements(within.unwrap_or_default()).concat()
}

/// After white space and comments.
fn skip_blank(sql: &str, mut position: usize) -> usize {
    loop {
        let rest = &sql[position..];
        let blank = rest.len() - rest.trim_start().len();
        position += blank;
        let comment = match &sql[position..] {
            rest if rest.starts_with("--") => rest.find('\n'),
            rest if rest.starts_with("/*") => rest.find("*/").map(|end| end + 2),
            _ => return position,
        };
        position += comment.unwrap_or(sql.len() - position);
    }
}

fn token_end(sql: &str, start: usize) -> usize {
    let rest = &sql[start..];
    let first = rest.chars().next().expect("a token begins here");
    let length = match first {
        '(' => return group_end(sql, start + 1),
        '\'' | '"' => quoted_length(rest, first),
        '$' if dollar_quote(rest).is_some() => {
            let quote = dollar_quote(rest).unwrap_or_default();
            let end = rest[quote.len()..].find(quote);
            end.map_or(rest.len(), |end| end + 2 * quote.len())
        }
        _ if is_word(first) => rest.find(|other| !is_word(other)).unwrap_or(rest.len()),
        _ if ["::", "<=", ">="].iter().any(|pair| rest.starts_with(pair)) => 2,
        _ => first.len_utf8(),
    };
    start + length
}

fn group_end(sql: &str, start: usize) -> usize {
    let mut position = skip_blank(sql, start);
    while position < sql.len() {
        let is_end = sql[position..].starts_with(')');
        position = token_end(sql, position);
        if is_end {
            return position;
        }
        position = skip_blank(sql, position);
    }
    sql.len()
}

/// A doubled quote is part of the text.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut end = 1;
    while let Some(found) = text[end..].find(quote) {
        end += found + 1;
        if !text[end..].starts_with(quote) {
            return end;
        }
        end += 1;
    }
    text.len()
}

/// `$$` or `$name$`.
fn dollar_quote(text: &str) -> Option<&str> {
    let end = 1 + text[1..].find('$')?;
    let is_tag = text[1..end].chars().all(|part| part.is_alphanumeric() || part == '_');
    (is_tag && !text[1..].starts_with(|first: char| first.is_ascii_digit())).then(|| &text[..=end])
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '$')
}

/// Matches a statement against a pattern; returns the tables at `@`, or at `@a|b` for these tables
/// alone.
///
/// A pattern has words, of which `A|B` are alternatives and `A?` is optional; `_` is one token,
/// `()` a group, `…` any tokens, `TYPE` a plain type, and `CONST` a constant.
pub(super) fn matched<'a>(pattern: &str, tokens: &[&'a str]) -> Option<Vec<&'a str>> {
    let Some(word) = pattern.split(' ').next().filter(|word| !word.is_empty()) else {
        return tokens.is_empty().then(Vec::new);
    };
    let rest = pattern[word.len()..].trim_start();
    if word == "…" {
        return (0..=tokens.len()).find_map(|taken| matched(rest, &tokens[taken..]));
    }
    if let Some(optional) = word.strip_suffix('?') {
        let with = tokens.split_first().filter(|(first, _)| first.eq_ignore_ascii_case(optional));
        return with
            .and_then(|(_, tokens)| matched(rest, tokens))
            .or_else(|| matched(rest, tokens));
    }
    let (first, others) = tokens.split_first()?;
    let is_one_of = |words: &str| words.split('|').any(|word| word.eq_ignore_ascii_case(first));
    if let Some(names) = word.strip_prefix('@') {
        let tables = matched(rest, others).filter(|_| names.is_empty() || is_one_of(names))?;
        return Some([&[*first], &*tables].concat());
    }
    let taken = match word {
        "_" => 1,
        "()" => usize::from(first.starts_with('(')),
        "TYPE" => type_length(tokens),
        "CONST" => constant_length(tokens),
        words => usize::from(is_one_of(words)),
    };
    (taken > 0).then(|| matched(rest, &tokens[taken..])).flatten()
}

/// `numeric(28, 2)`, `text[]`, `text COLLATE "C"`.
fn type_length(tokens: &[&str]) -> usize {
    if !TYPES.iter().any(|name| name.eq_ignore_ascii_case(tokens[0])) {
        return 0;
    }
    let follows = |taken: usize, pattern: &[&str]| {
        let found = tokens[taken..].iter().zip(pattern);
        let fits = |(token, word): (&&str, &&str)| match *word {
            "()" => token.starts_with('('),
            word => token.eq_ignore_ascii_case(word),
        };
        let is_there = tokens.len() >= taken + pattern.len() && found.into_iter().all(fits);
        taken + if is_there { pattern.len() } else { 0 }
    };
    follows(follows(follows(1, &["()"]), &["[", "]"]), &["COLLATE", "\"C\""])
}

/// A number, string, boolean or null, perhaps with a cast.
fn constant_length(tokens: &[&str]) -> usize {
    let sign = usize::from(tokens[0] == "-");
    let Some(value) = tokens.get(sign) else { return 0 };
    let is_word = ["true", "false", "null"].iter().any(|word| word.eq_ignore_ascii_case(value));
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_constant = value.starts_with('\'') || is_number || is_word;
    let cast = match &tokens[sign + 1..] {
        ["::", rest @ ..] if !rest.is_empty() => 1 + type_length(rest),
        _ => 0,
    };
    if is_constant { sign + 1 + cast } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_quotes_groups_and_comments() {
        let sql =
            "-- a; b\nSELECT 'a;''b', (1, ';)'); /* ; */ CREATE FUNCTION f() AS $x$ a; $ b $x$;";
        let expected = [
            vec!["SELECT", "'a;''b'", ",", "(1, ';)')"],
            vec!["CREATE", "FUNCTION", "f", "()", "AS", "$x$ a; $ b $x$"],
        ];
        assert_eq!(statements(sql), expected);
        assert_eq!(statements("a = $1 AND b > $2")[0], ["a", "=", "$1", "AND", "b", ">", "$2"]);
        assert_eq!(inside("(a, (b), 'c')"), ["a", ",", "(b)", ",", "'c'"]);
        for unfinished in ["(a", "'a", "$$ a", "/* a", "-- a", "(a 'b)"] {
            assert!(statements(unfinished).len() < 2, "{unfinished}");
        }
    }

    #[test]
    fn patterns_match_whole_statements_and_return_their_tables() {
        let tables = |pattern, sql| matched(pattern, &statements(sql)[0]);
        assert_eq!(tables("DROP TABLE @", "drop table a"), Some(vec!["a"]));
        assert_eq!(tables("DROP TABLE @", "DROP TABLE a CASCADE"), None);
        assert_eq!(tables("A B? @ … C", "A t x y C"), Some(vec!["t"]));
        assert_eq!(tables("A B? @ … C", "A B t C"), Some(vec!["t"]));
        assert_eq!(tables("A B|C () @", "A C (x) t"), Some(vec!["t"]));
        assert_eq!(tables("A B|C () @", "A D (x) t"), None);
        for known in ["text", "numeric(28, 2)", "text[]", "text COLLATE \"C\"", "TIMESTAMPTZ(3)"] {
            assert!(tables("TYPE", known).is_some(), "{known}");
        }
        for unknown in ["bigserial", "text COLLATE \"de_DE\"", "text NOT", "email"] {
            assert!(tables("TYPE", unknown).is_none(), "{unknown}");
        }
        for constant in ["1", "-1.5", "'a'", "TRUE", "null", "'{}'::text[]", "'{}'::jsonb"] {
            assert!(tables("CONST", constant).is_some(), "{constant}");
        }
        for other in ["now()", "gen_random_uuid()", "1 + 1", "'a' || 'b'", "-"] {
            assert!(tables("CONST", other).is_none(), "{other}");
        }
    }
}
