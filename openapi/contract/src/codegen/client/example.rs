//! The example of a call, from the examples of the document.

use heck::AsSnakeCase;
use openapi_document::{Document, Operation};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::{
    arguments::{self, Required, of_call},
    type_overrides::{TypeOverrides, component_of},
};
use crate::codegen::names::field;

const EXAMPLE_WIDTH: usize = 90;

/// The lines of a doc comment; none where the document has no example of a required value.
pub(super) fn of(
    document: &Document,
    overrides: &TypeOverrides,
    crate_name: &str,
    operation: &Operation,
) -> TokenStream {
    let Some(call) = call(document, overrides, operation) else {
        return TokenStream::new();
    };
    let mut lines = vec![String::new(), "```no_run".to_owned()];
    if let Some(body) = &call.body {
        lines.push(format!("# use {crate_name}::types::{};", body.component));
    }
    lines.push(format!(
        "# async fn run(client: {crate_name}::Client) -> Result<(), {crate_name}::Error> {{"
    ));
    let mut arguments = call.parameters;
    if let Some(body) = call.body {
        lines.extend(builder(&body.component, &body.arguments));
        lines.extend(body.setters.iter().map(|setter| format!("    {setter}")));
        lines.last_mut().expect("it has the builder").push(';');
        arguments.push("body".to_owned());
    }
    let method = AsSnakeCase(&operation.id);
    lines.push(format!(
        "let response = client.{method}({}){}.send().await?;",
        arguments.join(", "),
        call.setters.concat()
    ));
    lines.push("println!(\"{:?}\", response.into_inner());".to_owned());
    lines.push("# Ok(())".to_owned());
    lines.push("# }".to_owned());
    lines.push("```".to_owned());
    let lines = lines.iter().map(|line| match line.as_str() {
        "" => String::new(),
        line => format!(" {line}"),
    });
    quote! { #(#[doc = #lines])* }
}

/// The call that makes the builder of a body, on one line where that is short.
fn builder(component: &str, arguments: &[String]) -> Vec<String> {
    let call = format!("let body = {component}::builder({})", arguments.join(", "));
    if call.len() <= EXAMPLE_WIDTH {
        return vec![call];
    }
    let mut lines = vec![format!("let body = {component}::builder(")];
    lines.extend(arguments.iter().map(|value| format!("    {value},")));
    lines.push(")".to_owned());
    lines
}

struct Call {
    parameters: Vec<String>,
    setters: Vec<String>,
    body: Option<Body>,
}

struct Body {
    component: String,
    arguments: Vec<String>,
    setters: Vec<String>,
}

fn call(document: &Document, overrides: &TypeOverrides, operation: &Operation) -> Option<Call> {
    let example_of = |name: &String| {
        let parameter = operation.parameters.iter().find(|parameter| parameter.name == *name)?;
        let schema = document.resolve(parameter.schema_pointer.as_deref()?).ok()?;
        literal(schema.value.get("example")?)
    };
    let Required { positional, named } = of_call(document, overrides, operation);
    let body = match operation.body.as_ref().filter(|body| body.required) {
        Some(body) => {
            let media = body.content.first()?;
            let component = component_of(document, media.schema_pointer.as_deref()?)?;
            let example = media.examples.first()?;
            Some(body_of(document, overrides, component, &example.value)?)
        }
        None => None,
    };
    let setter = |name: &String| Some(format!(".{}({})", field(name), example_of(name)?));
    Some(Call {
        parameters: positional.iter().map(example_of).collect::<Option<_>>()?,
        setters: named.iter().map(setter).collect::<Option<_>>()?,
        body,
    })
}

fn body_of(
    document: &Document,
    overrides: &TypeOverrides,
    component: String,
    example: &Value,
) -> Option<Body> {
    let Required { positional, named } = arguments::of_body(document, overrides, &component);
    let members = example.as_object()?;
    if !named.iter().all(|name| members.contains_key(name)) {
        return None;
    }
    let setters = members.iter().filter(|(name, _)| !positional.contains(name));
    let setters =
        setters.filter_map(|(name, value)| Some(format!(".{}({})", field(name), literal(value)?)));
    Some(Body {
        setters: setters.collect(),
        arguments: positional
            .iter()
            .map(|name| literal(members.get(name)?))
            .collect::<Option<_>>()?,
        component,
    })
}

/// A value as Rust writes it; objects, lists and null have no literal.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(format!("{text:?}")),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
