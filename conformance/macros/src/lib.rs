//! `#[case]` registers an async function as a case of the suite, and `#[fault]` a function as a
//! seeded fault. The sentence is the doc comment, and the options say what it needs and changes. A
//! case's id is the place of its function, a fault's the name.

use darling::{Error, FromMeta, Result, ast::NestedMeta, util::PathList};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Pat, PatType, Path, parse_macro_input};

/// The options of a case after the clause, as CONTRIBUTING.md describes them.
#[derive(FromMeta)]
struct Options {
    on: Option<Ident>,
    keys: Option<PathList>,
    fixtures: Option<PathList>,
    hooks: Option<PathList>,
    features: Option<PathList>,
    changes: Option<Path>,
    requests: Option<Expr>,
    #[darling(default)]
    exclusive: bool,
    #[darling(default)]
    waits_for_minute: bool,
}

#[derive(FromMeta)]
struct FaultOptions {
    /// The id, where it is no name of a function.
    id: Option<String>,
    /// The roles of keys that the fault itself uses.
    #[darling(default)]
    needs: PathList,
}

/// `#[case("§5.4", keys(All, Expired), requests = 24)]`: the clause that the case proves, and its
/// options. A second parameter is what the case works on: its type's `new` makes it first, and its
/// `NEEDS` are those of the case where the options say nothing else.
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
    let (sentence, name) = (sentence(function)?, &function.sig.ident);
    let operation = options.on.iter().map(Ident::to_string);
    let paths = |member: &str, kind: &str, paths: Option<PathList>| {
        let (member, kind) = (format_ident!("{member}"), format_ident!("{kind}"));
        let paths = paths.map(|paths| paths.to_vec());
        paths.map(|paths| quote!(#member: &[#(crate::target::#kind::#paths),*],))
    };
    let keys = paths("keys", "Role", options.keys);
    let fixtures = paths("fixtures", "Fixture", options.fixtures);
    let hooks = paths("hooks", "Hook", options.hooks);
    let features = paths("features", "Feature", options.features);
    let changes = options.changes.iter();
    let requests = options.requests.iter();
    let Options { exclusive, waits_for_minute, .. } = options;
    let (needs, run) = match function.sig.inputs.iter().nth(1) {
        Some(FnArg::Typed(PatType { ty, .. })) => (
            quote!(<#ty>::NEEDS),
            quote!(async move {
                let arranged = <#ty>::new(context).await?;
                #name(context, arranged).await
            }),
        ),
        _ => (quote!(crate::case::Case::NONE), quote!(#name(context))),
    };
    Ok(quote! {
        crate::case::Case {
            sentence: #sentence,
            clause: #clause,
            #(operation: Some(#operation),)*
            #keys
            #fixtures
            #hooks
            #features
            #(changes: crate::case::Changes::#changes,)*
            #(requests: #requests,)*
            exclusive: #exclusive,
            waits_for_minute: #waits_for_minute,
            run: &|context| Box::pin(#run),
            ..#needs
        }
    })
}

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
