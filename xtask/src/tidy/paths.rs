//! The paths that a Rust source names outside of tests and attributes, with their lines. It reads
//! tokens: comments and strings name nothing, a macro's arguments do.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree, token_stream::IntoIter};

/// A path as written; the branches of a `use` tree are separate paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathUse {
    /// `["std", "time", "Instant"]`; a glob ends with `*`.
    pub(crate) segments: Vec<String>,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Such as `query!`.
    pub(crate) is_macro: bool,
}

impl PathUse {
    pub(crate) fn text(&self) -> String {
        let bang = if self.is_macro { "!" } else { "" };
        format!("{}{bang}", self.segments.join("::"))
    }
}

/// Every path of more than one segment, and every macro call.
pub(crate) fn collect(tokens: TokenStream) -> Vec<PathUse> {
    let mut found = Vec::new();
    read(tokens, &[], &mut found);
    found
}

type Tokens = Peekable<IntoIter>;

/// Reads one level of groups; `prefix` precedes the braces of a `use` tree.
fn read(tokens: TokenStream, prefix: &[String], found: &mut Vec<PathUse>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                // `#![…]` is an attribute as well.
                tokens.next_if(|token| is_punct(token, '!'));
                let attribute = tokens.next_if(|token| is_group(token, Delimiter::Bracket));
                let attribute = attribute.map(|token| token.to_string().replace(' ', ""));
                if attribute.as_deref() == Some("[cfg(test)]") {
                    // The item ends with braces or a semicolon.
                    tokens.find(|token| is_group(token, Delimiter::Brace) || is_punct(token, ';'));
                }
            }
            TokenTree::Group(group) => read(group.stream(), &[], found),
            TokenTree::Ident(ident) if ident == "as" => drop(tokens.next()),
            TokenTree::Ident(ident) => read_path(&ident, prefix, &mut tokens, found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Reads on from the first segment of a path.
fn read_path(first: &Ident, prefix: &[String], tokens: &mut Tokens, found: &mut Vec<PathUse>) {
    let line = first.span().start().line;
    let mut segments = prefix.to_vec();
    if first != "self" || prefix.is_empty() {
        segments.push(first.to_string());
    }
    // `::` is two tokens.
    while tokens.next_if(|token| is_joint(token, ':')).is_some() {
        match tokens.nth(1) {
            Some(TokenTree::Ident(segment)) => segments.push(segment.to_string()),
            Some(TokenTree::Group(branches)) => return read(branches.stream(), &segments, found),
            Some(token) if is_punct(&token, '*') => segments.push("*".to_owned()),
            _ => break,
        }
    }
    // A macro's `!` stands alone, `!=` is joint.
    let is_macro = tokens.peek().is_some_and(|token| is_punct(token, '!') && !is_joint(token, '!'));
    if segments.len() > 1 || is_macro {
        found.push(PathUse { segments, line, is_macro });
    }
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns true if another punctuation follows the character immediately.
fn is_joint(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct)
        if punct.as_char() == character && punct.spacing() == Spacing::Joint)
}
