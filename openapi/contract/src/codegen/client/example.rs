//! The example of a call, from the examples of the document.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::{Api, arguments::Required, field};
use crate::codegen::{
    model::{Operation, object},
    names::{setter, value_name},
};

const EXAMPLE_WIDTH: usize = 90;

/// The lines of a doc comment; none where the document has no example of a required value.
pub(super) fn of(api: &Api<'_>, crate_name: &str, operation: &Operation) -> TokenStream {
    let lines = lines(api, crate_name, operation).unwrap_or_default().into_iter();
    let lines = lines.map(|line| if line.is_empty() { line } else { format!(" {line}") });
    quote! { #(#[doc = #lines])* }
}

fn lines(api: &Api<'_>, crate_name: &str, operation: &Operation) -> Option<Vec<String>> {
    let documented = api.documented(operation);
    let example_of = |name: &&str| {
        let parameter = documented.parameters.iter().find(|known| known.name == **name)?;
        let schema = api.document.resolve(parameter.schema_pointer.as_deref()?).ok()?;
        literal(schema.value.get("example")?)
    };
    let Required { positional, named } = api.required_of_call(operation);
    let mut arguments: Vec<String> = positional.iter().map(example_of).collect::<Option<_>>()?;
    let set = |name: &&str| Some(format!(".{}({})", setter(name), example_of(name)?));
    let setters: String = named.iter().map(set).collect::<Option<_>>()?;
    let run = format!(
        "# async fn run(client: {crate_name}::Client) -> Result<(), {crate_name}::Error> {{"
    );
    let mut lines = vec![String::new(), "```no_run".to_owned()];
    match documented.body.as_ref().filter(|body| body.required) {
        Some(body) => {
            let schema = operation.body.as_ref()?.name()?;
            lines.extend([format!("# use {crate_name}::types::{schema};"), run]);
            lines.extend(body_lines(api, schema, &body.content.first()?.examples.first()?.value)?);
            arguments.push("body".to_owned());
        }
        None => lines.push(run),
    }
    let (method, arguments) = (value_name(&operation.id), arguments.join(", "));
    lines.push(format!("let response = client.{method}({arguments}){setters}.send().await?;"));
    let end = ["println!(\"{:?}\", response.into_inner());", "# Ok(())", "# }", "```"];
    lines.extend(end.map(str::to_owned));
    Some(lines)
}

/// The call that makes the builder of a body, on one line where that is short, and its setters.
fn body_lines(api: &Api<'_>, schema: &str, example: &Value) -> Option<Vec<String>> {
    let Required { positional, named } = api.required_of_body(object(&api.model.schemas, schema)?);
    let members = example.as_object()?;
    if !named.iter().all(|name| members.contains_key(*name)) {
        return None;
    }
    let arguments = positional.iter().map(|name| literal(members.get(*name)?));
    let arguments: Vec<String> = arguments.collect::<Option<_>>()?;
    let call = format!("let body = {schema}::builder({})", arguments.join(", "));
    let mut lines = if call.len() <= EXAMPLE_WIDTH {
        vec![call]
    } else {
        let values = arguments.iter().map(|value| format!("    {value},"));
        let begin = format!("let body = {schema}::builder(");
        [begin].into_iter().chain(values).chain([")".to_owned()]).collect()
    };
    let setters = members.iter().filter(|(name, _)| !positional.contains(&name.as_str()));
    lines
        .extend(setters.filter_map(|(name, value)| {
            Some(format!("    .{}({})", field(name), literal(value)?))
        }));
    lines.last_mut()?.push(';');
    Some(lines)
}

/// A value as Rust writes it; objects, lists and null have no literal.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(format!("{text:?}")),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
