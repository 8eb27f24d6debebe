//! The paths, macros and attributes that a Rust source names, with their lines.
//!
//! It refuses to resolve names: it reads tokens, so comments and strings never count, and a macro's arguments do.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree, token_stream::IntoIter};

/// A path as it is written, with the branches of a `use` tree spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathUse {
    /// `["std", "time", "Instant"]`; a glob ends with `*`.
    pub(crate) segments: Vec<String>,
    /// Counted from 1.
    pub(crate) line: usize,
    /// A macro is called by it: `query!`.
    pub(crate) is_macro: bool,
    /// It stands in an attribute: `#[ignore]`.
    pub(crate) is_attribute: bool,
    /// It stands under `#[cfg(test)]`.
    pub(crate) in_test: bool,
}

impl PathUse {
    /// As a person writes it.
    pub(crate) fn text(&self) -> String {
        let bang = if self.is_macro { "!" } else { "" };
        format!("{}{bang}", self.segments.join("::"))
    }
}

/// Every path of more than one segment, every macro call, every attribute.
pub(crate) fn collect(tokens: TokenStream) -> Vec<PathUse> {
    let mut reader = Reader::default();
    reader.read(tokens, &[]);
    reader.found
}

type Tokens = Peekable<IntoIter>;

#[derive(Default)]
struct Reader {
    found: Vec<PathUse>,
    in_test: bool,
    in_attribute: bool,
}

impl Reader {
    /// Reads one level; `prefix` is what stands before the braces of a `use` tree.
    fn read(&mut self, tokens: TokenStream, prefix: &[String]) {
        let outer_test = self.in_test;
        let mut tokens = tokens.into_iter().peekable();
        let mut after_hash = false;
        while let Some(token) = tokens.next() {
            let attribute = after_hash;
            after_hash = false;
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    // `#![…]` is an attribute as well.
                    take_punct(&mut tokens, '!');
                    after_hash = true;
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => self.in_test = outer_test,
                TokenTree::Group(group) if attribute && group.delimiter() == Delimiter::Bracket => {
                    self.in_test |= group.stream().to_string().replace(' ', "") == "cfg(test)";
                    self.in_attribute = true;
                    self.read(group.stream(), &[]);
                    self.in_attribute = false;
                }
                TokenTree::Group(group) => {
                    let ends_item = group.delimiter() == Delimiter::Brace;
                    self.read(group.stream(), &[]);
                    if ends_item {
                        self.in_test = outer_test;
                    }
                }
                TokenTree::Ident(ident) if ident == "as" => drop(tokens.next()),
                TokenTree::Ident(ident) => self.path(ident, prefix, &mut tokens),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        self.in_test = outer_test;
    }

    /// Reads on from a path's first segment.
    fn path(&mut self, first: Ident, prefix: &[String], tokens: &mut Tokens) {
        let line = first.span().start().line;
        let mut segments = prefix.to_vec();
        if first != "self" || prefix.is_empty() {
            segments.push(first.to_string());
        }
        while take_separator(tokens) {
            match tokens.peek() {
                Some(TokenTree::Ident(_)) => {
                    let segment = tokens.next().expect("it was just seen");
                    segments.push(segment.to_string());
                }
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    let branches = group.stream();
                    tokens.next();
                    return self.read(branches, &segments);
                }
                Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                    segments.push("*".to_owned());
                    break;
                }
                _ => break,
            }
        }
        let is_macro = is_bang(tokens);
        if segments.len() > 1 || is_macro || self.in_attribute {
            self.found.push(PathUse {
                segments,
                line,
                is_macro,
                is_attribute: self.in_attribute,
                in_test: self.in_test,
            });
        }
    }
}

/// Takes `::` where it comes next.
fn take_separator(tokens: &mut Tokens) -> bool {
    let comes = matches!(tokens.peek(), Some(TokenTree::Punct(punct))
        if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
    if comes {
        tokens.next();
        tokens.next();
    }
    comes
}

fn take_punct(tokens: &mut Tokens, character: char) {
    tokens
        .next_if(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == character));
}

/// Whether `!` comes next, and not `!=`.
fn is_bang(tokens: &mut Tokens) -> bool {
    matches!(tokens.peek(), Some(TokenTree::Punct(punct))
        if punct.as_char() == '!' && punct.spacing() == Spacing::Alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let paths = collect(source.parse().unwrap());
        paths.iter().map(PathUse::text).collect()
    }

    #[test]
    fn branches_of_a_use_tree_are_spelled_out() {
        let source = "use std::{time::{self, Duration as Span}, io::*}; use sqlx::PgPool;";
        assert_eq!(
            texts(source),
            [
                "std::time",
                "std::time::Duration",
                "std::io::*",
                "sqlx::PgPool"
            ]
        );
    }

    #[test]
    fn paths_in_expressions_types_and_macros_are_seen() {
        let source =
            "fn f(a: poem::Request) -> R<S> { sqlx::query!(chrono::Utc::now(), Vec::<u8>::new()) }";
        assert_eq!(
            texts(source),
            ["poem::Request", "sqlx::query!", "chrono::Utc::now"]
        );
    }

    #[test]
    fn comments_and_strings_name_nothing() {
        let source = "/// `std::time::Instant`\nconst A: &str = \"sqlx::query\"; // poem::get";
        assert_eq!(texts(source), ["doc"]);
    }

    #[test]
    fn test_code_ends_with_its_braces() {
        let source =
            "#[cfg(test)]\nmod tests {\n use a::b; }\nuse c::d;\n#[cfg(test)] use e::f; use g::h;";
        let paths = collect(source.parse().unwrap());
        let seen: Vec<_> = paths
            .iter()
            .filter(|path| !path.is_attribute)
            .map(|path| (path.text(), path.line, path.in_test))
            .collect();
        let expected = [
            ("a::b", 3, true),
            ("c::d", 4, false),
            ("e::f", 5, true),
            ("g::h", 5, false),
        ];
        assert_eq!(
            seen,
            expected.map(|(text, line, test)| (text.to_owned(), line, test))
        );
    }

    #[test]
    fn attributes_are_told_apart() {
        let paths = collect(
            "#[ignore = \"slow\"] fn f() { ignore(a != b) }"
                .parse()
                .unwrap(),
        );
        assert_eq!(paths.len(), 1);
        assert!(paths[0].is_attribute && paths[0].text() == "ignore");
    }
}
