//! The example of a call, from the examples of the document.

use heck::{AsSnakeCase, ToSnakeCase};
use openapi_document::{Document, Operation, pointer::join};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::type_overrides::{component_of, is_argument};

const EXAMPLE_WIDTH: usize = 90;

/// The lines of a doc comment; none where the document has no example of a required value.
pub(super) fn of(document: &Document, crate_name: &str, operation: &Operation) -> TokenStream {
    let Some(call) = call(document, operation) else {
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
        lines.extend(builder(&body.component, &body.required));
        lines.extend(body.optional.iter().map(|setter| format!("    {setter}")));
        lines.last_mut().expect("it has the builder").push(';');
        arguments.push("body".to_owned());
    }
    let method = AsSnakeCase(&operation.id);
    lines.push(format!("let response = client.{method}({}).send().await?;", arguments.join(", ")));
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
fn builder(component: &str, required: &[String]) -> Vec<String> {
    let call = format!("let body = {component}::builder({})", required.join(", "));
    if call.len() <= EXAMPLE_WIDTH {
        return vec![call];
    }
    let mut lines = vec![format!("let body = {component}::builder(")];
    lines.extend(required.iter().map(|value| format!("    {value},")));
    lines.push(")".to_owned());
    lines
}

struct Call {
    parameters: Vec<String>,
    body: Option<Body>,
}

struct Body {
    component: String,
    required: Vec<String>,
    optional: Vec<String>,
}

fn call(document: &Document, operation: &Operation) -> Option<Call> {
    let parameters = operation.parameters.iter();
    let parameters = parameters.filter(|parameter| parameter.required && is_argument(parameter));
    let parameters = parameters.map(|parameter| {
        let schema = document.resolve(parameter.schema_pointer.as_deref()?).ok()?;
        literal(schema.value.get("example")?)
    });
    let parameters = parameters.collect::<Option<Vec<String>>>()?;
    let body = match operation.body.as_ref().filter(|body| body.required) {
        Some(body) => {
            let media = body.content.first()?;
            let component = component_of(document, media.schema_pointer.as_deref()?)?;
            let example = media.examples.first()?;
            Some(body_of(document, component, &example.value)?)
        }
        None => None,
    };
    Some(Call { parameters, body })
}

fn body_of(document: &Document, component: String, example: &Value) -> Option<Body> {
    let schema = document.value().pointer(&join("/components/schemas", &component))?;
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let required: Vec<&str> = required.collect();
    let optional = example.as_object()?.iter();
    let optional = optional.filter(|(name, _)| !required.contains(&name.as_str()));
    let optional = optional.filter_map(|(name, value)| {
        Some(format!(".{}({})", name.to_snake_case(), literal(value)?))
    });
    Some(Body {
        optional: optional.collect(),
        required: required.iter().map(|name| literal(example.get(name)?)).collect::<Option<_>>()?,
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
