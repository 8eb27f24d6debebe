//! The builders of calls. What is required comes with the method that makes the builder; the rest
//! has a setter each. `send` gives the request to the client, which sends and repeats it.

use std::collections::HashMap;

use heck::ToUpperCamelCase;
use openapi_document::{Document, Operation, Parameter};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Block, Field, Generics, Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, PathArguments,
    Stmt, Visibility, parse_quote,
};

use super::{
    SHAPE,
    bodies::builder_name,
    methods, operation_of, pages,
    setter::{argument_of, is_optional, setter, target_of},
};
use crate::codegen::{
    Config,
    client::{
        arguments::{Required, of_call},
        docs::{of_parameter, of_send},
        rules,
        type_overrides::{TypeOverrides, component_of, success_component},
    },
    format::docs,
    names::{constant_name, field},
};

/// A required value of a call.
pub(super) struct Argument {
    pub(super) name: Ident,
    /// The type that it is converted into.
    pub(super) target: syn::Type,
}

/// Adapts every builder; the arguments of each.
pub(super) fn adapt(
    module: &mut ItemMod,
    document: &Document,
    config: &Config,
    overrides: &TypeOverrides,
) -> HashMap<String, Vec<Argument>> {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    items.iter_mut().for_each(without_hooks);
    let mut arguments = HashMap::new();
    let mut lists = Vec::new();
    items.iter_mut().for_each(with_own_client);
    for item in items.iter_mut() {
        if let Item::Struct(builder) = item {
            builder.fields.iter_mut().skip(1).for_each(as_given);
        }
        let Item::Impl(block) = item else { continue };
        let name = block.self_ty.to_token_stream().to_string();
        let operation =
            operation_of(document, &name).expect("each builder belongs to an operation");
        arguments.insert(name, adapt_builder(block, document, overrides, operation));
        block.items.push(send(document, operation));
        if let Some(list) = pages::List::of(document, config, operation) {
            block.items.extend(list.methods());
            lists.push(list);
        }
    }
    items.extend(lists.iter().flat_map(pages::List::implementations));
    arguments
}

/// A builder owns its client, so that a list outlives the client that it was made with.
fn with_own_client(item: &mut Item) {
    match item {
        Item::Struct(builder) => {
            builder.generics = Generics::default();
            let client = builder.fields.iter_mut().next().expect(SHAPE);
            client.ty = parse_quote! { super::Client };
            builder
                .attrs
                .push(parse_quote! { #[must_use = "nothing is sent until `send` is called"] });
        }
        Item::Impl(block) => {
            block.generics = Generics::default();
            let syn::Type::Path(own) = block.self_ty.as_mut() else { unreachable!("{SHAPE}") };
            own.path.segments.last_mut().expect(SHAPE).arguments = PathArguments::None;
        }
        _ => {}
    }
}

fn adapt_builder(
    block: &mut ItemImpl,
    document: &Document,
    overrides: &TypeOverrides,
    operation: &Operation,
) -> Vec<Argument> {
    let mut required = of_call(document, overrides, operation);
    if operation.body.as_ref().is_some_and(|body| body.required) {
        required.positional.push("body".to_owned());
    }
    block.items.retain(|item| !is_named(item, "body_map"));
    let mut arguments = Vec::new();
    for method in methods(block) {
        match method.sig.ident.to_string().as_str() {
            "new" => begin(method, operation, &required),
            "send" => *method = request(method, document, operation),
            name => {
                let is_this = |known: &String| is_name_of(name, known);
                let position = required.positional.iter().position(is_this);
                let visibility: Visibility = match position {
                    Some(_) => parse_quote! { pub(super) },
                    None => parse_quote! { pub },
                };
                let place = Place::of(operation, name);
                let text = match place.parameter {
                    Some(parameter) => of_parameter(document, parameter),
                    None => docs("The body: the value, or its builder."),
                };
                let (target, given) = given(method, document, &place);
                let ident = method.sig.ident.clone();
                *method = setter(&ident, &target, &visibility, &text, &given);
                arguments.extend(position.map(|at| (at, Argument { name: ident, target })));
            }
        }
    }
    arguments.sort_by_key(|(position, _)| *position);
    arguments.into_iter().map(|(_, argument)| argument).collect()
}

/// progenitor's names end with `_` where they would be keywords.
fn is_name_of(ident: &str, name: &str) -> bool {
    field(name) == ident.trim_start_matches("r#").trim_end_matches('_')
}

/// The location of a value of a call, as the server names it.
struct Place<'a> {
    /// None of the body.
    parameter: Option<&'a Parameter>,
    schema_pointer: &'a str,
    location: Ident,
    path: String,
}

impl<'a> Place<'a> {
    fn of(operation: &'a Operation, ident: &str) -> Self {
        let mut parameters = operation.parameters.iter();
        let parameter = parameters.find(|parameter| is_name_of(ident, &parameter.name));
        let body = operation.body.as_ref().and_then(|body| body.content.first());
        let (schema_pointer, location) = match parameter {
            Some(parameter) => (&parameter.schema_pointer, format!("{:?}", parameter.location)),
            None => (&body.expect(SHAPE).schema_pointer, "Body".to_owned()),
        };
        Self {
            parameter,
            schema_pointer: schema_pointer.as_deref().unwrap_or_default(),
            location: format_ident!("{location}"),
            path: parameter.map(|parameter| format!("/{}", parameter.name)).unwrap_or_default(),
        }
    }
}

/// The type that a setter converts into, and the statement that stores what the conversion
/// returned.
fn given(method: &ImplItemFn, document: &Document, place: &Place<'_>) -> (syn::Type, TokenStream) {
    let ident = &method.sig.ident;
    if method.block.to_token_stream().to_string().contains("map (From :: from)") {
        let component = component_of(document, place.schema_pointer).expect(SHAPE);
        let builder = builder_name(&component);
        let set = quote! {
            self.#ident = crate::rules::Draft::given(value.map(|builder| builder.0));
        };
        return (parse_quote! { types::builder::#builder }, set);
    }
    let Place { location, path, .. } = place;
    let rules = rules::expression(document, place.schema_pointer);
    let stored = is_optional(method).then(|| quote! { .map(Some) });
    let location = quote! { types::ViolationLocation::#location };
    let given = quote! { crate::rules::given(#location, #path, value, #rules) #stored };
    (target_of(method).clone(), quote! { self.#ident = #given; })
}

/// A field keeps the value, or its violations; a body keeps what its builder collected.
fn as_given(field: &mut Field) {
    let target = argument_of(&field.ty, "Result").expect(SHAPE);
    field.ty = match target.to_token_stream().to_string().contains("builder ::") {
        true => parse_quote! { crate::rules::Draft },
        false => parse_quote! { crate::rules::Given<#target> },
    };
}

/// Before its setter is called, a required value is missing. Arguments are always given.
fn begin(new: &mut ImplItemFn, operation: &Operation, required: &Required) {
    new.vis = parse_quote! { pub(super) };
    new.sig.inputs = parse_quote! { client: super::Client };
    let Some(Stmt::Expr(syn::Expr::Struct(made), _)) = new.block.stmts.last_mut() else {
        unreachable!("{SHAPE}")
    };
    for value in made.fields.iter_mut().skip(1) {
        let text = value.expr.to_token_stream().to_string();
        if text.contains("default ()") {
            value.expr = parse_quote! { Default::default() };
        } else if text.starts_with("Err") {
            let name = value.member.to_token_stream().to_string();
            let Place { location, path, .. } = Place::of(operation, &name);
            let is_argument = required.positional.iter().any(|known| is_name_of(&name, known));
            value.expr = match is_argument {
                true => parse_quote! { Err(Vec::new()) },
                false => parse_quote! {
                    crate::rules::missing(types::ViolationLocation::#location, #path)
                },
            };
        }
    }
}

/// progenitor's `send` until the request is built, by the client's own builder of requests and
/// after one check of all values. The version of the API is not its own header, but one of those
/// that the client adds to every request.
fn request(send: &ImplItemFn, document: &Document, operation: &Operation) -> ImplItemFn {
    let method = operation.method.to_string();
    let http = format!("client . client . {} (", method.to_lowercase());
    let builder = format!("RequestBuilder :: new (reqwest :: Method :: {method} , ");
    let own = |statement: &dyn ToTokens| {
        let text = statement.to_token_stream().to_string().replace(&http, &builder);
        text.replace("progenitor_client :: QueryParam :: new", "")
    };
    let is_request = |statement: &Stmt| {
        matches!(statement, Stmt::Local(local)
            if local.pat.to_token_stream().to_string() == "mut request")
    };
    let end = send.block.stmts.iter().position(is_request).expect(SHAPE);
    let Stmt::Local(local) = &send.block.stmts[end] else { unreachable!("it is the request") };
    let mut built = own(&local.init.as_ref().expect(SHAPE).expr);
    built.truncate(built.trim_end_matches([' ', '?']).len());
    let (fields, before) = send.block.stmts[..end].split_first().expect(SHAPE);
    let before = before.iter().map(|statement| own(statement));
    let before = before.filter(|statement| !statement.contains("\"api-version\""));
    let (conversions, mut before): (Vec<String>, Vec<String>) =
        before.partition(|statement| statement.contains("Error :: InvalidRequest"));
    if !before.iter().any(|statement| statement.contains("header_map . append")) {
        before.retain(|statement| !statement.contains("header_map"));
        built = built.replace(". headers (header_map)", "");
    }
    let drafted = conversions.iter().any(|statement| statement.contains("and_then"));
    let body = drafted.then(|| Place::of(operation, "body").schema_pointer);
    let body = body.and_then(|pointer| component_of(document, pointer)).map(|component| {
        let rules = constant_name(&component);
        quote! { let body = body.checked(types::rules::#rules); }
    });
    let values = conversions.iter().filter_map(|statement| statement.split(' ').nth(1));
    let values: Vec<Ident> = values.map(|value| format_ident!("{value}")).collect();
    let checked =
        (!values.is_empty()).then(|| quote! { crate::rules::all_or_return!(#(#values),*); });
    let block = quote! { #fields #body #checked };
    let block = format!("{{ {block} {} {built} }}", before.concat());
    let block: Block = syn::parse_str(&block).expect("calls were replaced by others");
    parse_quote! { fn request(self) -> Result<reqwest::Request, Unsent> #block }
}

fn send(document: &Document, operation: &Operation) -> ImplItem {
    let success = success_component(document, operation).expect("`read` checked it");
    let success = format_ident!("{success}");
    let variant = format_ident!("{}", operation.id.to_upper_camel_case());
    let text = of_send(operation);
    parse_quote! {
        #text
        pub async fn send(self) -> Result<crate::Response<types::#success>, crate::Error> {
            let client = self.client.clone();
            client.call(crate::Operation::#variant, self.request()).await
        }
    }
}

/// The imports of what `request` left out.
fn without_hooks(item: &mut Item) {
    if let Item::Use(import) = item
        && import.to_token_stream().to_string().contains("ByteStream")
    {
        let kept: TokenStream =
            quote! { #[allow(unused_imports)] use super::{RequestBuilder, Unsent, encode_path}; };
        *item = syn::parse2(kept).expect("it is an import");
    }
}

fn is_named(item: &ImplItem, name: &str) -> bool {
    matches!(item, ImplItem::Fn(method) if method.sig.ident == name)
}
