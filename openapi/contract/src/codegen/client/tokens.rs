//! Changes to generated code that are simpler on tokens than on the syntax tree.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::docs::described;

/// `::std::option::Option<crate::Change<` as single tokens.
const OPTION_OF_CHANGE: [&str; 15] = [
    ":", ":", "std", ":", ":", "option", ":", ":", "Option", "<", "crate", ":", ":", "Change", "<",
];
/// How many of them belong to the `Option`.
const OPTION_LENGTH: usize = 10;

/// Turns `Option<crate::Change<T>>` into `crate::Change<T>`, which has its own state for absent,
/// and text over several lines into one documentation line each.
pub(super) fn tidy(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut kept = TokenStream::new();
    let mut position = 0;
    while position < trees.len() {
        if starts_with(&trees[position..], &OPTION_OF_CHANGE) {
            let inner = position + OPTION_LENGTH;
            let end = inner + length_to_closing(&trees[inner..]);
            kept.extend(trees[inner..end].iter().cloned());
            position = end + 1;
        } else if let Some(docs) = documentation(&trees[position..]) {
            kept.extend(docs);
            position += 2;
        } else {
            kept.extend([within(&trees[position])]);
            position += 1;
        }
    }
    kept
}

fn within(tree: &TokenTree) -> TokenTree {
    match tree {
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), tidy(group.stream())))
        }
        other => other.clone(),
    }
}

fn starts_with(trees: &[TokenTree], pattern: &[&str]) -> bool {
    trees.len() >= pattern.len()
        && trees.iter().zip(pattern).all(|(tree, expected)| match tree {
            TokenTree::Ident(ident) => ident == expected,
            TokenTree::Punct(punct) => expected.chars().eq([punct.as_char()]),
            _ => false,
        })
}

fn length_to_closing(trees: &[TokenTree]) -> usize {
    let mut depth = 1_usize;
    for (length, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return length;
        }
    }
    trees.len()
}

/// The lines of a leading `#[doc = "…"]`.
fn documentation(trees: &[TokenTree]) -> Option<TokenStream> {
    let [TokenTree::Punct(hash), TokenTree::Group(group), ..] = trees else {
        return None;
    };
    if hash.as_char() != '#' || group.delimiter() != Delimiter::Bracket {
        return None;
    }
    let attribute: syn::MetaNameValue = syn::parse2(group.stream()).ok()?;
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &attribute.value else {
        return None;
    };
    // An empty line between paragraphs stays an empty attribute.
    let has_text = !text.value().trim().is_empty();
    (attribute.path.is_ident("doc") && has_text).then(|| described(&text.value()))
}
