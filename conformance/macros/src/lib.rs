//! `#[case]` registers an async function as a case of the suite: its id is the place of the
//! function, its sentence the doc comment, and the options say what it needs and changes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Error, Expr, ExprLit, Ident, ItemFn, Lit, LitInt, LitStr, Meta, Result, Token,
    parenthesized,
    parse::{Parse, ParseStream},
    parse_macro_input,
    punctuated::Punctuated,
};

const OPTIONS: &str = "on = \"…\", keys(…), fixtures(…), hooks(…), features(…), changes = …, \
                       exclusive, waits_for_minute, requests = …, retry, retry_locked, lock(…)";

/// `#[case("§5.4", keys(All, Expired), requests = 24)]`: the clause that the case proves, and its
/// options.
#[proc_macro_attribute]
pub fn case(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let options = parse_macro_input!(options as Options);
    let function = parse_macro_input!(function as ItemFn);
    expand(&options, &function).unwrap_or_else(Error::into_compile_error).into()
}

struct Options {
    clause: LitStr,
    /// What `crate::isolation` does with the case.
    engine: Engine,
    fixtures: Vec<Ident>,
    hooks: Vec<Ident>,
    changes: Option<Ident>,
    /// The other options, as calls on a case.
    calls: TokenStream,
}

enum Engine {
    Nothing,
    /// Its function runs the case again.
    Retry(Ident),
    /// Its function locks something, and its constant is how many requests that takes.
    Lock(Ident, Ident),
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self {
            clause: input.parse()?,
            engine: Engine::Nothing,
            fixtures: Vec::new(),
            hooks: Vec::new(),
            changes: None,
            calls: TokenStream::new(),
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                options.read(input)?;
            }
        }
        Ok(options)
    }
}

impl Options {
    fn read(&mut self, input: ParseStream<'_>) -> Result<()> {
        let option: Ident = input.parse()?;
        let call = match option.to_string().as_str() {
            "exclusive" | "waits_for_minute" => quote!(.#option()),
            "on" => {
                let operation: LitStr = value(input)?;
                quote!(.on(#operation))
            }
            "requests" => {
                let count: LitInt = value(input)?;
                quote!(.requests(#count))
            }
            "keys" => {
                let roles = names(input)?;
                quote!(.keys(&[#(crate::target::Role::#roles),*]))
            }
            "features" => {
                let features = names(input)?;
                quote!(.features(&[#(crate::target::Feature::#features),*]))
            }
            "changes" => {
                self.changes = Some(value(input)?);
                TokenStream::new()
            }
            "fixtures" => {
                self.fixtures.extend(names(input)?);
                TokenStream::new()
            }
            "hooks" => {
                self.hooks.extend(names(input)?);
                TokenStream::new()
            }
            "retry" | "retry_locked" => {
                self.engine = Engine::Retry(option);
                TokenStream::new()
            }
            "lock" => {
                self.lock(input)?;
                TokenStream::new()
            }
            _ => return Err(Error::new(option.span(), format!("the options are {OPTIONS}"))),
        };
        self.calls.extend(call);
        Ok(())
    }

    /// What a lock needs and changes is implied.
    fn lock(&mut self, input: ParseStream<'_>) -> Result<()> {
        let locked = names(input)?;
        let ident = |name: &str| Ident::new(name, proc_macro2::Span::call_site());
        let is_one = |name: &str| matches!(&locked[..], [one] if one == name);
        if is_one("partner") {
            self.engine = Engine::Lock(ident("lock_partner"), ident("PARTNER_REQUESTS"));
            self.fixtures.insert(0, ident("Partner"));
        } else if is_one("payout") {
            self.engine = Engine::Lock(ident("lock_payout"), ident("PAYOUT_REQUESTS"));
            self.fixtures.insert(0, ident("PayoutNoted"));
            self.hooks.splice(0..0, [ident("SetPoNumber"), ident("ClearPoNumber")]);
        } else {
            return Err(input.error("lock(partner) or lock(payout)"));
        }
        self.changes.get_or_insert_with(|| ident("Restored"));
        Ok(())
    }
}

fn value<T: Parse>(input: ParseStream<'_>) -> Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

fn names(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let list;
    parenthesized!(list in input);
    Ok(Punctuated::<Ident, Token![,]>::parse_terminated(&list)?.into_iter().collect())
}

fn expand(options: &Options, function: &ItemFn) -> Result<TokenStream> {
    let Options { clause, engine, fixtures, hooks, changes, calls } = options;
    let ident = &function.sig.ident;
    let name = ident.to_string();
    let sentence = sentence(&function.attrs);
    if sentence.is_empty() {
        let what = "a case has a doc comment: one sentence about a deployment that conforms";
        return Err(Error::new(ident.span(), what));
    }
    let (run, more) = match engine {
        Engine::Nothing => (quote!(#ident(context)), None),
        Engine::Retry(retry) => {
            (quote!(crate::isolation::#retry(context, |context| Box::pin(#ident(context)))), None)
        }
        Engine::Lock(lock, requests) => (
            quote!(crate::isolation::#lock(context, |context, locked| {
                Box::pin(#ident(context, locked))
            })),
            Some(quote!(.and_requests(crate::isolation::#requests))),
        ),
    };
    let changes = changes.iter();
    Ok(quote! {
        #function

        ::inventory::submit! {
            crate::case::Registered {
                module: module_path!(),
                line: line!(),
                name: #name,
                case: crate::case::Case::new("", #sentence, #clause, &|context| {
                    Box::pin(#run)
                })
                #calls
                #more
                .fixtures(&[#(crate::target::Fixture::#fixtures),*])
                .hooks(&[#(crate::target::Hook::#hooks),*])
                #(.changes(crate::case::Changes::#changes))*,
            }
        }
    })
}

/// The doc comment, as one line.
fn sentence(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines = lines.filter_map(|line| match &line.meta {
        Meta::NameValue(doc) => match &doc.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}
