//! `reserved.txt` has every type that the generated server uses without a path, where the types of
//! the document are in scope: a schema with such a name would be taken for it.

use std::{collections::BTreeSet, fs, path::Path};

use proc_macro2::{Spacing, TokenStream, TokenTree};

use super::{config, document, files};
use crate::codegen::{
    collisions::type_names,
    format::UNFORMATTED,
    model::{Kind, Model},
    names::{is_reserved, open_variant, status_name, type_name},
    read, server,
};

/// The files in which the types of the document are in scope.
const FILES: [&str; 4] = ["types.rs", "traits.rs", "routes.rs", "decode.rs"];

/// Adds the names of types that follow no `::`, and in a macro no `$`. Attributes name macros, and
/// what is before `=` or after `type` is an associated type.
fn unqualified(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let mut before = String::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let text = match &token {
            TokenTree::Group(_) => String::new(),
            token => token.to_string(),
        };
        match token {
            TokenTree::Group(group) if !before.ends_with('#') => {
                unqualified(group.stream(), found);
            }
            TokenTree::Ident(_) => {
                let is_constant = text.len() > 1 && text.to_uppercase() == text;
                let is_type = text.starts_with(char::is_uppercase) && !is_constant;
                let is_assigned = matches!(tokens.peek(), Some(TokenTree::Punct(next))
                    if next.as_char() == '=' && next.spacing() == Spacing::Alone);
                let is_path = ["::", "$", "type"].iter().any(|it| before.ends_with(it));
                let is_renamed = tokens.peek().is_some_and(|next| next.to_string() == "as");
                if is_type && !is_path && !is_assigned && !is_renamed {
                    found.insert(text.clone());
                }
            }
            _ => {}
        }
        let is_sign = !text.starts_with(char::is_alphanumeric);
        before = if is_sign { before + &text } else { text };
    }
}

/// The macros of a file of the runtime, which are expanded in the generated module.
fn of_macros(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for window in tokens.windows(4) {
        if let [TokenTree::Ident(word), _, _, TokenTree::Group(rules)] = window
            && word == "macro_rules"
        {
            unqualified(rules.stream(), found);
        }
    }
}

/// Every name that the document gives to a type, a trait or a variant.
fn of_document(model: &Model) -> BTreeSet<String> {
    let values = model.schemas.iter().flat_map(|schema| match &schema.kind {
        Kind::Enum(values) => values.clone(),
        Kind::Text(text) => text.known_values.clone(),
        Kind::Alternatives(all) => all.variants.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    });
    let ids = model.operations.iter().map(|operation| operation.id.clone());
    let codes = model.error_codes.iter().map(|code| code.code.clone());
    let replies = || model.operations.iter().flat_map(|operation| operation.replies());
    let bodies = replies().flat_map(|reply| &reply.representations);
    let bodies = bodies.map(|body| body.media_type.clone());
    let given = values.chain(ids).chain(codes).chain(bodies).chain(model.scopes.iter().cloned());
    let statuses = replies().map(|reply| status_name(reply.status.max(100)));
    let names = given.flat_map(|name| [type_name(&name), open_variant(&name)]).chain(statuses);
    names.chain(type_names(model)).map(|name| name.to_string()).collect()
}

#[test]
fn every_type_that_the_generated_server_uses_is_reserved() {
    UNFORMATTED.set(true);
    let mut used = BTreeSet::new();
    for path in files("generated") {
        let text = fs::read_to_string(path).unwrap();
        let model = read::read(&document(&text), &[], &config()).unwrap();
        let mut found = BTreeSet::new();
        let files = server::files(&model, |name| FILES.contains(&name)).unwrap();
        for file in files.iter().filter(|file| FILES.iter().any(|name| file.path.ends_with(name))) {
            unqualified(file.text.parse().unwrap(), &mut found);
        }
        used.extend(found.difference(&of_document(&model)).cloned());
    }
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src");
    for file in ["content.rs", "references.rs"] {
        of_macros(fs::read_to_string(runtime.join(file)).unwrap().parse().unwrap(), &mut used);
    }
    for file in fs::read_dir(runtime.join("scalars")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        if let Ok(tokens) = text.parse() {
            of_macros(tokens, &mut used);
        }
    }
    let missing: Vec<_> = used.iter().filter(|name| !is_reserved(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
