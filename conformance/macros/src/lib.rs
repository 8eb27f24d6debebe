//! `#[case]` registers an async function as a case of the suite: its id is the place of the
//! function, its sentence the doc comment, and the options say what it needs and changes.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident, quote};
use syn::{
    Error, Expr, ExprLit, Ident, ItemFn, Lit, LitStr, Meta, MetaList, Result, Token,
    parse::{Parse, ParseStream},
    parse_macro_input,
    punctuated::Punctuated,
};

const OPTIONS: &str = "on = …, keys(…), fixtures(…), hooks(…), features(…), changes = …, \
                       requests = …, exclusive, waits_for_minute, retry, retry_locked, \
                       lock(partner), lock(payout)";

/// `#[case("§5.4", keys(All, Expired), requests = 24)]`: the clause that the case proves, and its
/// options.
#[proc_macro_attribute]
pub fn case(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let Options { clause, options } = parse_macro_input!(options as Options);
    let function = parse_macro_input!(function as ItemFn);
    let expanded = Case::of(&function.sig.ident, &options).and_then(|case| {
        let registered = case.registered(&clause, &function)?;
        Ok(quote!(#function #registered))
    });
    expanded.unwrap_or_else(Error::into_compile_error).into()
}

struct Options {
    clause: LitStr,
    options: Punctuated<Meta, Token![,]>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let clause = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Self { clause, options: Punctuated::parse_terminated(input)? })
    }
}

struct Case {
    fixtures: Vec<Ident>,
    hooks: Vec<Ident>,
    features: Vec<Ident>,
    waits_for_minute: bool,
    /// Calls on the case: first what is implied, then the options.
    calls: [TokenStream; 2],
    /// Requests of a lock.
    more_requests: TokenStream,
    run: TokenStream,
}

impl Case {
    fn of(function: &Ident, options: &Punctuated<Meta, Token![,]>) -> Result<Self> {
        let mut case = Self {
            fixtures: Vec::new(),
            hooks: Vec::new(),
            features: Vec::new(),
            waits_for_minute: false,
            more_requests: quote!(0),
            calls: Default::default(),
            run: quote!(#function(context)),
        };
        for option in options {
            let name = option.path().require_ident()?;
            let call = match (name.to_string().as_str(), option) {
                ("exclusive", Meta::Path(_)) => quote!(.exclusive()),
                ("waits_for_minute", Meta::Path(_)) => {
                    case.waits_for_minute = true;
                    continue;
                }
                ("on", Meta::NameValue(option)) => {
                    let operation = option.value.to_token_stream().to_string();
                    quote!(.on(#operation))
                }
                ("requests", Meta::NameValue(option)) => {
                    let count = &option.value;
                    quote!(.requests(#count))
                }
                ("changes", Meta::NameValue(option)) => {
                    let value = &option.value;
                    quote!(.changes(crate::case::Changes::#value))
                }
                ("keys", Meta::List(list)) => {
                    let roles = names(list)?;
                    quote!(.keys(&[#(crate::target::Role::#roles),*]))
                }
                ("features", Meta::List(list)) => {
                    case.features.extend(names(list)?);
                    continue;
                }
                ("fixtures", Meta::List(list)) => {
                    case.fixtures.extend(names(list)?);
                    continue;
                }
                ("hooks", Meta::List(list)) => {
                    case.hooks.extend(names(list)?);
                    continue;
                }
                ("retry" | "retry_locked", Meta::Path(_)) => {
                    case.run = quote!(crate::isolation::#name(context, #function));
                    continue;
                }
                ("lock", Meta::List(list)) => {
                    case.lock(function, list)?;
                    continue;
                }
                _ => return Err(Error::new_spanned(option, format!("the options are {OPTIONS}"))),
            };
            case.calls[1].extend(call);
        }
        Ok(case)
    }

    /// What a lock needs and changes is implied.
    fn lock(&mut self, function: &Ident, list: &MetaList) -> Result<()> {
        let (fixture, hooks): (_, &[&str]) = match &names(list)?[..] {
            [one] if one == "partner" => ("Partner", &[]),
            [one] if one == "payout" => ("PayoutNoted", &["SetPoNumber", "ClearPoNumber"]),
            _ => return Err(Error::new_spanned(list, format!("the options are {OPTIONS}"))),
        };
        let lock = format_ident!("lock_{}", list.tokens.to_string());
        let requests = format_ident!("{}_REQUESTS", list.tokens.to_string().to_uppercase());
        self.fixtures.push(format_ident!("{fixture}"));
        self.hooks.extend(hooks.iter().map(|hook| format_ident!("{hook}")));
        self.run = quote!(crate::isolation::#lock(context, #function));
        self.calls[0] = quote!(.changes(crate::case::Changes::Restored));
        self.more_requests = quote!(crate::isolation::#requests);
        Ok(())
    }

    fn registered(&self, clause: &LitStr, function: &ItemFn) -> Result<TokenStream> {
        let Self { fixtures, hooks, features, waits_for_minute, calls, more_requests, run } = self;
        let [implied, options] = calls;
        let name = function.sig.ident.to_string();
        let sentence = sentence(function);
        if sentence.is_empty() {
            let what = "a case has a doc comment: one sentence about a deployment that conforms";
            return Err(Error::new_spanned(&function.sig.ident, what));
        }
        Ok(quote! {
            ::inventory::submit! {
                crate::case::Registered {
                    module: module_path!(),
                    line: line!(),
                    name: #name,
                    case: {
                        use crate::case::Case;
                        const CASE: Case =
                            Case::new("", #sentence, #clause, &|context| Box::pin(#run))
                                #implied #options;
                        Case {
                            fixtures: &[#(crate::target::Fixture::#fixtures),*],
                            hooks: &[#(crate::target::Hook::#hooks),*],
                            features: &[#(crate::target::Feature::#features),*],
                            waits_for_minute: #waits_for_minute,
                            requests: CASE.requests + #more_requests,
                            ..CASE
                        }
                    },
                }
            }
        })
    }
}

fn names(list: &MetaList) -> Result<Vec<Ident>> {
    let names = list.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
    Ok(names.into_iter().collect())
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
