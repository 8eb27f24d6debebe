//! `#[case]` registers an async function as a case of the suite, and `#[fault]` a function as a
//! seeded fault. The sentence is the doc comment, and the options say what it needs and changes. A
//! case's id is the place of its function, a fault's the name.

use darling::{Error, FromMeta, Result, ast::NestedMeta, util::PathList};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Pat, Path, parse_macro_input, parse_quote};

/// The options of a case after the clause, as CONTRIBUTING.md describes them.
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

/// The options of a fault after the clause.
#[derive(FromMeta)]
struct FaultOptions {
    /// The id, where it is no name of a function.
    id: Option<String>,
    /// The roles of keys that the fault itself uses.
    #[darling(default)]
    needs: PathList,
}

/// `#[case("§5.4", keys(All, Expired), requests = 24)]`: the clause that the case proves, and its
/// options.
#[proc_macro_attribute]
pub fn case(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    registered(options, function, |clause, options, function| {
        let case = case_of(clause, Options::from_list(options)?, function)?;
        let name = function.sig.ident.to_string();
        Ok(quote! {
            crate::case::Registered {
                module: module_path!(),
                line: line!(),
                name: #name,
                case: #case,
            }
        })
    })
}

/// `#[fault("§5.4", needs(All))]`: the clause that the fault breaks, and its options. An
/// asynchronous function answers a request. Any other changes what its parameters name: a `request`
/// before it is sent, a `response`, with its request and the `upstream` if it likes, or the
/// `builder` of the connection.
#[proc_macro_attribute]
pub fn fault(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    registered(options, function, fault_of)
}

fn registered(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
    entry: impl Fn(&Lit, &[NestedMeta], &ItemFn) -> Result<TokenStream>,
) -> proc_macro::TokenStream {
    let function = parse_macro_input!(function as ItemFn);
    let options = NestedMeta::parse_meta_list(options.into()).map_err(Error::from);
    let entry = options.and_then(|options| match &options[..] {
        [NestedMeta::Lit(clause), options @ ..] => entry(clause, options, &function),
        _ => Err(Error::custom("the first option is the clause, such as \"§4.5\"")),
    });
    match entry {
        Ok(entry) => quote!(#function ::inventory::submit! { #entry }).into(),
        Err(error) => error.write_errors().into(),
    }
}

fn fault_of(clause: &Lit, options: &[NestedMeta], function: &ItemFn) -> Result<TokenStream> {
    let options = FaultOptions::from_list(options)?;
    let (name, sentence) = (&function.sig.ident, sentence(function)?);
    let id = name.to_string().replace('_', "-");
    let id = options.id.unwrap_or(id);
    let parameters = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(parameter) => match &*parameter.pat {
            Pat::Ident(pattern) => Some(&pattern.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let parameters: Vec<&Ident> = parameters.collect();
    let given = |wanted: &str| parameters.iter().find(|name| **name == wanted);
    let act = if function.sig.asyncness.is_some() {
        quote!(Exchange(&|request, upstream| Box::pin(#name(request, upstream))))
    } else if given("builder").is_some() {
        quote!(Serve(#name))
    } else if given("response").is_none() {
        quote!(Rewrite(&#name))
    } else {
        let takes = ["request", "response", "upstream"]
            .map(|wanted| given(wanted).map_or_else(|| quote!(_), |name| quote!(#name)));
        quote!(Edit(&|#(#takes),*| #name(#(#parameters),*)))
    };
    let roles = options.needs.to_vec();
    Ok(quote! {
        crate::proxy::Fault {
            id: #id,
            clause: #clause,
            sentence: #sentence,
            roles: &[#(crate::target::Role::#roles),*],
            act: crate::proxy::fault::Act::#act,
            case: None,
        }
    })
}

fn case_of(clause: &Lit, options: Options, function: &ItemFn) -> Result<TokenStream> {
    let Options { exclusive, waits_for_minute, .. } = options;
    let sentence = sentence(function)?;
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
fn sentence(function: &ItemFn) -> Result<String> {
    let docs = function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines = docs.filter_map(|doc| match &doc.meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
        _ => None,
    });
    let sentence = lines.collect::<Vec<_>>().join(" ");
    if sentence.is_empty() {
        let what = "it has a doc comment: one sentence about the deployment";
        return Err(Error::custom(what).with_span(&function.sig.ident));
    }
    Ok(sentence)
}
