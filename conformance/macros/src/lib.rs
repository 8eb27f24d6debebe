//! `#[case]` registers an async function as a case of the suite: its id is the place of the
//! function, its sentence the doc comment, and the options say what it needs and changes.

use darling::{Error, FromMeta, Result, ast::NestedMeta, util::PathList};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Ident, ItemFn, Lit, Path, parse_macro_input, parse_quote};

/// The options after the clause, as CONTRIBUTING.md describes them.
#[derive(FromMeta)]
struct Options {
    on: Option<Ident>,
    keys: Option<PathList>,
    #[darling(default)]
    fixtures: PathList,
    #[darling(default)]
    hooks: PathList,
    #[darling(default)]
    features: PathList,
    changes: Option<Path>,
    requests: Option<Expr>,
    #[darling(default)]
    exclusive: bool,
    #[darling(default)]
    waits_for_minute: bool,
}

/// `#[case("§5.4", keys(All, Expired), requests = 24)]`: the clause that the case proves, and its
/// options.
#[proc_macro_attribute]
pub fn case(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let function = parse_macro_input!(function as ItemFn);
    match registered(options.into(), &function) {
        Ok(registered) => quote!(#function #registered).into(),
        Err(error) => error.write_errors().into(),
    }
}

fn registered(options: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let options = NestedMeta::parse_meta_list(options)?;
    let [NestedMeta::Lit(clause), options @ ..] = &options[..] else {
        return Err(Error::custom("the first option is the clause, such as \"§4.5\""));
    };
    let case = case_of(clause, Options::from_list(options)?, function)?;
    let name = function.sig.ident.to_string();
    Ok(quote! {
        ::inventory::submit! {
            crate::case::Registered {
                module: module_path!(),
                line: line!(),
                name: #name,
                case: #case,
            }
        }
    })
}

fn case_of(clause: &Lit, options: Options, function: &ItemFn) -> Result<TokenStream> {
    let Options { exclusive, waits_for_minute, .. } = options;
    let sentence = sentence(function);
    if sentence.is_empty() {
        let what = "a case has a doc comment: one sentence about a deployment that conforms";
        return Err(Error::custom(what).with_span(&function.sig.ident));
    }
    let function = &function.sig.ident;
    let [fixtures, hooks, features] =
        [options.fixtures, options.hooks, options.features].map(|paths| paths.to_vec());
    let operation = options.on.iter().map(Ident::to_string);
    let keys = options.keys.map_or_else(|| vec![parse_quote!(All)], |keys| keys.to_vec());
    let changes = options.changes.unwrap_or_else(|| parse_quote!(Nothing));
    let requests = options.requests.unwrap_or_else(|| parse_quote!(CASE.requests));
    Ok(quote! {{
        use crate::{case::{Case, Changes}, target::{Feature, Fixture, Hook, Role}};
        const CASE: Case =
            Case::new("", #sentence, #clause, &|context| Box::pin(#function(context)));
        Case {
            #(operation: Some(#operation),)*
            keys: &[#(Role::#keys),*],
            fixtures: &[#(Fixture::#fixtures),*],
            hooks: &[#(Hook::#hooks),*],
            features: &[#(Feature::#features),*],
            changes: Changes::#changes,
            exclusive: #exclusive,
            waits_for_minute: #waits_for_minute,
            requests: #requests,
            ..CASE
        }
    }})
}

/// The doc comment, as one line.
fn sentence(function: &ItemFn) -> String {
    let docs = function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines = docs.filter_map(|doc| match &doc.meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}
