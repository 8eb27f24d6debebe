//! Reads which members of a request name a resource: those whose schema has `x-references`.

use super::{Location, Parameter, RequestBody, ResourceReference};
use crate::{pointer::join, source::Source};

/// Returns the references in the parameters, then those in the members of the body.
pub(super) fn references(
    source: &Source,
    parameters: &[Parameter],
    body: Option<&RequestBody>,
) -> Vec<ResourceReference> {
    let of_parameter = |parameter: &Parameter| {
        let resource = resource(source, parameter.schema_pointer.as_deref()?)?;
        let (member, location) = (parameter.name.clone(), Some(parameter.location));
        Some(ResourceReference { member, location, resource })
    };
    let schema = body.and_then(|body| body.content.first()?.schema_pointer.as_deref());
    let in_parameters = parameters.iter().filter(|it| it.location != Location::Header);
    let mut references: Vec<_> = in_parameters.filter_map(of_parameter).collect();
    references.extend(schema.into_iter().flat_map(|schema| in_body(source, schema)));
    references
}

fn in_body(source: &Source, schema: &str) -> Vec<ResourceReference> {
    let Ok(schema) = source.resolve(schema) else { return Vec::new() };
    let of_property = |(name, at, _): (&str, String, _)| {
        let resource = resource(source, &at)?;
        Some(ResourceReference { member: join("", name), location: None, resource })
    };
    schema.members("properties").filter_map(of_property).collect()
}

/// Returns the `x-references` of a schema, or that of a part of its `allOf`.
fn resource(source: &Source, at: &str) -> Option<String> {
    let schema = source.resolve(at).ok()?;
    let of_part = |part: String| source.resolve(&part).ok()?.text("x-references");
    schema.text("x-references").or_else(|| schema.elements("allOf").find_map(of_part))
}
